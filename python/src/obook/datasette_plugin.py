"""Gives obook's functions to Datasette, and each book a few questions and boards that are drawn as such."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from datasette import hookimpl
from datasette.utils.sqlite import sqlite3

from ._book import APPLICATION_ID
from ._library import can_load, every_new_connection, load

_SETTINGS = json.loads((Path(__file__).parent / "datasette.json").read_text())

# Whoever asks may be a stranger, who is to read no files: the tables of book files stay out.
if not can_load(sqlite3.connect(":memory:")):
    # Kept, since the end of it takes the functions away again.
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
