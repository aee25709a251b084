//! `obook query`: the same rows in every format, and limits on what SQL may do.

use crate::support::program::{arg, complaint, games_database, json, obook, piped, stdout};
use obook_testing::golden::golden;
use rusqlite::Connection;
use serde_json::{Value, json as value};
use std::fs;

const ROWS: &str = "SELECT 1 AS i, 2.0 AS r, NULL AS n, 'a, \"b\" | <c>' || char(9, 10) || 'ü' AS t, x'00ff' AS b \
                    UNION ALL SELECT -20, 0.5, 'x', '', x''";

#[test]
fn how_many_rows_were_changed_is_said_beside_the_answer() {
    let (_folder, book) = games_database();
    for (sql, lines, said) in [
        ("UPDATE book SET level = 9", 0, "rows changed: 1\n"),
        ("SELECT count(*) AS n FROM links", 2, "rows changed: 0\n"),
        (
            "DELETE FROM leaves RETURNING 1 AS n",
            2215,
            "rows changed: 2214\n",
        ),
    ] {
        let asked = obook(["query", arg(&book), sql, "--write", "--format", "csv"]);
        assert_eq!(String::from_utf8(asked.stderr).unwrap(), said, "{sql}");
        let answered = String::from_utf8(asked.stdout).unwrap();
        assert_eq!(answered.lines().count(), lines, "{sql}: {answered}");
    }
    let asked = obook([
        "query",
        arg(&book),
        "UPDATE book SET level = 8",
        "--write",
        "--json",
    ]);
    assert_eq!(
        String::from_utf8(asked.stderr).unwrap(),
        "rows changed: 1\n"
    );
    // Queries that only read print no counts.
    stdout(["query", arg(&book), "SELECT 1"]);
}

#[test]
fn every_format_gives_the_same_rows() {
    let (_folder, book) = games_database();
    let write = |format: &str| stdout(["query", arg(&book), ROWS, "--format", format]);
    let text = "a, \"b\" | <c>\t\nü";
    let expected = value!([
        { "i": 1, "r": 2.0, "n": null, "t": text, "b": "00ff" },
        { "i": -20, "r": 0.5, "n": "x", "t": "", "b": "" },
    ]);
    assert_eq!(
        serde_json::from_str::<Value>(&write("json")).unwrap(),
        expected
    );
    let lines = write("ndjson");
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(Value::Array(lines), expected);
    // TSV has no quotation marks: what would break a row is replaced.
    for (format, delimiter, text) in [
        ("csv", b',', text.to_owned()),
        ("tsv", b'\t', text.replace('\t', "␉").replace('\n', "␊")),
    ] {
        let text_of_all = write(format);
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .quoting(format == "csv")
            .from_reader(text_of_all.as_bytes());
        assert_eq!(reader.headers().unwrap(), vec!["i", "r", "n", "t", "b"]);
        let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(
            records,
            [
                vec!["1", "2.0", "", &*text, "00ff"],
                vec!["-20", "0.5", "x", "", ""]
            ]
        );
    }
    assert_eq!(
        write("markdown"),
        "| i | r | n | t | b |\n| ---: | ---: | --- | --- | --- |\n\
         | 1 | 2.0 |  | a, \"b\" \\| &lt;c>␉<br>ü | 00ff |\n| -20 | 0.5 | x |  |  |\n"
    );
    assert_eq!(
        write("table"),
        "+-----+-----+---+---------------+------+\n\
         | i   | r   | n | t             | b    |\n\
         +-----+-----+---+---------------+------+\n\
         |   1 | 2.0 |   | a, \"b\" | <c>␉ | 00ff |\n\
         |     |     |   | ü             |      |\n\
         +-----+-----+---+---------------+------+\n\
         | -20 | 0.5 | x |               |      |\n\
         +-----+-----+---+---------------+------+\n"
    );
    assert_eq!(
        write("box")
            .replace(['┌', '┬', '┐', '├', '┼', '┤', '└', '┴', '┘'], "+")
            .replace('─', "-")
            .replace('│', "|"),
        write("table")
    );
}

