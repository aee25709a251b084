"""The installed package's own functions."""

import contextlib
import gc
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import distribution
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import obook
import pandas
import polars
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
        nothing = self.folder / "nothing.dat"
        nothing.write_text("This is no book.")
        with self.assertRaises(obook.NotABook):
            obook.open(nothing)
        nothing.unlink()
        with obook.open(self.folder / "games.dat") as book:
            file = Path(book.connection.execute("PRAGMA database_list").fetchone()[2])
        self.assertFalse(file.parent.exists())
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
        with self.assertRaisesRegex(obook.NotABook, "Cargo.toml: no book format begins like this.*expected one of"):
            obook.open(ROOT / "Cargo.toml")
        other = self.folder / "other.db"
        with contextlib.closing(sqlite3.connect(other)) as connection:
            connection.execute("CREATE TABLE notes (note)")
        with self.assertRaisesRegex(obook.NotABook, "a database, but not one of obook's"):
            obook.open(other)
        with contextlib.closing(sqlite3.connect(other)) as connection:
            connection.execute(f"PRAGMA application_id = {0x6F626F73}")
        with self.assertRaisesRegex(obook.NotABook, "other.db is a book of shogi: .*'shogi info'"):
            obook.open(other)
        with obook.open(self.book) as book:
            questions: list[Callable[[Any], object]] = [
                book.value,
                book.moves,
                book.line,
                book.show,
                book.why,
                book.frontier,
                book.hint,
                book.get,
                book.__contains__,
                book.__getitem__,
                lambda board: book.edit(board, 4),
            ]
            for ask in questions:
                with self.subTest(ask), self.assertRaisesRegex(ValueError, "^move 1, a1, is not legal at the start: legal moves are"):
                    ask("a1")
            # A mistake in SQL is another one.
            with self.assertRaises(sqlite3.OperationalError):
                book.query("SELECT value FROM nowhere")


class AsADict(WithBook):
    def test_a_book_is_asked_like_a_dict(self) -> None:
        with obook.open(self.book) as book:
            self.assertEqual(len(book), 2247)
            keys = list(book)
            self.assertEqual((len(keys), keys), (2247, sorted(set(keys))))
            self.assertTrue(all(key in book for key in keys))
            outside = next(move.child for move in book.moves("f5d6c5b4d7") if move.kind is None)
            self.assertTrue("f5d6" in book and outside not in book)
            with self.assertRaises(KeyError):
                book[outside]
            self.assertIsNone(book.get(outside))

    def test_a_position_says_what_the_tables_say(self) -> None:
        with obook.open(self.book) as book:
            for row in book.query("SELECT * FROM positions JOIN engines USING (engine) ORDER BY random() LIMIT 50"):
                position = book[row["board"]]
                for column in ["board", "empties", "value", "lower", "upper", "level", "lines"]:
                    self.assertEqual(getattr(position, column), row[column])
                self.assertEqual((position.engine, position.moves), (row["name"], book.moves(row["board"])))
            self.assertEqual(book["f5d6"].diagram, book.show("f5d6"))

    def test_a_notebook_draws_boards_with_their_scores(self) -> None:
        with obook.open(self.book) as book:
            page = ElementTree.fromstring(book["f5d6"]._repr_html_())
            discs = [it.get("fill") for it in page.iter("{http://www.w3.org/2000/svg}circle") if float(it.get("r", 0)) > 5]
            self.assertEqual((discs.count("#111"), discs.count("#f5f5f5")), (3, 3))
            texts = [it.text for it in page.iter("{http://www.w3.org/2000/svg}text")]
            scores = [f"{move.score:+}" for move in book.moves("f5d6") if move.kind]
            self.assertEqual(sorted(texts), sorted([*"abcdefgh12345678", *scores]))
            self.assertEqual(page.findtext("figcaption"), "+1, level 2 of edax")
            whole = ElementTree.fromstring(book._repr_html_())
            self.assertEqual(whole.findtext("figcaption"), f"{self.book}: 2247 positions")
        ElementTree.fromstring(f"<p>{book._repr_html_()}</p>")

    def test_moves_become_tables(self) -> None:
        with obook.open(self.book) as book:
            moves = book.moves("f5d6")
            for table in (pandas.DataFrame(moves), polars.DataFrame(moves)):
                self.assertEqual(list(table.columns), list(obook.Move._fields))
                self.assertEqual(list(table["score"])[:5], [move.score for move in moves][:5])

    def test_tables_need_no_other_package_until_they_are_asked_for(self) -> None:
        program = """if True:
            import sys
            sys.modules["pandas"] = sys.modules["polars"] = None
            import obook
            with obook.open(sys.argv[1]) as book:
                rows = book.query("SELECT 1")
                try:
                    rows.to_pandas()
                except ImportError:
                    print(next(rows))
            """
        command = [sys.executable, "-c", program, self.book]
        self.assertEqual(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout, "{'1': 1}\n")


