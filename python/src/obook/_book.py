"""A book that is open for reading."""

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from ._library import connect

if TYPE_CHECKING:
    import pandas
    import polars

# The number by which SQLite knows whose database a file is: "obok".
APPLICATION_ID = 0x6F626F6B

Board = str | bytes


class NotABook(ValueError):
    """The file is no database of obook's."""


class Move(NamedTuple):
    """A legal move: of the book, or one that the book says nothing about."""

    square: str
    """Its name as seen on the board that was asked for: ``"f5"``, ``"pa"`` for a pass."""
    kind: str | None
    """``"link"`` stays in the book, ``"leaf"`` leads out of it; None: the book does not know the move."""
    score: int | None
    """Discs for the side that makes the move, -64 to 64."""
    level: int | None
    """Level of the search behind the score, on its engine's scale."""
    child: bytes
    """The key of the board that it leads to: 16 bytes."""


class Step(NamedTuple):
    """A move of the best line."""

    ply: int
    square: str
    kind: str
    score: int | None
    level: int | None
    line: str
    """The moves up to and with this one."""


class Rows(Iterator[dict[str, Any]]):
    """The rows of an answer, read as they are taken: each a dict from the names of the columns to what is in them."""

    columns: list[str]

    def __init__(self, cursor: sqlite3.Cursor) -> None:
        self._cursor = cursor
        self.columns = [column[0] for column in cursor.description or ()]

    def __next__(self) -> dict[str, Any]:
        return dict(zip(self.columns, next(self._cursor)))

    def to_pandas(self) -> "pandas.DataFrame":
        """What is left of the rows, as a table of pandas, which has to be installed."""
        import pandas

        return pandas.DataFrame(self._cursor.fetchall(), columns=self.columns)

    def to_polars(self) -> "polars.DataFrame":
        """What is left of the rows, as a table of polars, which has to be installed."""
        import polars

        rows = self._cursor.fetchall()
        return polars.DataFrame(rows, schema=self.columns, orient="row", infer_schema_length=None)


class Book:
    """A book; ``with obook.open(path) as book`` closes it."""

    connection: sqlite3.Connection
    """For everything else: it reads only, and has all functions and tables of obook."""

    def __init__(self, connection: sqlite3.Connection, tidied: str | None = None) -> None:
        self.connection = connection
        self._tidied = tidied

    def query(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> Rows:
        """Asks in SQL. Raises sqlite3.Error where that makes no sense."""
        return Rows(self.connection.execute(sql, parameters))

    def show(self, board: Board = "") -> str:
        """Draws a board, with coordinates and its legal moves. It need not be in the book."""
        drawing: str = self.connection.execute("SELECT show(?)", (board,)).fetchone()[0]
        return drawing

    def moves(self, board: Board = "") -> list[Move]:
        """The legal moves of a board, the best first."""
        sql = "SELECT square, kind, score, level, child FROM moves(?)"
        return [Move(*row) for row in self.connection.execute(sql, (board,))]

    def line(self, start: Board = "") -> list[Step]:
        """The best play from a board to the end of the book."""
        sql = "SELECT ply, square, kind, score, level, line FROM line(?)"
        return [Step(*row) for row in self.connection.execute(sql, (start,))]

    def close(self) -> None:
        """Closes the file; nothing can be asked afterwards."""
        self.connection.close()
        if self._tidied is not None:
            _tidy(self._tidied)

    def __enter__(self) -> "Book":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open(path: str | PathLike[str]) -> Book:
    """Opens a book to read it. Nothing that is asked of it can change it.

    Where one may not write (a read-only share, a file of another user) it is read without locks, as a file that nobody
    changes.

    Raises FileNotFoundError, PermissionError where changes lie beside a book that can't be read, NotABook, sqlite3.Error where the file can't be read, and CannotLoad where this Python has no
    way to obook's functions.
    """
    # SQLite keeps its files beside what a link leads to.
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
        return Book(connect(uri), tidied)
    except BaseException:
        if tidied is not None:
            _tidy(tidied)
        raise


def _beside(file: Path, end: str) -> Path:
    return file.with_name(file.name + end)


def _is_open(file: Path) -> bool:
    """Whether all is there that a reader needs and can't make: somebody who may write has the book open."""
    return _beside(file, "-wal").exists() and _beside(file, "-shm").exists()


def _refuse_changes_beside(file: Path) -> None:
    for journal in (_beside(file, "-wal"), _beside(file, "-journal")):
        if journal.exists() and journal.stat().st_size > 0:
            raise PermissionError(
                f"changes of {file} lie in {journal}, which can't be read without writing there: copy both files to a folder of"
                " your own, or let someone who may write there open the book once"
            )


def _tidy(uri: str) -> None:
    """Removes the files that a reader had SQLite make: only who may write does, when it is the last to close the book."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(uri, uri=True, timeout=0)) as connection:
        connection.execute("PRAGMA application_id").fetchone()


def _check(connection: sqlite3.Connection, path: str | PathLike[str]) -> None:
    try:
        found: int = connection.execute("PRAGMA application_id").fetchone()[0]
    except sqlite3.DatabaseError as problem:
        if getattr(problem, "sqlite_errorname", "SQLITE_NOTADB") != "SQLITE_NOTADB":
            raise
        raise NotABook(
            f"{path} is no database: of a book of Edax or Egaroucid, `obook import {path} --book NEW.obook` makes one"
        ) from problem
    if found != APPLICATION_ID:
        raise NotABook(f"{path} is a database, but none of obook's")