#[test]
fn separated_values_contain_no_control_characters() {
    let (_folder, book) = games_database();
    let sql =
        "SELECT 'a' || char(27) || 'b' || char(0x202e) || 'c' || char(0x2028) || char(13) AS x";
    for format in ["csv", "tsv"] {
        assert_eq!(
            stdout(["query", arg(&book), sql, "--format", format]),
            "x\na␛b\u{fffd}c\u{fffd}␍\n"
        );
    }
}

/// SQL, JavaScript and Python read it as infinity.
#[test]
fn infinity_is_the_same_in_every_format() {
    let (_folder, book) = games_database();
    for format in ["table", "box", "csv", "tsv", "json", "ndjson", "markdown"] {
        let sql = "SELECT 9e999 AS x, -9e999 AS y";
        let said = stdout(["query", arg(&book), sql, "--format", format]);
        assert_eq!(said.matches("9e999").count(), 2, "{said}");
        assert!(said.contains("-9e999"), "{said}");
    }
}

#[test]
fn an_answer_without_rows_is_one_too() {
    let (_folder, book) = games_database();
    for (format, expected) in [
        ("table", "+---+\n| x |\n+---+\n+---+\n"),
        ("csv", "x\n"),
        ("json", "[]\n"),
        ("ndjson", ""),
        ("markdown", "| x |\n| --- |\n"),
    ] {
        let sql = "SELECT 1 AS x WHERE 0";
        assert_eq!(
            stdout(["query", arg(&book), sql, "--format", format]),
            expected
        );
    }
}

#[test]
fn long_answers_stay_aligned() {
    let (_folder, book) = games_database();
    let sql = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 25000) SELECT i FROM n";
    let table = stdout(["query", arg(&book), sql]);
    assert_eq!(table.lines().count(), 25_000 + 4);
    let widths: Vec<usize> = table.lines().map(str::len).collect();
    assert!(widths.iter().all(|width| *width == "| 25000 |".len()));
}

#[test]
fn columns_of_one_name_are_all_there() {
    let (_folder, book) = games_database();
    let rows = json([
        "query",
        arg(&book),
        "SELECT 1 AS a, 2 AS a, 3 AS a_2",
        "--json",
    ]);
    assert_eq!(rows, value!([{ "a": 1, "a_3": 2, "a_2": 3 }]));
}

#[test]
fn sql_comes_from_arguments_files_and_pipes() {
    let (folder, book) = games_database();
    let file = folder.path().join("question.sql");
    fs::write(
        &file,
        "-- how many?\nSELECT count(*) AS n\nFROM positions;\n",
    )
    .unwrap();
    let expected = "n\n2247\n";
    let common = ["query", arg(&book), "--format", "csv"];
    assert_eq!(stdout(common.iter().chain(&["-f", arg(&file)])), expected);
    for more in [&["-"][..], &[]] {
        let arguments: Vec<&str> = common.iter().chain(more).copied().collect();
        let output = piped(&arguments, &fs::read_to_string(&file).unwrap());
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    }
    complaint(["query", arg(&book), " -- nothing"], &book);
    complaint(
        ["query", arg(&book), "-f", "no/such.sql"],
        "no/such.sql".as_ref(),
    );
    fs::write(&file, "SELECT 1;\n\n  SELECT valu FROM positions").unwrap();
    let text = complaint(["query", arg(&book), "-f", arg(&file)], &book);
    assert!(
        text.contains(&format!("in {}, line 3, column 10", file.display())),
        "{text}"
    );
}

#[test]
fn several_statements_are_answered_one_after_another() {
    let (_folder, book) = games_database();
    let sql = "SELECT ';' AS a; ; SELECT 2 AS b -- ;";
    assert_eq!(
        stdout(["query", arg(&book), sql, "--format", "csv"]),
        "a\n;\nb\n2\n"
    );
    // Nothing runs unless all statements are valid.
    complaint(["query", arg(&book), "SELECT 1; SELECT nothing"], &book);
}

