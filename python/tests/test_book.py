"""The installed package's own functions."""

import contextlib
import shutil
import sqlite3
import subprocess
import sys
import unittest
from importlib.metadata import distribution
from pathlib import Path

import obook
from obook import _library
from support import ROOT, WithBook, write_protected


class Asking(WithBook):
    def test_moves_and_lines_are_those_of_the_functions(self) -> None:
        with obook.open(self.book) as book:
            moves = book.moves("f5d6")
            self.assertEqual([(move.square, move.kind, move.score) for move in moves][:2], [("c5", "link", 1), ("c4", "link", 0)])
            self.assertEqual(len(moves[0].child), 16)
            self.assertEqual(book.moves(moves[0].child), book.moves(moves[0].child.hex()))
            line = book.line("f5")
            self.assertEqual((line[0].line, line[-1].kind), ("f5" + line[0].square, "leaf"))
            self.assertEqual(len(book.show("f5").splitlines()), 10)
            self.assertEqual(book.show(), book.show(""))

    def test_values_reasons_and_leaves_are_those_of_the_book(self) -> None:
        with obook.open(self.book) as book:
            outside = next(move.child for move in book.moves("f5d6c5b4d7") if move.kind is None)
            self.assertEqual([book.value("f5d6"), book.value("f5d6c5"), book.value(outside)], [1, -1, None])
            reasons = book.why("f5d6")
            roles = [(reason.role, reason.line) for reason in reasons]
            self.assertEqual(roles[:3], [("line", "f5d6c5"), ("line", "f5d6c5b4"), ("decides", "f5d6c5b4d7")])
            self.assertIn(("beside", "f5d6c7"), roles)
            leaves = list(book.frontier("f5d6"))
            self.assertEqual((leaves[0].line, leaves[0].score, leaves[0].loss), ("f5d6c5b4d7", 1, 0))
            self.assertTrue(all(leaf.loss == 0 for leaf in leaves))
            self.assertEqual(book.why(outside), [])

    def test_moves_are_searched_as_they_are_taken(self) -> None:
        with obook.open(self.book) as book:
            best = next(book.hint("f5d6", 4))
            self.assertEqual([best.rank, best.depth, best.probability, best.proven], [1, 4, 100, False])
            self.assertEqual(best.line[:2], best.square)
            # One empty square is left: the result is exact.
            solved = list(book.hint("X" * 62 + "O- X", 1))
            self.assertEqual([(hint.square, hint.score, hint.proven) for hint in solved], [("h8", 64, True)])

    def test_a_book_says_what_it_is(self) -> None:
        with obook.open(self.book) as book:
            self.assertEqual(repr(book), f"<obook.Book {self.book!r}: 2247 positions>")
        self.assertEqual(repr(book), f"<obook.Book {self.book!r}: closed>")

    def test_the_starter_book_is_at_hand(self) -> None:
        with obook.starter() as book:
            file = Path(book.connection.execute("PRAGMA database_list").fetchone()[2])
            self.assertTrue(file.exists())
            self.assertRegex(repr(book), r"^<obook.Book 'starter': [1-9]\d{4} positions>$")
            # All first moves are equal.
            self.assertEqual(len({move.score for move in book.moves()}), 1)
            self.assertGreater(len(book.line()), 10)
        self.assertFalse(file.parent.exists())

    def test_rows_come_as_dicts_as_they_are_taken(self) -> None:
        with obook.open(Path(self.book)) as book:
            sql = "SELECT empties, count(*) AS positions FROM positions WHERE empties > :most GROUP BY empties ORDER BY 1"
            rows = book.query(sql, {"most": 57})
            self.assertEqual(rows.columns, ["empties", "positions"])
            self.assertEqual(next(rows), {"empties": 58, "positions": 3})
            self.assertEqual(list(rows), [{"empties": 59, "positions": 1}, {"empties": 60, "positions": 1}])
            self.assertEqual(list(book.query("SELECT square(?) AS s", [37])), [{"s": "f5"}])

    def test_nothing_is_left_beside_a_book(self) -> None:
        before = sorted(self.folder.iterdir())
        with obook.open(self.book) as book:
            self.assertEqual(len(book.moves()), 4)
        self.assertEqual(sorted(self.folder.iterdir()), before)
        with self.assertRaises(obook.NotABook):
            obook.open(self.folder / "games.dat")
        self.assertEqual(sorted(self.folder.iterdir()), before)

    def test_a_write_protected_book_is_read(self) -> None:
        shelf = self.folder / "a shelf"
        shelf.mkdir()
        book = Path(shutil.copy(self.book, shelf / "100%?.obook"))
        with write_protected(shelf):
            with obook.open(book) as opened:
                self.assertEqual(len(opened.moves()), 4)
            self.assertEqual(list(shelf.iterdir()), [book])
        journal = shelf / "100%?.obook-wal"
        journal.write_bytes(b"changes")
        with write_protected(shelf), self.assertRaisesRegex(PermissionError, "copy both files"):
            obook.open(book)
        shutil.rmtree(shelf)

    def test_rows_become_tables_of_pandas_and_polars(self) -> None:
        sql = "SELECT empties, value, unsearched FROM positions ORDER BY board"
        with obook.open(self.book) as book:
            expected = [tuple(row.values()) for row in book.query(sql)]
            self.assertEqual(len(expected), 2247)
            pandas, polars = book.query(sql).to_pandas(), book.query(sql).to_polars()
            self.assertEqual(list(pandas["value"]), [row[1] for row in expected])
            self.assertEqual(polars.rows(), expected)
            nothing = "SELECT empties FROM positions WHERE 0"
            self.assertEqual(list(book.query(nothing).to_pandas().columns), ["empties"])
            self.assertEqual(book.query(nothing).to_polars().columns, ["empties"])

    def test_nothing_is_written(self) -> None:
        before = Path(self.book).read_bytes()
        with obook.open(self.book) as book:
            with self.assertRaises(sqlite3.OperationalError):
                book.query("DELETE FROM positions")
        self.assertEqual(Path(self.book).read_bytes(), before)