class Threads(WithBook):
    def test_threads_share_a_book(self) -> None:
        with obook.open(self.book) as book:
            keys = list(book)
            expected = [(book.value(key), book.moves(key)) for key in keys[:300]]
            together = threading.Barrier(6)

            def ask() -> list[Any]:
                together.wait()
                return [(book.value(key), book.moves(key)) for key in keys[:300]]

            with ThreadPoolExecutor(6) as pool:
                answers = [pool.submit(ask) for _ in range(6)]
                for answer in answers:
                    self.assertEqual(answer.result(), expected)
            rows = book.query("SELECT board FROM positions ORDER BY board")
            with ThreadPoolExecutor(1) as pool:
                # They don't wait for each other.
                self.assertIsNot(pool.submit(lambda: book.connection).result(), book.connection)
                self.assertEqual(pool.submit(list, rows).result(), [{"board": key} for key in keys])

    def test_connections_go_with_their_threads_and_with_the_book(self) -> None:
        book = obook.open(self.book)
        for _ in range(5):
            with ThreadPoolExecutor(1) as pool:
                pool.submit(book.value, "f5d6").result()
        gc.collect()  # Python's connections refer to themselves
        self.assertEqual(len(book._connections), 1)
        # Unless something of theirs is still in use.
        with ThreadPoolExecutor(1) as pool:
            rows = pool.submit(book.query, "SELECT board FROM positions").result()
        gc.collect()
        self.assertEqual(len(list(rows)), 2247)
        asked, closed = threading.Event(), threading.Event()

        def ask_again() -> None:
            book.value("f5d6")
            asked.set()
            closed.wait()
            book.value("f5d6")

        with ThreadPoolExecutor(2) as pool:
            again = pool.submit(ask_again)
            asked.wait()
            book.close()
            closed.set()
            with self.assertRaises(sqlite3.ProgrammingError):
                again.result()
            # And a thread that never asked.
            with self.assertRaises(sqlite3.ProgrammingError):
                pool.submit(book.value, "f5d6").result()

    @unittest.skipUnless(_library.can_load(sqlite3.connect(":memory:")), "this Python can't load extensions")
    def test_threads_have_functions_without_loading_them(self) -> None:
        together = threading.Barrier(8)

        def ask() -> int | None:
            together.wait()
            with obook.open(self.book) as book:
                return book.value("f5d6")

        with unittest.mock.patch.object(_library, "can_load", lambda connection: False), ThreadPoolExecutor(8) as pool:
            for _ in range(20):
                answers = [pool.submit(ask) for _ in range(8)]
                self.assertEqual([answer.result() for answer in answers], [1] * 8)