#[test]
fn parameters_keep_their_types() {
    let (_folder, book) = games_database();
    let sql = "SELECT typeof(?1) AS b, :n AS n, typeof($r) AS r, @t AS t, :null IS NULL AS z";
    let rows = json([
        "query",
        arg(&book),
        sql,
        "--json",
        "-p",
        "n=21",
        "--param",
        "$r=1.5",
        "-p",
        ":t=f5d6",
        "-p",
        "1=x'00'",
        "-p",
        "null=NULL",
    ]);
    assert_eq!(
        rows,
        value!([{ "n": 21, "r": "real", "t": "f5d6", "b": "blob", "z": 1 }])
    );
    // SQLite counts ?1 here, too.
    let rows = json(["query", arg(&book), "SELECT ?2 AS n", "--json", "-p", "2=3"]);
    assert_eq!(rows, value!([{ "n": 3 }]));
    let sql = "SELECT ? AS first, ? AS second";
    let rows = json(["query", arg(&book), sql, "--json", "-p", "1=2", "-p", "2=3"]);
    assert_eq!(rows, value!([{ "first": 2, "second": 3 }]));
    let text = complaint(["query", arg(&book), sql, "-p", "1=2"], &book);
    assert!(text.contains("?2 has no value"), "{text}");
}

#[test]
fn missing_values_and_unknown_parameters_are_reported() {
    let (_folder, book) = games_database();
    let text = complaint(["query", arg(&book), "SELECT :moves"], &book);
    assert!(
        text.contains(":moves has no value; give it with --param moves=VALUE"),
        "{text}"
    );
    let text = complaint(
        ["query", arg(&book), "SELECT :moves", "-p", "move=1"],
        &book,
    );
    assert!(
        text.contains("no statement has a parameter :move; did you mean moves?"),
        "{text}"
    );
}

#[test]
fn misspelt_names_get_suggestions_with_their_place() {
    let (_folder, book) = games_database();
    for (sql, expected) in [
        (
            "SELECT * FROM postions",
            "no such table: postions, in line 1, column 15; did you mean positions?",
        ),
        (
            "SELECT valu FROM positions",
            "no such column: valu, in line 1, column 8; did you mean value?",
        ),
        (
            "SELECT 1,\n  p.levl FROM positions p",
            "no such column: p.levl, in line 2, column 3; did you mean level?",
        ),
        (
            "SELECT cuont(*)",
            "no such function: cuont, in line 1, column 8; did you mean count?",
        ),
        ("SELECT 1 FORM x", "near \"x\": syntax error"),
        (
            "SELECT * FORM positions",
            "near \"FORM\": syntax error, in line 1, column 10; did you mean FROM?",
        ),
        (
            "SELECT 'ü', nam FROM engines",
            "no such column: nam, in line 1, column 13; did you mean name?",
        ),
        ("SELECT \"valu\" FROM positions", "did you mean value?"),
        // Table line has one.
        (
            "SELECT line, square FROM tree('f5', 2)",
            "no such column: square, in line 1, column 14\n",
        ),
        ("SELECT hex(1, 2)", "number of arguments of hex: 1"),
        ("SELECT (1", "incomplete input, in line 1, column 10"),
        (
            "SELECT 1; SELECT abs(-9223372036854775807 - 1)",
            "integer overflow, in statement 2",
        ),
    ] {
        let output = obook(["query", arg(&book), sql]);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{sql}");
        assert!(
            text.trim_end().ends_with(expected) || text.contains(expected),
            "{sql}: {text}"
        );
    }
}

#[test]
fn refusals_say_why() {
    let (_folder, book) = games_database();
    for (sql, why) in [
        ("DELETE FROM positions", "writing needs --write"),
        ("CREATE TEMP TABLE t (x)", "writing needs --write"),
        ("ATTACH 'x' AS y", "--attach NAME=FILE"),
        ("DETACH main", "--attach NAME=FILE"),
        (
            "PRAGMA user_version = 3",
            "PRAGMA user_version might change something",
        ),
        (
            "PRAGMA wal_checkpoint",
            "PRAGMA wal_checkpoint might change something",
        ),
        ("PRAGMA optimize", "PRAGMA optimize might change something"),
        ("SELECT load_extension('x')", "extensions can't be loaded"),
        ("BEGIN", "one transaction"),
        ("VACUUM", ""),
    ] {
        let text = complaint(["query", arg(&book), sql], &book);
        assert!(text.contains(why), "{sql}: {text}");
    }
    // Pragmas that only read are allowed.
    for sql in [
        "PRAGMA user_version",
        "PRAGMA table_info(positions)",
        "SELECT name FROM pragma_table_list",
        "EXPLAIN QUERY PLAN SELECT * FROM positions",
        "PRAGMA integrity_check",
    ] {
        stdout(["query", arg(&book), sql]);
    }
}

