"""Datasette shows every view and answers every example question, with the plugin and with the documented command."""

import asyncio
import json
import re
import shlex
import sqlite3
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

from datasette.app import Datasette
from obook import _library
from support import ROOT, WithBook
from test_views import VIEWS

# Parameters, and the minimum and maximum number of rows.
QUESTIONS = {
    "position": [({"moves": "f5d6"}, 1, 1), ({"moves": ""}, 1, 1)],
    "moves": [({"moves": "f5d6"}, 5, 5), ({"moves": ""}, 4, 4)],
    "best_line": [({"moves": "f5d6"}, 2, 60), ({"moves": ""}, 2, 60), ({"moves": "F5 D6"}, 2, 60)],
    "openings": [({"depth": "3", "discs": "1"}, 2, 1000)],
}


class InDatasette(WithBook):
    def get(self, path: str, limits: dict[str, Any] | None = None, **parameters: str) -> tuple[int, Any]:
        async def ask() -> tuple[int, Any]:
            server = Datasette([self.book], metadata={"plugins": {"obook": limits or {}}})
            response = await server.client.get(path, params=parameters)
            return response.status_code, response.json() if path.endswith(".json") else response.text

        return asyncio.run(ask())

    def test_questions_stand_ready_and_are_answered(self) -> None:
        documented = json.loads((ROOT / "crates/sql/datasette.json").read_text())["databases"]["games"]["queries"]
        self.assertEqual(documented.keys(), QUESTIONS.keys(), "every query is asked here")
        for name, questions in QUESTIONS.items():
            for parameters, least, most in questions:
                with self.subTest(name, **parameters):
                    status, rows = self.get(f"/games/{name}.json", _shape="array", **parameters)
                    self.assertEqual(status, 200, rows)
                    self.assertTrue(least <= len(rows) <= most, rows)
                    if "position" in rows[0]:
                        self.assertTrue(all(len(row["position"].splitlines()) == 10 for row in rows), rows)

    def test_tables_and_views_are_shown(self) -> None:
        connection = sqlite3.connect(self.book)
        tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        connection.close()
        for (table,) in tables:
            self.assertEqual(self.get(f"/games/{table}")[0], 200, table)
        for view in sorted(VIEWS):
            status, rows = self.get(f"/games/{view}.json", _shape="array")
            self.assertEqual(status, 200, rows)
            self.assertTrue(rows, view)
            status, page = self.get(f"/games/{view}")
            self.assertEqual(status, 200, page)
            self.assertIn("white-space:pre", page)

    def test_strangers_read_no_files(self) -> None:
        file = self.folder / "games.dat"
        status, answer = self.get("/games.json", sql=f"SELECT * FROM edax('{file}')")
        self.assertEqual((status, answer["error"]), (400, "no such table: edax"))

    def refused(self, sql: str, limits: dict[str, Any] | None = None) -> str:
        status, answer = self.get("/games.json", limits, sql=sql)
        self.assertEqual(status, 400, str(answer)[:200])
        return str(answer["error"])

    def test_time_is_limited(self) -> None:
        endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        for sql in [endless, "SELECT evaluate('', 60)", "SELECT * FROM hint('', 60)"]:
            with self.subTest(sql):
                self.assertIn("took too long", self.refused(sql))

    def test_memory_is_limited(self) -> None:
        numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000)"
        for sql in [
            "SELECT length(hex(zeroblob(200000000)))",
            f"{numbers} SELECT length(group_concat(hex(zeroblob(500000)))) FROM n",
            f"{numbers} SELECT hex(zeroblob(500000)) || i AS text FROM n ORDER BY text",
        ]:
            with self.subTest(sql):
                self.assertIn("max_memory_mb", self.refused(sql))
        # A process can lower the limit, but not raise it again.
        settings = self.folder / "settings.json"
        settings.write_text(json.dumps({"plugins": {"obook": {"max_memory_mb": 30}}}))
        command = [sys.executable, "-m", "datasette", self.book, "--metadata", str(settings), "--get"]
        for length, status in [(1_000_000, 0), (20_000_000, 1)]:
            sql = f"/games.json?_shape=arrayfirst&sql=SELECT+length(hex(zeroblob({length})))"
            answer = subprocess.run([*command, sql], stdout=subprocess.PIPE, check=False)
            self.assertEqual(answer.returncode, status, answer.stdout)

    def test_answers_are_limited(self) -> None:
        numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100)"
        sql = f"{numbers} SELECT hex(zeroblob(100000)) FROM n"
        self.assertIn("longer than 16 MB", self.refused(sql))
        self.assertIn("longer than 0.5 MB", self.refused(f"{sql} LIMIT 3", {"max_answer_mb": 0.5}))
        self.assertEqual(self.get("/games.json", {"max_answer_mb": 30}, sql=sql)[0], 200)
        # Each answer is measured by itself.
        self.assertEqual(self.get("/games.json", {"max_answer_mb": 0.5}, sql=f"{sql} LIMIT 2")[0], 200)

    def test_rows_are_limited(self) -> None:
        numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
        status, answer = self.get("/games.json", sql=f"{numbers} SELECT i FROM n")
        self.assertEqual((status, answer["truncated"], len(answer["rows"])), (200, True, 1000))

    @unittest.skipUnless(Path("/proc/self/task").exists(), "only Linux lists threads there")
    def test_threads_are_limited(self) -> None:
        def threads() -> int:
            return len(list(Path("/proc/self/task").iterdir()))

        async def ask() -> int:
            server = Datasette([self.book])
            await server.client.get("/games.json")
            before, most = threads(), 0
            queries = [asyncio.ensure_future(server.client.get("/games.json", params={"sql": "SELECT evaluate('', 60)"})) for _ in range(9)]
            while not all(query.done() for query in queries):
                most = max(most, threads())
                await asyncio.sleep(0.01)
            return most - before

        more = asyncio.run(ask())
        # Three run queries, and each one's search runs on another.
        self.assertTrue(1 <= more <= 6, more)

    def test_other_databases_have_no_such_questions(self) -> None:
        other = self.folder / "other.db"
        connection = sqlite3.connect(other)
        connection.execute("CREATE TABLE notes (note)")
        connection.close()

        async def ask() -> Any:
            return (await Datasette([str(other)]).client.get("/other.json")).json()

        self.assertEqual(asyncio.run(ask())["queries"], [])

    @unittest.skipUnless(_library.can_load(sqlite3.connect(":memory:")), "this Python can't load extensions")
    def test_the_documented_command_works_without_the_plugin(self) -> None:
        text = (ROOT / "docs/functions.md").read_text()
        (command,) = re.findall(r"^datasette games\.obook[^`]*", text, re.MULTILINE)
        program, _, *options = shlex.split(command.replace("\\\n", ""))
        options = [it.replace("target/release/libobook_sql", str(_library.LIBRARY)) for it in options]
        path = "/games/best_line.json?_shape=array&moves=f5d6"
        # Without the plugin, and with it.
        for start in (["-c", f"import sys; sys._called_from_test = True; from {program}.cli import cli; cli()"], ["-m", program]):
            command = [sys.executable, *start, self.book, *options, "--get", path]
            answer = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
            self.assertTrue(json.loads(answer.stdout))
