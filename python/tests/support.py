"""A book to ask, made by the program."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = os.environ.get("OBOOK", str(ROOT / "target/debug/obook"))


def obook(*arguments: str, folder: Path) -> None:
    subprocess.run([PROGRAM, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)


class WithBook(unittest.TestCase):
    """Has a folder with `games.dat` and `games.obook`, in which every table and every view has rows."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="obook-python-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        shutil.copy(ROOT / "tests/data/edax/games.dat", cls.folder)
        obook("import", "games.dat", "--book", "games.obook", folder=cls.folder)
        obook("accuracy", "games.obook", "--store", folder=cls.folder)
        waits = "INSERT INTO todo SELECT board, 'leaf', 12, 1 FROM positions WHERE empties = 60"
        obook("query", "games.obook", "--write", waits, folder=cls.folder)
        cls.book = str(cls.folder / "games.obook")
