"""A book for the tests, made by the program."""

import os
import shutil
import subprocess
import tempfile
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = os.environ.get("OBOOK", str(ROOT / "target/debug/obook"))


def obook(*arguments: str, folder: Path) -> None:
    subprocess.run([PROGRAM, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def write_protected(folder: Path) -> Iterator[None]:
    """Makes a folder and its files read-only. Root switches to another user meanwhile."""
    for path in (folder, *folder.iterdir()):
        path.chmod(0o555 if path.is_dir() else 0o444)
    is_root = os.geteuid() == 0
    if is_root:
        folder.parent.chmod(0o755)
        os.setresuid(65534, 65534, 0)  # access() checks the first of these
    try:
        yield
    finally:
        if is_root:
            os.setresuid(0, 0, 0)
        for path in (folder, *folder.iterdir()):
            path.chmod(0o755 if path.is_dir() else 0o644)


class WithBook(unittest.TestCase):
    """Makes a folder with `games.dat` and `games.obook`, in which every table and view has rows."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="obook-python-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        shutil.copy(ROOT / "examples/games.dat", cls.folder)
        obook("import", "games.dat", "--book", "games.obook", folder=cls.folder)
        obook("accuracy", "games.obook", "--store", folder=cls.folder)
        waits = """INSERT INTO todo (board, reason, level, engine)
                   SELECT board, 'leaf', 12, 1 FROM positions WHERE empties = 60"""
        obook("query", "games.obook", "--write", waits, folder=cls.folder)
        archive = ROOT / "examples/levels.wtb"
        obook("games", "import", str(archive), "--book", "games.obook", folder=cls.folder)
        cls.book = str(cls.folder / "games.obook")