class WhatIsNoBook(WithBook):
    def test_it_is_said_what_a_file_is(self) -> None:
        with self.assertRaisesRegex(FileNotFoundError, "nowhere.obook does not exist"):
            obook.open("nowhere.obook")
        with self.assertRaisesRegex(obook.NotABook, "obook import .*games.dat --book NEW.obook"):
            obook.open(self.folder / "games.dat")
        other = self.folder / "other.db"
        with contextlib.closing(sqlite3.connect(other)) as connection:
            connection.execute("CREATE TABLE notes (note)")
        with self.assertRaisesRegex(obook.NotABook, "a database, but not one of obook's"):
            obook.open(other)
        with obook.open(self.book) as book, self.assertRaisesRegex(sqlite3.OperationalError, "a1, is not legal"):
            book.moves("a1")


class Loading(WithBook):
    """Both ways to the functions, and the error if there is none."""

    SQL = "SELECT square FROM moves('f5d6') WHERE kind = 'link'"

    @unittest.skipUnless(_library.can_load(sqlite3.connect(":memory:")), "this Python can't load extensions")
    def test_any_connection_loads_the_functions(self) -> None:
        with contextlib.closing(sqlite3.connect(self.book)) as connection:
            obook.load(connection)
            self.assertEqual(connection.execute(self.SQL).fetchone(), ("c5",))
            with self.assertRaisesRegex(sqlite3.OperationalError, "not authorized"):
                connection.execute("SELECT load_extension('elsewhere')")
        with contextlib.closing(sqlite3.connect(self.book)) as connection:
            for _ in range(2):
                obook.load(connection, files=False)
            self.assertEqual(connection.execute(self.SQL).fetchone(), ("c5",))
            with self.assertRaisesRegex(sqlite3.OperationalError, "no such table: edax"):
                connection.execute("SELECT * FROM edax('games.dat')")
            obook.load(connection)
            self.assertEqual(connection.execute("SELECT 1 FROM pragma_module_list WHERE name = 'edax'").fetchone(), (1,))

    def test_a_python_without_loading_has_them_by_sqlite_itself(self) -> None:
        # In a separate process, because in such a Python the Datasette plugin adds the functions to all connections permanently.
        program = """if True:
            import sqlite3, sys
            from obook import _library
            with _library.every_new_connection():
                inside = sqlite3.connect(sys.argv[1])
            print(inside.execute(sys.argv[2]).fetchone())
            try:
                print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone())
            except sqlite3.OperationalError as problem:
                print(problem)
            """
        self.assertEqual(self.printed(program), "('c5',)\nno such table: moves\n")

    def test_connections_of_pysqlite3_load_them(self) -> None:
        program = """if True:
            import sys
            sys.path.append(sys.prefix + "/pysqlite3")
            import obook, pysqlite3
            for files in (True, False):
                connection = pysqlite3.connect(sys.argv[1])
                obook.load(connection, files=files)
                print(connection.execute(sys.argv[2]).fetchone())
            """
        self.assertEqual(self.printed(program), "('c5',)\n('c5',)\n")

    def printed(self, program: str) -> str:
        command = [sys.executable, "-c", program, self.book, self.SQL]
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout

    def test_a_connection_that_cannot_load_is_told_the_ways_out(self) -> None:
        with self.assertRaisesRegex(obook.CannotLoad, r"obook.open\(\) works without"):
            obook.load(object())


class Wheel(WithBook):
    def test_it_brings_the_program(self) -> None:
        program = Path(sys.executable).parent / "obook"
        command = [program, "line", self.book]
        line = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        with obook.open(self.book) as book:
            self.assertIn(book.line()[0].square, line)
        version = subprocess.run([program, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertEqual(version.split(), ["obook", distribution("obook").version])

    def test_it_is_of_the_workspace_and_for_any_python_of_the_platform(self) -> None:
        wheel = distribution("obook")
        self.assertIn(f'\nversion = "{wheel.version}"\n', (ROOT / "Cargo.toml").read_text())
        self.assertRegex(wheel.read_text("WHEEL") or "", r"\nTag: py3-none-(manylinux|musllinux|macosx|win)")


if __name__ == "__main__":
    unittest.main()
