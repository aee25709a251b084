"""Loads the library with obook's functions into SQLite."""

import ctypes
import platform
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any

_SUFFIX = {"Darwin": ".dylib", "Windows": ".dll"}.get(platform.system(), ".so")
_PREFIX = "" if platform.system() == "Windows" else "lib"
LIBRARY = Path(__file__).parent / f"{_PREFIX}obook_sql{_SUFFIX}"


class CannotLoad(RuntimeError):
    """This Python has no way to add obook's functions to a connection."""


def _entry_point(files: bool) -> str:
    return "sqlite3_obooksql_init" if files else "sqlite3_obook_without_files_init"


def can_load(connection: Any) -> bool:
    """Whether the connection's module was built to load extensions."""
    return hasattr(connection, "enable_load_extension")


def load(connection: Any, *, files: bool = True) -> None:
    """Adds obook's functions and tables to a connection of ``sqlite3`` or a compatible module.

    Use ``files=False`` for SQL from strangers: it leaves out the tables that read book files.

    Raises CannotLoad if Python was built without extension loading.
    """
    if not can_load(connection):
        raise CannotLoad(
            "this Python's sqlite3 was built without extension loading: obook.open() works without it, and so do connections"
            " of pysqlite3 (pip install pysqlite3-binary)"
        )
    if connection.execute("SELECT 1 FROM pragma_module_list WHERE name = ?", ("edax" if files else "tree",)).fetchone():
        return  # they are loaded, and SQLite can't load them again while a statement runs, as below
    connection.enable_load_extension(True)
    try:
        if files:
            connection.load_extension(str(LIBRARY))
        else:  # before Python 3.12, load_extension() has no entry point
            connection.execute("SELECT load_extension(?, ?)", (str(LIBRARY), _entry_point(files)))
    finally:
        connection.enable_load_extension(False)


class Connection(sqlite3.Connection):
    """A connection that closes itself, because the thread that it belongs to may end before its book is closed."""

    def __del__(self) -> None:
        with suppress(sqlite3.ProgrammingError):  # it was never opened
            self.close()


def connect(uri: str) -> Connection:
    """Returns a connection with all functions and tables, whether or not Python can load extensions. Any thread may close it."""
    connection = _connect(uri)
    try:
        if can_load(connection):
            load(connection)
            return connection
    except BaseException:
        connection.close()
        raise
    connection.close()
    with _ALONE, every_new_connection():
        return _connect(uri)


_ALONE = Lock()
"""The first of two threads to leave the context would take the functions from the other."""


def _connect(uri: str) -> Connection:
    return sqlite3.connect(uri, uri=True, check_same_thread=False, factory=Connection)


@contextmanager
def every_new_connection(*, files: bool = True) -> Iterator[None]:
    """Lets SQLite itself add the functions to all connections opened in this context, by any thread.

    This works even if Python was built without extension loading, because its SQLite supports it.
    """
    sqlite = _own_sqlite()
    extension = ctypes.CDLL(str(LIBRARY))
    entry_point = ctypes.cast(getattr(extension, _entry_point(files)), ctypes.c_void_p)
    if sqlite.sqlite3_auto_extension(entry_point) != 0:
        raise CannotLoad("SQLite can't add functions to all connections")
    try:
        yield
    finally:
        sqlite.sqlite3_cancel_auto_extension(entry_point)


def _own_sqlite() -> ctypes.CDLL:
    """Returns the SQLite library that Python's module is linked to."""
    try:
        import _sqlite3

        # Names are looked up in a library and in all libraries that it is linked to.
        sqlite = ctypes.CDLL(_sqlite3.__file__)
        for function in (sqlite.sqlite3_auto_extension, sqlite.sqlite3_cancel_auto_extension):
            function.argtypes = [ctypes.c_void_p]
    except (AttributeError, ImportError, OSError) as problem:
        raise CannotLoad(
            "this Python's sqlite3 was built without extension loading, and its SQLite can't be found: use another Python, or"
            " obook.load() with a connection of pysqlite3 (pip install pysqlite3-binary)"
        ) from problem
    return sqlite
