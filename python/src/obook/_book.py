"""Books, opened for reading."""

import os
import shutil
import sqlite3
import subprocess
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from ._library import connect

if TYPE_CHECKING:
    import pandas
    import polars

# SQLite's application ID of obook's databases: "obok".
APPLICATION_ID = 0x6F626F6B

Board = str | bytes


class NotABook(ValueError):
    """The file is not an obook database."""


class Move(NamedTuple):
    """A legal move, whether it is in the book or not."""

    square: str
    """Its name in the orientation of the given board: ``"f5"``, or ``"pa"`` for a pass."""
    kind: str | None
    """``"link"`` stays in the book, ``"leaf"`` leads out of it; None: the move is not in the book."""
    score: int | None
    """Discs for the side that makes the move, -64 to 64."""
    level: int | None
    """Level of the search behind the score, on its engine's scale."""
    child: bytes
    """The key of the board after the move: 16 bytes."""


class Step(NamedTuple):
    """A move of the best line."""

    ply: int
    square: str
    kind: str
    score: int | None
    level: int | None
    line: str
    """The moves up to and including this one."""


class Leaf(NamedTuple):
    """A move out of the book near best play: a place where the book should grow."""

    ply: int
    line: str
    """The moves up to and including this one."""
    square: str
    score: int
    """Discs for the side that makes the move."""
    cost: int
    """What this move loses against the best one, in discs."""
    loss: int
    """What the whole line loses."""
    level: int


class Reason(NamedTuple):
    """A part of the explanation of a position's value. What doesn't apply to its role is None."""

    role: str
    """What it explains: see the documentation of the table ``why``."""
    ply: int | None
    line: str
    square: str | None
    kind: str | None
    score: int | None
    """Discs for the side that makes the move."""
    worse: int | None
    """Discs by which it is worse than the best move."""
    level: int | None
    error: int | None
    """Discs that the book allows for as the error of this search; 0: exact."""
    shift: int | None
    """The change of this score that would change the value."""
    value: int | None
    """The value then."""


class Hint(NamedTuple):
    """A move as obook's own engine judges it."""

    rank: int
    square: str
    score: int
    """Discs for the side that makes the move."""
    depth: int
    probability: int
    """Confidence in percent that selective pruning made no error."""
    proven: bool
    """Whether the score is exact."""
    nodes: int
    line: str
    """The best play that the search found."""


class Rows(Iterator[dict[str, Any]]):
    """The rows of an answer, each a dict from column names to values. They are read from the database one by one."""

    columns: list[str]

    def __init__(self, cursor: sqlite3.Cursor) -> None:
        self._cursor = cursor
        self.columns = [column[0] for column in cursor.description or ()]

    def __next__(self) -> dict[str, Any]:
        return dict(zip(self.columns, next(self._cursor)))

    def to_pandas(self) -> "pandas.DataFrame":
        """Returns the remaining rows as a pandas table. Requires pandas."""
        import pandas

        return pandas.DataFrame(self._cursor.fetchall(), columns=self.columns)

    def to_polars(self) -> "polars.DataFrame":
        """Returns the remaining rows as a polars table. Requires polars."""
        import polars

        rows = self._cursor.fetchall()
        return polars.DataFrame(rows, schema=self.columns, orient="row", infer_schema_length=None)


