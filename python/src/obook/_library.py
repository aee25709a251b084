"""How SQLite gets at the library with obook's functions."""

import ctypes
import platform
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_SUFFIX = {"Darwin": ".dylib", "Windows": ".dll"}.get(platform.system(), ".so")
_PREFIX = "" if platform.system() == "Windows" else "lib"
LIBRARY = Path(__file__).parent / f"{_PREFIX}obook_extension{_SUFFIX}"


class CannotLoad(RuntimeError):
    """This Python has no way to give a connection obook's functions."""


def _entry_point(files: bool) -> str:
    return "sqlite3_obookextension_init" if files else "sqlite3_obook_without_files_init"


def can_load(connection: Any) -> bool:
    """Whether the connection's module was built to load extensions."""
    return hasattr(connection, "enable_load_extension")


def load(connection: Any, *, files: bool = True) -> None:
    """Gives a connection of ``sqlite3``, or of a module like it, the functions and tables of obook.

    Without ``files`` the tables that read book files stay out: for connections whose SQL comes from strangers.

    Raises CannotLoad where Python was built without loading of extensions.
    """
    if not can_load(connection):
        raise CannotLoad(
            "this Python's sqlite3 was built without loading of extensions: obook.open() works without, and so do the"
            " connections of pysqlite3 (pip install pysqlite3-binary)"
        )
    if connection.execute("SELECT 1 FROM pragma_module_list WHERE name = ?", ("edax" if files else "tree",)).fetchone():
        return  # it has them, and SQLite gives nothing anew while a statement runs, as it does below
    connection.enable_load_extension(True)
    try:
        if files:
            connection.load_extension(str(LIBRARY))
        else:  # before Python 3.12 load_extension() takes no entry point
            connection.execute("SELECT load_extension(?, ?)", (str(LIBRARY), _entry_point(files)))
    finally:
        connection.enable_load_extension(False)


def connect(uri: str) -> sqlite3.Connection:
    """A connection with all functions and tables, whether or not Python can load extensions."""
    connection = sqlite3.connect(uri, uri=True)
    try:
        if can_load(connection):
            load(connection)
            return connection
    except BaseException:
        connection.close()
        raise
    connection.close()
    with every_new_connection():
        return sqlite3.connect(uri, uri=True)


@contextmanager
def every_new_connection(*, files: bool = True) -> Iterator[None]:
    """Has SQLite itself give the functions to all connections that are opened meanwhile, of any thread.

    Python can be built without the loading of extensions; the SQLite that it stands on has it all the same.
    """
    sqlite = _own_sqlite()
    extension = ctypes.CDLL(str(LIBRARY))
    entry_point = ctypes.cast(getattr(extension, _entry_point(files)), ctypes.c_void_p)
    if sqlite.sqlite3_auto_extension(entry_point) != 0:
        raise CannotLoad("SQLite takes no functions for all connections")
    try:
        yield
    finally:
        sqlite.sqlite3_cancel_auto_extension(entry_point)


def _own_sqlite() -> ctypes.CDLL:
    """The SQLite that Python's module is linked to."""
    try:
        import _sqlite3

        # A name is looked up in a library and in all that it is linked to.
        sqlite = ctypes.CDLL(_sqlite3.__file__)
        for function in (sqlite.sqlite3_auto_extension, sqlite.sqlite3_cancel_auto_extension):
            function.argtypes = [ctypes.c_void_p]
    except (AttributeError, ImportError, OSError) as problem:
        raise CannotLoad(
            "this Python's sqlite3 was built without loading of extensions, and hides the SQLite in it: use another Python,"
            " or obook.load() with a connection of pysqlite3 (pip install pysqlite3-binary)"
        ) from problem
    return sqlite
