"""The views of a book in programs without obook's functions."""

import re
import sqlite3
from pathlib import Path

import duckdb
import duckdb_extension_sqlite_scanner
import sqlite_utils
from support import ROOT, WithBook

VIEWS = {"grades", "levels", "readable_games", "readable_moves", "readable_positions", "waiting"}


def duckdb_reader(connection: duckdb.DuckDBPyConnection) -> None:
    """Installs DuckDB's SQLite extension from a package instead of the network."""
    folder = Path(duckdb_extension_sqlite_scanner.__path__[0])
    (reader,) = folder.rglob("*.duckdb_extension")
    connection.execute(f"LOAD '{reader}'")


def duckdb_with(book: str) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    duckdb_reader(connection)
    connection.execute(f"ATTACH '{book}' AS book (TYPE sqlite, READ_ONLY)")
    return connection


class Views(WithBook):
    def setUp(self) -> None:
        sqlite = sqlite3.connect(self.book)
        self.addCleanup(sqlite.close)
        names = sqlite.execute("SELECT name FROM sqlite_schema WHERE type = 'view'")
        self.assertEqual({name for (name,) in names}, VIEWS)
        # Types matter: 1.0 and '1' are not 1.
        self.expected = {view: sorted(map(repr, sqlite.execute(f"SELECT * FROM {view}"))) for view in VIEWS}
        self.assertTrue(all(self.expected.values()), "every view has rows")

    def test_duckdb_reads_them(self) -> None:
        connection = duckdb_with(self.book)
        for view, expected in self.expected.items():
            with self.subTest(view):
                rows = connection.execute(f"SELECT * FROM book.{view}").fetchall()
                self.assertEqual(sorted(map(repr, rows)), expected)
                count = connection.execute(f"SELECT count(*) FROM book.{view}").fetchall()
                self.assertEqual(count, [(len(expected),)])
        kinds = connection.execute("SELECT kind, count(*) FROM book.readable_moves GROUP BY kind ORDER BY kind").fetchall()
        self.assertEqual(kinds, [("leaf", 2214), ("link", 2252)])

    def test_duckdb_reads_the_tables(self) -> None:
        connection = duckdb_with(self.book)
        sql = "SELECT name FROM sqlite_schema WHERE type = 'table'"
        sqlite = sqlite3.connect(self.book)
        self.addCleanup(sqlite.close)
        for (table,) in sqlite.execute(sql).fetchall():
            with self.subTest(table):
                expected = sorted(map(repr, sqlite.execute(f"SELECT * FROM {table}")))
                rows = connection.execute(f"SELECT * FROM book.{table}").fetchall()
                self.assertEqual(sorted(map(repr, rows)), expected)

    def test_duckdb_answers_as_documented(self) -> None:
        connection = duckdb_with(self.book)
        self.assertEqual(connection.execute("SELECT count(board) FROM book.positions").fetchone(), (2247,))
        with self.assertRaisesRegex(duckdb.Error, "no such column: ROWID"):  # as the documentation says
            connection.execute("SELECT count(*) FROM book.positions")
        connection = duckdb.connect()
        duckdb_reader(connection)
        text = (ROOT / "docs/functions.md").read_text()
        (documented,) = re.findall(r"```sql\n(ATTACH .*?)```", text, re.DOTALL)
        rows = connection.execute(documented.replace("games.obook", self.book)).fetchall()
        self.assertEqual(len(rows), 3)

    def test_sqlite_utils_reads_them(self) -> None:
        database = sqlite_utils.Database(self.book)
        self.addCleanup(database.close)
        self.assertEqual(set(database.view_names()), VIEWS)
        for view, expected in self.expected.items():
            rows = [tuple(row.values()) for row in database[view].rows]
            self.assertEqual(sorted(map(repr, rows)), expected, view)