class Book:
    """A book; ``with obook.open(path) as book`` closes it."""

    connection: sqlite3.Connection
    """For everything else: a read-only connection with all of obook's functions and tables."""

    _folder: TemporaryDirectory[str] | None = None
    """Of a temporary book, which is removed with it."""

    def __init__(self, connection: sqlite3.Connection, name: str, tidied: str | None = None) -> None:
        self.connection = connection
        self._name = name
        self._tidied = tidied

    def __repr__(self) -> str:
        try:
            positions = f"{self.connection.execute('SELECT count(*) FROM positions').fetchone()[0]} positions"
        except sqlite3.ProgrammingError:
            positions = "closed"
        return f"<obook.Book {self._name!r}: {positions}>"

    def query(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> Rows:
        """Runs SQL. Raises sqlite3.Error if it is invalid."""
        return Rows(self.connection.execute(sql, parameters))

    def show(self, board: Board = "") -> str:
        """Draws a board with coordinates and legal moves. It need not be in the book."""
        drawing: str = self.connection.execute("SELECT show(?)", (board,)).fetchone()[0]
        return drawing

    def moves(self, board: Board = "") -> list[Move]:
        """Returns the legal moves of a board, best first."""
        sql = "SELECT square, kind, score, level, child FROM moves(?)"
        return [Move(*row) for row in self.connection.execute(sql, (board,))]

    def line(self, start: Board = "") -> list[Step]:
        """Returns the best play from a board to the end of the book."""
        sql = "SELECT ply, square, kind, score, level, line FROM line(?)"
        return [Step(*row) for row in self.connection.execute(sql, (start,))]

    def value(self, board: Board = "") -> int | None:
        """Returns the value of a position for the side to move, in discs; None if the book doesn't have it."""
        answer = self.connection.execute("SELECT value FROM positions WHERE board = canonical(?)", (board,)).fetchone()
        value: int | None = answer and answer[0]
        return value

    def why(self, board: Board = "") -> list[Reason]:
        """Explains the value of a position: the best line, the leaf that decides, and what would change the value.

        The list is empty if the book doesn't have the position.
        """
        sql = "SELECT role, ply, line, square, kind, score, worse, level, error, shift, value FROM why(?)"
        return [Reason(*row) for row in self.connection.execute(sql, (board,))]

    def frontier(self, root: Board = "", max_loss: int = 0) -> Iterator[Leaf]:
        """Yields the leaves near best play, least loss first: where the book should grow."""
        sql = "SELECT ply, line, square, score, cost, loss, level FROM frontier(?, ?)"
        return (Leaf(*row) for row in self.connection.execute(sql, (root, max_loss)))

    def hint(self, board: Board = "", level: int = 10) -> Iterator[Hint]:
        """Searches the moves of a board with obook's own engine, and yields them best first.

        The book is not used. Each move is searched when it is taken; a high ``level`` (0 to 60) may take hours.
        """
        sql = "SELECT rank, square, score, depth, probability, proven, nodes, line FROM hint(?, ?)"
        return (Hint(*row)._replace(proven=bool(row[5])) for row in self.connection.execute(sql, (board, level)))

    def close(self) -> None:
        """Closes the file. The book can't be used afterwards."""
        self.connection.close()
        if self._tidied is not None:
            _tidy(self._tidied)
        if self._folder is not None:
            self._folder.cleanup()

    def __enter__(self) -> "Book":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open(path: str | PathLike[str]) -> Book:
    """Opens a book for reading. Queries can't change it.

    Without write permission (a read-only share, another user's file) it is read without locks, as a file that nobody
    changes.

    Raises FileNotFoundError; NotABook; PermissionError if there are changes beside the book that can't be read; sqlite3.Error
    if the file can't be read; and CannotLoad if this Python has no way to obook's functions.
    """
    # SQLite keeps its files beside the target of a symbolic link.
    file = Path(path).resolve()
    if not file.exists():
        raise FileNotFoundError(f"{path} does not exist")
    writable = os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)
    uri = f"{file.as_uri()}?mode=ro"
    if not writable and not _is_open(file):
        _refuse_changes_beside(file)
        uri += "&immutable=1"
    tidied = f"{file.as_uri()}?mode=rw" if writable else None
    try:
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            _check(connection, path)
        return Book(connect(uri), os.fspath(path), tidied)
    except BaseException:
        if tidied is not None:
            _tidy(tidied)
        raise


def starter() -> Book:
    """Opens a temporary copy of the starter book, which is inside the program.

    Raises FileNotFoundError if the program is missing, and subprocess.CalledProcessError if it can't write the copy.
    """
    folder = TemporaryDirectory(prefix="obook-")
    places = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)])
    program = shutil.which("obook", path=places)
    if program is None:
        raise FileNotFoundError(f"the program obook is not in {places}")
    file = Path(folder.name, "starter.obook")
    subprocess.run([program, "import", "starter", "--book", file], check=True, stdout=subprocess.DEVNULL)
    book = open(file)
    book._name, book._folder = "starter", folder
    return book


def _beside(file: Path, end: str) -> Path:
    return file.with_name(file.name + end)


def _is_open(file: Path) -> bool:
    """Whether a process with write permission has the book open, and so made the files that a reader needs."""
    return _beside(file, "-wal").exists() and _beside(file, "-shm").exists()


def _refuse_changes_beside(file: Path) -> None:
    for journal in (_beside(file, "-wal"), _beside(file, "-journal")):
        if journal.exists() and journal.stat().st_size > 0:
            raise PermissionError(
                f"{journal} contains changes of {file}, and can't be read without writing there: copy both files to a folder of"
                " your own, or let someone with write permission open the book once"
            )


def _tidy(uri: str) -> None:
    """Removes the files that SQLite made for a reader. SQLite does this when the last connection with write permission closes."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(uri, uri=True, timeout=0)) as connection:
        connection.execute("PRAGMA application_id").fetchone()


def _check(connection: sqlite3.Connection, path: str | PathLike[str]) -> None:
    try:
        found: int = connection.execute("PRAGMA application_id").fetchone()[0]
    except sqlite3.DatabaseError as problem:
        if getattr(problem, "sqlite_errorname", "SQLITE_NOTADB") != "SQLITE_NOTADB":
            raise
        raise NotABook(
            f"{path} is not a database. For a book of Edax or Egaroucid, `obook import {path} --book NEW.obook` makes one"
        ) from problem
    if found != APPLICATION_ID:
        raise NotABook(f"{path} is a database, but not one of obook's")
