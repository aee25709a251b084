"""Adds obook's functions to Datasette, example questions and drawn boards to each book, and limits to what a query may cost."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from datasette import Response, hookimpl
from datasette.utils.sqlite import sqlite3

from ._book import APPLICATION_ID
from ._library import can_load, every_new_connection, load

_SETTINGS = json.loads((Path(__file__).parent / "datasette.json").read_text())

# Visitors may be strangers, so the tables of book files are left out.
if not can_load(sqlite3.connect(":memory:")):
    # Kept alive, because leaving the context removes the functions.
    _as_long_as_this_runs = every_new_connection(files=False)
    _as_long_as_this_runs.__enter__()


# Limits that Datasette lacks. A host sets others in its configuration: {"plugins": {"obook": {"max_answer_mb": 100}}}
_LIMITS = {"max_memory_mb": 256, "max_answer_mb": 16}
_MB = 1_000_000


@hookimpl  # type: ignore[untyped-decorator]
def prepare_connection(conn: Any, datasette: Any) -> None:
    if can_load(conn):
        load(conn, files=False)
    limits = _LIMITS | (datasette.plugin_config("obook") or {})
    conn.execute(f"PRAGMA hard_heap_limit = {int(limits['max_memory_mb'] * _MB)}")
    # Sorted and grouped rows count as memory too, instead of filling the disk.
    conn.execute("PRAGMA temp_store = MEMORY")
    conn.row_factory = _measured(conn.row_factory, int(limits["max_answer_mb"] * _MB))


def _measured(make_row: Callable[[Any, Any], Any], most: int) -> Callable[[Any, Any], Any]:
    """Makes rows until an answer has more than this many bytes or characters."""
    sizes: WeakKeyDictionary[Any, int] = WeakKeyDictionary()

    def row(cursor: Any, values: Any) -> Any:
        size = sizes.get(cursor, 0) + sum(len(value) for value in values if isinstance(value, (str, bytes)))
        if size > most:
            raise sqlite3.OperationalError(f"the answer is longer than {most / _MB:g} MB (max_answer_mb)")
        sizes[cursor] = size
        return make_row(cursor, values)

    return row


@hookimpl  # type: ignore[untyped-decorator]
def handle_exception(request: Any, exception: Exception) -> Any:
    if not isinstance(exception, MemoryError):
        return None
    problem = "the query needs more memory than max_memory_mb allows"
    if request.path.endswith(".json"):
        return Response.json({"ok": False, "error": problem, "status": 400}, status=400)
    return Response.text(problem, status=400)


@hookimpl  # type: ignore[untyped-decorator]
def canned_queries(datasette: Any, database: str) -> Callable[[], Awaitable[dict[str, Any]]]:
    async def queries() -> dict[str, Any]:
        answer = await datasette.get_database(database).execute("PRAGMA application_id")
        is_book = answer.single_value() == APPLICATION_ID
        return _SETTINGS["databases"]["games"]["queries"] if is_book else {}

    return queries


@hookimpl  # type: ignore[untyped-decorator]
def extra_css_urls() -> list[str]:
    urls: list[str] = _SETTINGS["extra_css_urls"]
    return urls
