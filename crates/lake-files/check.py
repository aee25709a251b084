"""An exported lake in DuckDB and DataFusion: answers are SQLite's, and negamax layer by layer is what `obook fix` computes."""

import json
import math
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import datafusion
import duckdb
import pyarrow

ROOT = Path(__file__).parents[2]
OBOOK = os.environ["OBOOK"]
SQUARE = "CASE WHEN move = 64 THEN 'pass' ELSE substr('abcdefgh', move % 8 + 1, 1) || ((move >> 3) + 1) END"
# The questions of docs/sql.md without tables with arguments. Both engines lack functions of obook: for DataFusion, square() is written
# out, and board() is a key.
PLAIN = [1, 2, 3, 4, 5, 6, 9, 16, 18, 19]


def obook(folder, *arguments):
    done = subprocess.run([OBOOK, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def questions():
    """The statements of each question."""
    sections = (ROOT / "docs/sql.md").read_text().split("\n### ")[1:]
    found = {}
    for section in sections:
        number = int(section.split(".")[0])
        block = re.search(r"```sql\n(.*?)```", section, re.S)[1]
        found[number] = [sql for sql in block.split(";") if sql.strip()]
    return found


class DuckDb:
    """The tables by the script in the lake's folder, which also has square()."""

    key = "from_hex('{}')"
    square = "square(move)"

    def __init__(self, lake):
        self.connection = duckdb.connect()
        # The script's paths are relative.
        before = os.getcwd()
        os.chdir(lake)
        self.lake = lake
        self.connection.execute((lake / "duckdb.sql").read_text())
        os.chdir(before)

    def rows(self, sql):
        before = os.getcwd()
        os.chdir(self.lake)
        try:
            return self.connection.execute(sql).fetchall()
        finally:
            os.chdir(before)

    def keep(self, name, sql):
        before = os.getcwd()
        os.chdir(self.lake)
        try:
            self.connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {sql}")
        finally:
            os.chdir(before)


class DataFusion:
    """The tables as files, and the views of a database."""

    key = "arrow_cast(X'{}', 'FixedSizeBinary(16)')"
    square = SQUARE

    def __init__(self, lake):
        config = datafusion.SessionConfig().set("datafusion.execution.parquet.schema_force_view_types", "false")
        self.context = datafusion.SessionContext(config)
        for table in json.loads((lake / "manifest.json").read_text())["tables"]:
            part = [(table["partition"], pyarrow.int64())] if "partition" in table else []
            self.context.register_parquet(table["name"], str(lake / table["name"]), table_partition_cols=part)
        # The views call it; DataFusion has no such function.
        hexadecimal = datafusion.udf(
            lambda keys: pyarrow.array([None if key is None else key.hex().upper() for key in keys.to_pylist()], pyarrow.string()),
            [pyarrow.binary(16)],
            pyarrow.string(),
            "immutable",
            name="hex",
        )
        self.context.register_udf(hexadecimal)
        views = (ROOT / "schema.sql").read_text().split("-- Views for people")[1]
        for view in views.split("CREATE VIEW ")[1:]:
            self.context.sql("CREATE VIEW " + view[: view.rindex(";")])

    def rows(self, sql):
        table = self.context.sql(sql).to_arrow_table()
        return [tuple(row.values()) for row in table.to_pylist()]

    def keep(self, name, sql):
        frame = self.context.sql(sql)
        batches = frame.collect() or [pyarrow.RecordBatch.from_pylist([], schema=frame.schema())]
        self.context.deregister_table(name)
        self.context.register_record_batches(name, [batches])


def alike(one, other):
    if isinstance(one, float) or isinstance(other, float):
        return one is not None and other is not None and math.isclose(one, other)
    return one == other


def negamax(engine, layers, rules):
    """Value and lines of every position, without bounds and counts of games, which need functions of levels."""
    nothing = "(SELECT board, CAST(NULL AS BIGINT) AS value, CAST(NULL AS BIGINT) AS lines FROM positions WHERE false)"
    found, below, last = {}, nothing, None
    for layer in layers:
        if last != layer - 1:
            below = nothing
        for passing in [False, True]:
            name = f"{'passing' if passing else 'moving'}_{layer}"
            engine.keep(name, layer_sql(layer, rules, f"moving_{layer}" if passing else below, passing))
            found |= {bytes(board): (value, lines) for board, value, lines in engine.rows(f"SELECT * FROM {name}")}
        below, last = f"(SELECT * FROM moving_{layer} UNION ALL SELECT * FROM passing_{layer})", layer
    return found


def layer_sql(layer, rules, children, passing):
    if rules == "edax":
        searched = "coalesce(leaf.score, CASE WHEN below.children IS NULL THEN p.value END)"
        lines = "coalesce(below.lines, 0) + CASE WHEN searched IS NULL THEN 0 ELSE 1 END"
        most, otherwise = 2**32 - 1, "NULL"
    else:
        searched = "CAST(NULL AS BIGINT)" if rules == "egaroucid" else "CASE WHEN leaf.move < 64 THEN leaf.score END"
        lines = f"coalesce(below.all_lines, 0) + CASE WHEN below.children IS NULL THEN 1 ELSE {int(not passing)} END"
        most, otherwise = 4_000_000_000, "own"
    return f"""
        WITH child AS (SELECT * FROM {children} AS child),
        below AS (
          SELECT k.board, count(*) AS children, max(-c.value) AS best, sum(c.lines) AS all_lines,
                 sum(CASE WHEN c.value IS NOT NULL THEN c.lines END) AS lines
          FROM links AS k JOIN child AS c ON k.child = c.board
          WHERE k.layer = {layer} AND k.move {'=' if passing else '<>'} 64 GROUP BY k.board),
        search AS (
          SELECT p.board, p.value AS own, {searched} AS searched, below.children, below.best, below.lines, below.all_lines
          FROM positions AS p
            LEFT JOIN (SELECT board FROM links WHERE layer = {layer} AND move = 64) AS pass ON pass.board = p.board
            LEFT JOIN (SELECT * FROM leaves WHERE layer = {layer}) AS leaf ON leaf.board = p.board
            LEFT JOIN below ON below.board = p.board
          WHERE p.layer = {layer} AND pass.board IS {'NOT NULL' if passing else 'NULL'})
        SELECT board, coalesce(CASE WHEN best > searched OR searched IS NULL THEN best ELSE searched END, {otherwise}) AS value,
               CAST(least({most}, {lines.replace('below.', '')}) AS BIGINT) AS lines
        FROM search"""


class Lake(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.held = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.held.name)
        obook(cls.folder, "import", ROOT / "examples/games.dat", "--book", "games.obook")
        obook(cls.folder, "accuracy", "games.obook", "--store")

    @classmethod
    def tearDownClass(cls):
        cls.held.cleanup()

    def export(self, name):
        obook(self.folder, "export", "games.obook", name, "--format", "parquet")
        lake = self.folder / name
        return [DuckDb(lake), DataFusion(lake)]

    def query(self, sql):
        answer = json.loads(obook(self.folder, "query", "games.obook", sql, "--format", "json"))
        return [tuple(row.values()) for row in answer]

    def test_answers_are_those_of_sqlite(self):
        key = self.query("SELECT hex(board('')) AS key")[0][0]
        compared = 0
        for engine in self.export("cookbook.lake"):
            for number, statements in questions().items():
                if number not in PLAIN:
                    continue
                for sql in statements:
                    lake_sql = sql.replace("square(move)", engine.square).replace("board('')", engine.key.format(key))
                    with self.subTest(engine=type(engine).__name__, question=number):
                        expected, found = self.query(sql), engine.rows(lake_sql)
                        if "ORDER BY" not in sql:
                            expected, found = sorted(expected), sorted(found)
                        self.assertEqual(len(found), len(expected))
                        for one, other in zip(found, expected):
                            self.assertTrue(all(map(alike, one, other)), f"{one} {other}")
                        compared += 1
        self.assertEqual(compared, 2 * 11)

    def test_negamax_by_layers_is_what_fix_computes(self):
        for rules in ["edax", "egaroucid", "egaroucid-edax"]:
            obook(self.folder, "fix", "games.obook", "--rules", rules)
            self.assertGreater(self.query("SELECT count(*) AS passes FROM links WHERE move = 64")[0][0], 0)
            rows = self.query("SELECT hex(board) AS board, value, lines FROM positions")
            expected = {bytes.fromhex(board): (value, lines) for board, value, lines in rows}
            layers = [row[0] for row in self.query("SELECT DISTINCT empties FROM positions ORDER BY empties")]
            for engine in self.export(f"{rules}.lake"):
                with self.subTest(engine=type(engine).__name__, rules=rules):
                    self.assertEqual(negamax(engine, layers, rules), expected)


if __name__ == "__main__":
    unittest.main()