#[test]
fn other_books_are_attached_for_reading() {
    let (folder, book) = games_database();
    let file = golden("edax/games.prune.dat");
    let attach = format!("other={}", file.display());
    let sql = "SELECT count(*) AS n FROM other.positions WHERE board IN (SELECT board FROM main.positions)";
    let rows = json(["query", arg(&book), sql, "--attach", &attach, "--json"]);
    assert_eq!(rows, value!([{ "n": 72 }]));
    // Any SQLite database can be attached, and doesn't change.
    let plain = folder.path().join("plain.db");
    rusqlite::Connection::open(&plain)
        .unwrap()
        .execute_batch(
            "CREATE TABLE t (x); INSERT INTO t VALUES (7);
             CREATE TABLE positions (x); CREATE TABLE links (x); CREATE TABLE leaves (x)",
        )
        .unwrap();
    let attach = format!("plain={}", plain.display());
    let rows = json([
        "query",
        arg(&book),
        "SELECT x FROM t",
        "--attach",
        &attach,
        "--json",
    ]);
    assert_eq!(rows, value!([{ "x": 7 }]));
    let sql = "SELECT * FROM moves('f5', 'plain')";
    let text = complaint(["query", arg(&book), sql, "--attach", &attach], &book);
    assert!(
        text.contains("moves: the database has no book of this game: no such column: p."),
        "{text}"
    );
    assert!(!text.contains("in SELECT"), "{text}");
    let before = fs::read(&plain).unwrap();
    let text = complaint(
        [
            "query",
            arg(&book),
            "DELETE FROM t",
            "--attach",
            &attach,
            "--write",
        ],
        &book,
    );
    assert!(text.contains("plain is attached for reading"), "{text}");
    assert_eq!(fs::read(&plain).unwrap(), before);
}

#[test]
fn boards_are_drawn_on_request() {
    let (_folder, book) = games_database();
    let sql = "SELECT board, 1 AS one FROM positions WHERE empties = 60";
    assert!(stdout(["query", arg(&book), sql]).contains("00000008100000000000001008000000"));
    let drawn = stdout(["query", arg(&book), sql, "--boards"]);
    assert!(
        drawn.contains("| 4 - - . O * - - - 4 |     |\n| 5 - - - * O . - - 5 |     |"),
        "{drawn}"
    );
    let rows = json(["query", arg(&book), sql, "--boards", "--json"]);
    assert_eq!(
        rows[0]["board"],
        "---------------------------OX------XO--------------------------- X"
    );
}

#[test]
fn a_statement_that_takes_too_long_is_stopped() {
    let (_folder, book) = games_database();
    let endless =
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    // Also if the time is spent inside a table-valued function.
    let lines = "SELECT count(*) FROM positions AS a, positions AS b, tree(b.board)";
    for endless in [endless, lines] {
        let text = complaint(["query", arg(&book), endless, "--timeout", "0.2"], &book);
        assert!(text.contains("not done within 0.2 s"), "{text}");
    }
    assert_eq!(
        obook(["query", arg(&book), "SELECT 1", "--timeout", "-1"])
            .status
            .code(),
        Some(2)
    );
}

