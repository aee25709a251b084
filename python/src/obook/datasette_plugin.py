"""Adds obook's functions to Datasette, and example questions and drawn boards to each book."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from datasette import hookimpl
from datasette.utils.sqlite import sqlite3

from ._book import APPLICATION_ID
from ._library import can_load, every_new_connection, load

_SETTINGS = json.loads((Path(__file__).parent / "datasette.json").read_text())

# Visitors may be strangers, so the tables of book files are left out.
if not can_load(sqlite3.connect(":memory:")):
    # Kept alive, because leaving the context removes the functions.
    _as_long_as_this_runs = every_new_connection(files=False)
    _as_long_as_this_runs.__enter__()


@hookimpl  # type: ignore[untyped-decorator]
def prepare_connection(conn: Any) -> None:
    if can_load(conn):
        load(conn, files=False)


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
