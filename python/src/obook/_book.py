"""Books: read through SQLite, changed by the program."""

import os
import re
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from html import escape
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from weakref import WeakSet

from . import _drawing, _program
from ._library import Connection, connect
from ._program import Error, Option, Progress, Report, Value, follow, run

if TYPE_CHECKING:
    import pandas
    import polars

# SQLite's application ID of obook's databases: "obok".
APPLICATION_ID = 0x6F626F6B
SHOGI = 0x6F626F73

Board = str | bytes


class NotABook(ValueError):
    """The file is not a book."""


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
    """The loss of this move against the best one, in discs."""
    loss: int
    """The loss of the whole line."""
    level: int | None


class Reason(NamedTuple):
    """A part of the explanation of a position's value. Fields that don't apply to its role are None."""

    role: str
    """The part that it plays: see the documentation of the table ``why``."""
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


@dataclass(frozen=True, slots=True)
class Position:
    """A board's entry in a book. Scores are discs for the side to move. Fields that the book lacks are None."""

    board: bytes
    """The key of the board: 16 bytes."""
    empties: int
    """Empty squares."""
    value: int | None
    """The score of the best move."""
    lower: int | None
    """The value is at least this, allowing for errors of the searches below,"""
    upper: int | None
    """and at most this."""
    level: int | None
    """Level of the search behind the value, on its engine's scale."""
    engine: str | None
    """Whose search it is."""
    lines: int | None
    """All lines below."""
    diagram: str = field(repr=False)
    """The board as `Book.show` draws it."""
    moves: list[Move] = field(repr=False)
    """The legal moves, best first, in the orientation of the board that was asked about."""

    def _repr_html_(self) -> str:
        value = "no value" if self.value is None else f"{self.value:+}"
        return _drawing.page(self.diagram, self.moves, f"{value}, level {self.level} of {self.engine}")