/// Waits until the child has written a row, so that its statement runs, then interrupts it.
#[test]
#[cfg(unix)]
fn ctrl_c_ends_a_statement_with_status_130() {
    use std::io::Read;
    use std::process::{Command, Stdio};
    let (_folder, book) = games_database();
    let endless =
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    let mut child = Command::new(env!("CARGO_BIN_EXE_obook"))
        .args(["query", arg(&book), endless, "--format", "csv"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut rows = child.stdout.take().unwrap();
    rows.read_exact(&mut [0; 100]).unwrap();
    let kill = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(kill.success());
    let mut rest = Vec::new();
    rows.read_to_end(&mut rest).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "obook: interrupted\n"
    );
}

/// The views agree with obook's functions, but don't need them.
#[test]
fn views_agree_with_the_tables() {
    let (_folder, book) = games_database();
    stdout(["fix", arg(&book)]);
    stdout(["accuracy", arg(&book), "--store"]);
    let none = |wrong: &str| {
        let answer = stdout(["query", arg(&book), wrong, "--format", "ndjson"]);
        assert_eq!(answer, "", "{wrong}");
    };
    let count = |from: &str| {
        let sql = format!("SELECT count(*) AS n FROM {from}");
        json(["query", arg(&book), &sql, "--json"])[0]["n"]
            .as_u64()
            .unwrap()
    };
    assert_eq!(count("readable_positions"), count("positions"));
    none(
        "SELECT * FROM readable_positions AS it JOIN positions AS p ON p.board = board(key)
         WHERE replace(diagram, char(10), '') || ' X' <> board_text(board) OR it.value <> p.value
             OR length(diagram) <> 71 OR it.engine <> 'edax'",
    );
    assert_eq!(count("readable_moves WHERE kind = 'link'"), count("links"));
    assert_eq!(count("readable_moves WHERE kind = 'leaf'"), count("leaves"));
    none("SELECT * FROM readable_moves WHERE square <> square(move)");
    none(
        "SELECT * FROM readable_moves WHERE words <> iif(move IS NULL, 'the game is over: ', '') ||
             iif(score = 0, 'draws', iif(score < 0, 'loses by ', 'wins by ') || abs(score))",
    );
    assert_eq!(count("readable_moves WHERE words IS NULL"), 0);
    let scores = "SELECT board(key) AS board, move, score FROM readable_moves WHERE kind =";
    none(&format!(
        "{scores} 'link' EXCEPT SELECT board, move, score FROM links"
    ));
    none(&format!(
        "{scores} 'leaf' EXCEPT SELECT board, move, score FROM leaves"
    ));
    let levels = "SELECT sum(positions) AS n FROM levels";
    assert_eq!(
        json(["query", arg(&book), levels, "--json"])[0]["n"],
        count("positions")
    );
    assert_eq!(count("grades WHERE words IS NOT NULL"), count("accuracy"));
    assert_eq!(count("waiting"), count("todo"));
    let waits = "INSERT OR REPLACE INTO todo (board, reason, level, engine) SELECT board, 'leaf', 12, 1 FROM positions WHERE empties = 60";
    stdout(["query", arg(&book), "--write", waits]);
    let waiting = "SELECT key, empties, at_least_level, engine FROM waiting WHERE empties = 60";
    assert_eq!(
        json(["query", arg(&book), waiting, "--json"]),
        value!([{"key": "00000008100000000000001008000000", "empties": 60, "at_least_level": 12, "engine": "edax"}])
    );
}

/// SQL may break anything, so `merge` must not assume that a book is still fixed afterwards.
#[test]
fn a_book_that_sql_has_written_is_no_longer_known_to_be_fixed() {
    let (_folder, book) = games_database();
    let fixed =
        || json(["query", arg(&book), "SELECT fixed FROM book", "--json"])[0]["fixed"].clone();
    stdout(["fix", arg(&book)]);
    assert_eq!(fixed(), value!(1));
    stdout(["query", arg(&book), "--write", "SELECT count(*) FROM links"]);
    assert_eq!(fixed(), value!(1));
    stdout([
        "query",
        arg(&book),
        "--write",
        "UPDATE leaves SET score = score - 2 WHERE score > 9",
    ]);
    assert_eq!(fixed(), value!(null));
    stdout(["undo", arg(&book)]);
    assert_eq!(fixed(), value!(1));
}

#[test]
fn writing_is_one_change_of_the_books_history() {
    let (_folder, book) = games_database();
    let query = |sql: &str| json(["query", arg(&book), sql, "--json"]);
    let history = "SELECT command, counts FROM history WHERE command LIKE 'obook query%'";
    stdout([
        "query",
        arg(&book),
        "--write",
        "-p",
        "level=7",
        "UPDATE positions SET level = :level WHERE empties >= 59; CREATE TABLE mine (x); INSERT INTO mine VALUES (1)",
    ]);
    assert_eq!(
        query("SELECT count(*) AS n FROM positions WHERE level = 7"),
        value!([{ "n": 2 }])
    );
    let entries = query(history);
    assert_eq!(entries.as_array().unwrap().len(), 1);
    assert_eq!(
        entries[0]["counts"],
        r#"{"rows":3,"schema":{"created":["table mine"]}}"#
    );
    let command = entries[0]["command"].as_str().unwrap();
    assert!(
        command.contains("UPDATE positions SET level = :level")
            && command.ends_with("--write --param level=7"),
        "{command}"
    );
    // Failed statements leave nothing behind, and reading changes nothing.
    let text = complaint(
        [
            "query",
            arg(&book),
            "--write",
            "DELETE FROM links; SELECT nought",
        ],
        &book,
    );
    assert!(text.contains("no such column: nought"), "{text}");
    stdout(["query", arg(&book), "--write", "SELECT count(*) FROM links"]);
    assert_eq!(
        query("SELECT count(*) AS n FROM links"),
        value!([{ "n": 2252 }])
    );
    assert_eq!(query(history).as_array().unwrap().len(), 1);
    // The change can be undone like any other.
    stdout(["query", arg(&book), "--write", "DELETE FROM leaves"]);
    stdout(["undo", arg(&book)]);
    assert_eq!(
        query("SELECT count(*) AS n FROM leaves"),
        value!([{ "n": 2214 }])
    );
    for (sql, why) in [
        ("DROP TABLE positions", "part of every book"),
        ("DROP VIEW levels", "part of every book"),
        ("DROP INDEX games_by_black", "part of every book"),
        ("DROP TRIGGER links_deleted", "part of every book"),
        (
            "DROP TRIGGER temp.\"obook_log links Deleted\"; DELETE FROM links",
            "logs changes for undo",
        ),
        ("CREATE TEMP TABLE History (id)", "choose another name"),
        ("CREATE TEMP VIEW undo AS SELECT 1", "choose another name"),
        ("ALTER TABLE links ADD COLUMN x", "part of every book"),
        ("DELETE FROM history", "is written only by obook"),
        ("COMMIT", "one transaction"),
        ("PRAGMA user_version = 9", "might change something"),
    ] {
        let text = complaint(["query", arg(&book), "--write", sql], &book);
        assert!(text.contains(why), "{sql}: {text}");
    }
    // With the user's own, all of that is allowed.
    for sql in [
        "CREATE TABLE own (x); CREATE INDEX by_x ON own (x);
         CREATE TRIGGER note AFTER DELETE ON links BEGIN INSERT INTO own VALUES (1); END",
        "CREATE TEMP TABLE other AS SELECT * FROM links; UPDATE games SET date = '2026'",
        "DROP TRIGGER note; DROP INDEX by_x; DROP TABLE own",
    ] {
        stdout(["query", arg(&book), "--write", sql]);
    }
    let file = golden("games.dat");
    let text = complaint(["query", arg(&file), "--write", "DELETE FROM links"], &file);
    assert!(text.contains("obook import"), "{text}");
}

#[test]
fn a_text_compared_with_a_key_is_reported() {
    let (_folder, database) = games_database();
    let said = |sql: &str| {
        let output = obook(["query", arg(&database), sql, "--format", "csv"]);
        assert_eq!(output.status.code(), Some(0));
        let rows = String::from_utf8(output.stdout).unwrap();
        (rows, String::from_utf8(output.stderr).unwrap())
    };
    let (rows, note) = said("SELECT count(*) AS n FROM links WHERE board = 'f5d6'");
    assert_eq!(rows, "n\n0\n");
    assert!(
        note.contains("write board('f5d6') instead of 'f5d6'"),
        "{note}"
    );
    assert_eq!(note.lines().count(), 1, "{note}");
    // And finds them.
    let (rows, note) = said("SELECT count(*) > 0 AS n FROM links WHERE board = board('f5d6')");
    assert_eq!((rows.as_str(), note.as_str()), ("n\n1\n", ""));
    let output = piped(
        ["shell", arg(&database)],
        "SELECT 1 FROM links WHERE board IN ('f5');\n",
    );
    let note = String::from_utf8(output.stderr).unwrap();
    assert!(note.contains("write board('f5')"), "{note}");
}

/// The book in an attached database is queried by the database's name.
#[test]
fn an_attached_book_is_asked_by_its_name() {
    let path = golden("games.dat");
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.obook");
    Connection::open(&empty)
        .unwrap()
        .execute_batch("CREATE TABLE x (y)")
        .unwrap();
    let count = |from: &str| {
        let sql = format!("SELECT count(*) AS n FROM {from}");
        json([
            "query",
            arg(&path),
            "--attach",
            &format!("other={}", arg(&path)),
            &sql,
            "--json",
        ])[0]["n"]
            .clone()
    };
    for [ours, theirs] in [
        [
            "moves('f5') WHERE kind = 'link'",
            "moves('f5', 'other') WHERE kind = 'link'",
        ],
        ["line('')", "line('', 'other')"],
        ["tree('', 8, 1)", "tree('', 8, 1, 'other')"],
        ["ancestors('f5d6')", "ancestors('f5d6', 'other')"],
    ] {
        assert_eq!(count(ours), count(theirs));
        assert_ne!(count(theirs), 0, "{theirs}");
    }
    let sql = "SELECT * FROM line('', 'nobody')";
    assert!(
        complaint(["query", arg(&path), sql], &path).contains("no such table: nobody.positions")
    );
}

/// The commands `frontier` and `worst` show the first rows of the tables of these names.
#[test]
fn the_commands_ask_the_tables() {
    let book = golden("games.dat");
    for command in ["frontier", "worst"] {
        let found = json([command, arg(&book), "--limit", "7", "--json"]);
        let sql = format!("SELECT line FROM {command}('f5', 2) LIMIT 7");
        let expected = json(["query", arg(&book), &sql, "--json"]);
        let lines = |rows: &Value| -> Vec<Value> {
            let rows = rows.as_array().unwrap();
            rows.iter().map(|row| row["line"].clone()).collect()
        };
        assert_eq!(lines(&expected).len(), 7);
        assert_eq!(lines(&found), lines(&expected));
    }
}

/// A book that ends at the start can grow there. A position outside the book has no frontier.
#[test]
fn near_best_play_begins_in_the_book() {
    let (_folder, book) = games_database();
    stdout(["depth", arg(&book), "0"]);
    let rows = json(["frontier", arg(&book), "--json"]);
    assert_eq!(rows.as_array().unwrap().len(), 1);
    assert_eq!(rows[0]["line"], "f5");
    for command in ["frontier", "worst"] {
        let said = obook([command, arg(&book), "f5d6"]);
        assert_eq!(said.status.code(), Some(1), "{said:?}");
        let said = String::from_utf8(said.stderr).unwrap();
        assert!(said.contains("the book ends before f5"), "{said}");
    }
}

/// TSV has no quotation marks, not even for an empty text alone in its row.
#[test]
fn an_empty_text_alone_is_an_empty_line() {
    let (_folder, book) = games_database();
    let sql = "SELECT NULL AS a UNION ALL SELECT '' UNION ALL SELECT 'b'";
    let rows = stdout(["query", arg(&book), sql, "--format", "tsv"]);
    assert_eq!(rows, "a\n\n\nb\n");
}

/// SQLite would end the statement there, and change more than was asked for.
#[test]
fn sql_with_a_zero_byte_is_refused() {
    let (folder, book) = games_database();
    let file = folder.path().join("nul.sql");
    std::fs::write(&file, "DELETE FROM games WHERE 1\0 AND 0").unwrap();
    let said = complaint(["query", arg(&book), "--write", "-f", arg(&file)], &book);
    assert!(said.contains("zero byte at 25"), "{said}");
}

#[test]
fn the_history_names_attached_books() {
    let (_folder, book) = games_database();
    let attach = format!("a={}", golden("games.dat").display());
    let sql = "CREATE TABLE mine AS SELECT * FROM a.book";
    stdout(["query", arg(&book), sql, "--write", "--attach", &attach]);
    let history = stdout(["history", arg(&book), "--format", "csv"]);
    assert!(history.contains(&format!("--attach {attach}")), "{history}");
}