class Changing(WithBook):
    """What the program does for a book."""

    def setUp(self) -> None:
        self.place = Path(tempfile.mkdtemp(dir=self.folder))
        self.other = ROOT / "examples/small.dat.zst"
        self.file = self.folder / "games.dat"

    def made(self) -> obook.Book:
        return obook.import_book(self.file, book=self.place / "made.obook")

    def test_a_book_is_changed_and_shows_it_at_once(self) -> None:
        with self.made() as book:
            self.assertEqual(book.edit("f5d6", 4)["after"], 4)
            self.assertEqual(book.value("f5d6"), 4)
            book.edit(book["f5d6"].board, -4)
            self.assertEqual(book.value("f5d6"), -4)
            self.assertEqual(book.undo()["command"].split()[:3], ["obook", "edit", "--value=-4"])
            self.assertEqual(book.value("f5d6"), 4)
            self.assertEqual(book.redo()["command"].split()[:3], ["obook", "edit", "--value=-4"])
            self.assertEqual(book.value("f5d6"), -4)
            book.edit("f5d6", remove=True)
            self.assertEqual(book.value("f5d6"), 1)
            added = book.merge(self.other)["sources"][0]["added"]
            self.assertGreater(added, 8000)
            self.assertEqual(len(book), 2247 + added)
            self.assertEqual([change["undone"] is None for change in book.history()], [True] * 5)

    def test_a_book_is_changed_while_it_is_read(self) -> None:
        with self.made() as book:
            keys = iter(book)
            first = next(keys)
            self.assertEqual(book.edit(first, -64)["after"], -64)
            self.assertEqual(len([first, *keys]), 2247)
            self.assertEqual(book.value(first), -64)

    def test_a_book_is_grown_checked_and_repaired(self) -> None:
        with self.made() as book:
            self.assertEqual((book.verify()["findings"], book.fix()["changed"]["any"]), ([], 0))
            reports: list[Any] = []
            learned = book.learn(reports.append, recipe="best-first", level=1, limit=3)
            self.assertEqual((learned["searches"], learned["stopped"]), (reports[-1]["searches"], "limit"))
            self.assertGreater(len(book), 2247)
            with self.assertWarnsRegex(UserWarning, "^rows changed: 1$"):
                book.run("query", "UPDATE positions SET value = 3 WHERE empties = 60", write=True)
            self.assertTrue(book.verify()["findings"])
            self.assertEqual(book.fix()["changed"]["positions"], 1)
            self.assertEqual(book.verify()["findings"], [])

    def test_books_are_compared_written_and_converted(self) -> None:
        with self.made() as book, obook.open(self.other) as other:
            counts = book.diff(other, rows=0)
            self.assertEqual(counts["only_a"] + counts["differing"] + counts["equal"], len(book))
            self.assertEqual(book.diff(self.file)["differing"], 0)
            target = self.place / "games.egbk3"
            self.assertEqual(book.export(target)["format"], "egbk3")
            again = self.place / "again.egbk3"
            self.assertEqual(obook.convert(self.file, again)["format"], "egbk3")
            self.assertEqual(again.read_bytes(), target.read_bytes())
            with self.assertRaisesRegex(obook.Error, "egbk3.*exists"):
                book.export(target)
            book.export(target, force=True)

    def test_files_of_all_programs_are_opened(self) -> None:
        files = ["games.dat", "small.dat.zst", "ntest.book", "zebra.cmp", "sensei", "solved.csv"]
        for name in files:
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                path = ROOT / "examples" / name
                with obook.open(path) as book:
                    self.assertEqual(repr(book), f"<obook.Book {str(path)!r}: {len(book)} positions>")
                    self.assertGreater(len(book), 1)
                    self.assertTrue(all(book[board].board == board for board in book))

    def test_a_file_of_another_program_stays_as_it_is(self) -> None:
        before = self.file.read_bytes()
        with obook.open(self.file) as book:
            self.assertEqual((len(book), book.verify()["format"]), (2247, "edax"))
            for change in (lambda: book.edit("f5d6", 4), lambda: book.merge(self.other), book.undo, book.fix):
                with self.assertRaisesRegex(obook.Error, "games.dat: a book file, wh.*import it into a database"):
                    change()
        self.assertEqual(self.file.read_bytes(), before)
        with obook.starter() as book:
            self.assertEqual(book.verify(sample=0)["format"], "obook")
            with self.assertRaisesRegex(obook.Error, "starter.*stays as it is"):
                book.fix()

    def test_the_program_says_what_is_wrong(self) -> None:
        with self.made() as book:
            with self.assertRaisesRegex(obook.Error, "^nowhere.dat: can't open"):
                book.merge("nowhere.dat")
            with self.assertRaisesRegex(obook.Error, "^invalid value '65' for '--value <N>': 65 is not in -64..=64$"):
                book.edit("f5d6", 65)
            with self.assertRaisesRegex(obook.Error, "^unexpected argument '--no-such'"):
                book.fix(no_such=True)
            for asked in (
                lambda: book.run("query", "SELECT 1; SELECT 2"),
                lambda: book.export("-", format="edax"),
            ):
                with self.assertRaisesRegex(obook.Error, "^the program wrote no report, or several"):
                    asked()
        with unittest.mock.patch.object(shutil, "which", return_value=None), self.assertRaises(FileNotFoundError):
            obook.run("info", self.file)

    @unittest.skipIf(sys.platform == "win32", "signals")
    def test_an_interrupt_ends_a_run_and_keeps_its_answers(self) -> None:
        program = """if True:
            import obook, os, signal, sys
            signal.signal(signal.SIGINT, signal.default_int_handler)
            with obook.open(sys.argv[1]) as book:
                try:
                    book.learn(lambda report: os.killpg(0, signal.SIGINT), recipe="best-first", level=1)
                except KeyboardInterrupt:
                    print([change["command"].split()[1] for change in book.history()], len(book) > 2247)
            """
        self.made().close()
        command = [sys.executable, "-c", program, self.place / "made.obook"]
        ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, start_new_session=True)
        self.assertEqual(ended.stdout, "['import', 'learn'] True\n")


    @unittest.skipIf(sys.platform == "win32", "signals")
    def test_the_program_may_end_in_order(self) -> None:
        slow = self.place / "slow"
        slow.write_text(f"""#!{sys.executable}
import pathlib, signal, sys, time
def end(number, frame):
    time.sleep(0.5)
    pathlib.Path(sys.argv[-1]).write_text(signal.Signals(number).name)
    sys.exit(1)
signal.signal(signal.SIGINT, end)
signal.signal(signal.SIGTERM, end)
print('{{"event":"progress"}}', flush=True)
while True:
    signal.pause()
""")
        slow.chmod(0o755)
        program = """if True:
            import os, signal, sys
            from obook import _program
            signal.signal(signal.SIGINT, signal.default_int_handler)
            _program.program = lambda: sys.argv[1]
            def stop(report):
                if sys.argv[3] == "interrupt":
                    os.killpg(0, signal.SIGINT)
                else:
                    raise StopIteration
            try:
                _program.follow(stop, "learn", sys.argv[2])
            except (KeyboardInterrupt, StopIteration) as problem:
                print(type(problem).__name__)
            """
        for way, raised, got in [("interrupt", "KeyboardInterrupt", "SIGINT"), ("raise", "StopIteration", "SIGTERM")]:
            with self.subTest(way):
                told = self.place / way
                command = [sys.executable, "-c", program, slow, told, way]
                ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, start_new_session=True)
                self.assertEqual((ended.stdout, told.read_text()), (f"{raised}\n", got))


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