class Rows(Iterator[dict[str, Any]]):
    """The rows of an answer, each a dict from column names to values. They are read from the database one by one."""

    columns: list[str]

    def __init__(self, cursor: sqlite3.Cursor) -> None:
        self._cursor = cursor
        self.columns = [column[0] for column in cursor.description or ()]

    def __repr__(self) -> str:
        return f"<obook.Rows: {', '.join(self.columns)}>"

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
    """A book; ``with obook.open(path) as book`` closes it.

    It is asked like a dict from boards to positions: ``len(book)``, ``board in book``, ``book[board]``, and a loop over its keys.

    >>> import obook
    >>> with obook.open("games.obook") as book:
    ...     len(book), "f5d6" in book, book["f5d6"].value
    (2247, True, 1)

    Any number of threads may use it at the same time. An illegal board raises ValueError.

    Methods that change the book or read all of it run the program. They take the options of the command of the same name as keywords,
    as `obook.run` does, return its report, and raise `obook.Error`. The book shows each change at once.
    """

    path: str
    """The path that was opened."""

    def __init__(self, uri: str, path: str, name: str, tidied: str | None, folder: TemporaryDirectory[str] | None) -> None:
        self.path = path
        self._uri = uri
        self._name = name
        self._tidied = tidied
        # Of a temporary book, which is removed with it.
        self._folder = folder
        self._lock = threading.Lock()
        self._is_open = True
        self._of_thread = threading.local()
        # Those of threads that have ended are closed and gone.
        self._connections: WeakSet[Connection] = WeakSet()
        self._connect()

    @property
    def connection(self) -> sqlite3.Connection:
        """For everything else: a read-only connection with all of obook's functions and tables. Each thread has its own."""
        try:
            connection: Connection = self._of_thread.connection
        except AttributeError:
            connection = self._connect()
        return connection

    def _connect(self) -> Connection:
        with self._lock:
            if not self._is_open:
                raise sqlite3.ProgrammingError("the book is closed")
            connection = connect(self._uri)
            self._connections.add(connection)
        self._of_thread.connection = connection
        return connection

    def _ask(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
        """Runs SQL that only the board can make wrong."""
        try:
            return self.connection.execute(sql, parameters)
        except sqlite3.OperationalError as problem:
            if problem.sqlite_errorcode == sqlite3.SQLITE_ERROR:
                # Without the name of the SQL function.
                raise ValueError(re.sub(r"^\w+: ", "", str(problem))) from None
            raise

    def __repr__(self) -> str:
        return f"<obook.Book {self._name!r}: {self._size()}>"

    def _size(self) -> str:
        try:
            return f"{len(self)} positions"
        except sqlite3.ProgrammingError:
            return "closed"

    def _repr_html_(self) -> str:
        if not self._is_open:
            return escape(repr(self))
        return _drawing.page(self.show(), self.moves(), f"{self._name}: {self._size()}")

    def __len__(self) -> int:
        """Counts the positions."""
        return cast(int, self.connection.execute("SELECT count(*) FROM positions").fetchone()[0])

    def __iter__(self) -> Iterator[bytes]:
        """Yields the keys of all positions, in order."""
        return (board for (board,) in self.connection.execute("SELECT board FROM positions ORDER BY board"))

    def __contains__(self, board: Board) -> bool:
        return self._ask("SELECT 1 FROM positions WHERE board = canonical(?)", board).fetchone() is not None

    def __getitem__(self, board: Board) -> Position:
        """Returns the position of a board. Raises KeyError if the book doesn't have it."""
        position = self.get(board)
        if position is None:
            raise KeyError(board)
        return position

    def get(self, board: Board) -> Position | None:
        """Returns the position of a board; None if the book doesn't have it."""
        sql = """SELECT board, empties, value, lower, upper, level, name, lines, show(?1)
                 FROM positions LEFT JOIN engines ON engines.engine = positions.engine WHERE board = canonical(?1)"""
        row = self._ask(sql, board).fetchone()
        return Position(*[*row, self.moves(board)]) if row else None

    def query(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> Rows:
        """Runs SQL. Raises sqlite3.Error if it is invalid."""
        return Rows(self.connection.execute(sql, parameters))

    def show(self, board: Board = "") -> str:
        """Draws a board with coordinates and legal moves. It need not be in the book."""
        return cast(str, self._ask("SELECT show(?)", board).fetchone()[0])

    def moves(self, board: Board = "") -> list[Move]:
        """Returns the legal moves of a board, best first."""
        return [Move(*row) for row in self._ask("SELECT square, kind, score, level, child FROM moves(?)", board)]

    def line(self, start: Board = "") -> list[Step]:
        """Returns the best play from a board to the end of the book."""
        return [Step(*row) for row in self._ask("SELECT ply, square, kind, score, level, line FROM line(?)", start)]

    def value(self, board: Board = "") -> int | None:
        """Returns the value of a position for the side to move, in discs; None if the book doesn't have it."""
        answer: tuple[int | None] | None = self._ask("SELECT value FROM positions WHERE board = canonical(?)", board).fetchone()
        return answer and answer[0]

    def why(self, board: Board = "") -> list[Reason]:
        """Explains the value of a position: the best line, the leaf that decides, and what would change the value.

        The list is empty if the book doesn't have the position.
        """
        sql = "SELECT role, ply, line, square, kind, score, worse, level, error, shift, value FROM why(?)"
        return [Reason(*row) for row in self._ask(sql, board)]

    def frontier(self, root: Board = "", max_loss: int = 0) -> Iterator[Leaf]:
        """Yields the leaves near best play, least loss first: where the book should grow."""
        sql = "SELECT ply, line, square, score, cost, loss, level FROM frontier(?, ?)"
        return (Leaf(*row) for row in self._ask(sql, root, max_loss))

    def hint(self, board: Board = "", level: int = 10) -> Iterator[Hint]:
        """Searches the moves of a board with obook's own engine, and yields them best first.

        The book is not used. Each move is searched when it is taken; a high ``level`` (0 to 60) may take hours.
        """
        sql = "SELECT rank, square, score, depth, probability, proven, nodes, line FROM hint(?, ?)"
        return (Hint(*row)._replace(proven=bool(row[5])) for row in self._ask(sql, board, level))

    def run(self, command: str, *arguments: Value, **options: Option) -> Any:
        """Runs any command of the program on this book: ``book.run("prune", depth=20, dry_run=True)``."""
        return run(command, self.path, *arguments, **options)

    def merge(self, *sources: _program.Path, **options: Option) -> Report:
        """Merges books of any format into this one: the better search wins."""
        return cast(Report, self.run("merge", *sources, **options))

    def edit(self, board: Board, value: int | None = None, **options: Option) -> Report:
        """Enters a value for a position by hand, in discs for the side to move, or removes it (``remove=True``)."""
        self._ask("SELECT canonical(?)", board)
        moves = board if isinstance(board, str) else board.hex()
        return cast(Report, self.run("edit", moves, value=value, **options))

    def undo(self) -> Report:
        """Undoes the last change."""
        return cast(Report, self.run("undo"))

    def redo(self) -> Report:
        """Redoes the change that was undone last."""
        return cast(Report, self.run("redo"))

    def history(self) -> list[Report]:
        """Returns the changes that were made to this book, oldest first."""
        return cast(list[Report], self.run("history"))

    def learn(self, progress: Progress = lambda report: None, **options: Option) -> Report:
        """Grows the book: chooses positions, searches them, adds the answers. Use ``limit`` or ``time``: it may run for ever.

        ``progress`` is called with a report now and then. Ctrl-C ends the run and keeps its answers.
        """
        return cast(Report, follow(progress, "learn", self.path, **options))

    def fix(self, **options: Option) -> Report:
        """Repairs, links and recomputes the book: all that it needs after a change by other programs."""
        return cast(Report, self.run("fix", **options))

    def verify(self, **options: Option) -> Report:
        """Finds everything wrong with the book: ``findings`` is empty if there is nothing."""
        return cast(Report, self.run("verify", **options))

    def diff(self, other: "_program.Path | Book", **options: Option) -> Report:
        """Compares this book with another one."""
        return cast(Report, self.run("diff", other.path if isinstance(other, Book) else other, **options))

    def export(self, file: _program.Path, **options: Option) -> Report:
        """Writes the book for an engine; the ending of the file's name, or ``format``, says for which one."""
        return cast(Report, self.run("export", file, **options))

    def close(self) -> None:
        """Closes the file. The book can't be used afterwards, and no thread may be using it."""
        with self._lock:
            self._is_open = False
            for connection in self._connections:
                connection.close()
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
    """Opens a book of any format: a database, or a file of Edax, Egaroucid, NTest, Zebra or Othello Sensei.

    >>> import obook
    >>> with obook.open("games.dat") as book:
    ...     book.value("f5d6")
    1

    A file is imported into a temporary database; what changes books refuses it. `import_book` makes a database that stays.

    Without write permission (a read-only share, another user's file) a database is read without locks, as a file that nobody
    changes.

    Raises FileNotFoundError; NotABook; PermissionError if there are changes beside the book that can't be read; sqlite3.Error
    if the file can't be read; and CannotLoad if this Python has no way to obook's functions.
    """
    name = os.fspath(path)
    # SQLite keeps its files beside the target of a symbolic link.
    file = Path(path).resolve()
    if not file.exists():
        raise FileNotFoundError(f"{path} does not exist")
    absolute = str(Path(path).absolute())
    return _open(file, absolute, name) if _is_database(file) else _imported(absolute, name)


def starter() -> Book:
    """Opens the starter book, which is inside the program.

    Raises FileNotFoundError if the program is missing, and Error if it can't write a temporary copy.
    """
    return _imported("starter", "starter")


def import_book(*files: _program.Path, book: _program.Path, **options: Option) -> Book:
    """Imports book files of any format into a database, and opens it. The first one creates it; of several, the better search wins.

    >>> import obook
    >>> with obook.import_book("games.dat", book="mine.obook") as book:
    ...     book
    <obook.Book 'mine.obook': 2247 positions>

    Options are those of ``obook import``. Raises Error.
    """
    run("import", *files, book=book, **options)
    return open(book)


def convert(source: _program.Path, target: _program.Path, **options: Option) -> Report:
    """Converts a book from one format to another, without a database. Options are those of ``obook convert``.

    >>> import obook
    >>> obook.convert("games.dat", "games.egbk3", force=True)["losses"]
    {'header': 1}
    """
    return cast(Report, run("convert", source, target, **options))


def _is_database(file: Path) -> bool:
    if not file.is_file():
        return False
    with file.open("rb") as content:
        return content.read(16) == b"SQLite format 3\0"


def _imported(source: str, name: str) -> Book:
    """Opens a temporary database with the positions of a book file."""
    folder = TemporaryDirectory(prefix="obook-")
    file = Path(folder.name, "book.obook").resolve()
    try:
        run("import", source, book=file)
        return _open(file, source, name, folder)
    except BaseException as problem:
        folder.cleanup()
        if isinstance(problem, Error):
            raise NotABook(*problem.args) from None
        raise


def _open(file: Path, path: str, name: str, folder: TemporaryDirectory[str] | None = None) -> Book:
    """Opens a database."""
    writable = os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)
    uri = f"{file.as_uri()}?mode=ro"
    if not writable and not _is_open(file):
        _refuse_changes_beside(file)
        uri += "&immutable=1"
    tidied = f"{file.as_uri()}?mode=rw" if writable else None
    try:
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            _check(connection, path)
        return Book(uri, path, name, tidied, folder)
    except BaseException:
        if tidied is not None:
            _tidy(tidied)
        raise


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


def _check(connection: sqlite3.Connection, path: str) -> None:
    found: int = connection.execute("PRAGMA application_id").fetchone()[0]
    if found == SHOGI:
        raise NotABook(f"{path} is a book of shogi: obook.run('shogi info', {path!r}) and other commands read it")
    if found != APPLICATION_ID:
        raise NotABook(f"{path} is a database, but not one of obook's")
