//! The SQL extension, loaded by other programs: this SQLite, the `sqlite3` shell, Python.

use crate::support::program::{arg, fed, rows, stdout};
use obook_needs::needs;
use obook_testing::golden::golden;
use rusqlite::Connection;
use rusqlite::types::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The library that other programs load.
fn extension() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_obook"));
    let target = program.ancestors().nth(2).unwrap();
    let built = Command::new(env!("CARGO"))
        .args([
            "rustc",
            "--package",
            "obook-sql",
            "--features",
            "loadable",
            "--crate-type",
            "cdylib",
        ])
        // The Python package is tested with the same.
        .args(["--config", "../crates/sql/unoptimized.toml"])
        .args(["--locked", "--quiet", "--target-dir"])
        .arg(target)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()
        .unwrap();
    assert!(built.success());
    target.join("debug/libobook_sql")
}

/// Queries that need functions, a table of the book's lines and one of a file, with their answers.
fn questions(file: &Path) -> Vec<(String, String)> {
    let answer =
        |sql: &str| stdout(["query", arg(file), sql, "--format", "csv"]).replace("\r\n", "\n");
    let questions = [
        "SELECT hex(board('f5d6')) AS a, square(37) AS b, mobility('f5') AS c, is_solved(30, 30) AS d".to_owned(),
        "SELECT square, kind, score, hex(child) AS child FROM moves('f5d6')".to_owned(),
        "SELECT ply, line, score FROM line('')".to_owned(),
        "SELECT ply, count(*) AS n, sum(loss) AS loss FROM tree('', 10, 2) GROUP BY ply".to_owned(),
        "SELECT count(*) AS n FROM positions JOIN ancestors(positions.board) WHERE positions.empties = 52".to_owned(),
        format!(
            "SELECT count(*) AS n FROM edax('{}') AS theirs WHERE board NOT IN (SELECT board FROM positions)",
            arg(file)
        ),
        "SELECT key, diagram, engine FROM readable_positions WHERE empties > 58 ORDER BY key".to_owned(),
    ];
    questions
        .map(|sql| {
            let answer = answer(&sql);
            (sql, answer)
        })
        .into()
}

/// A database to query.
fn imported() -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = golden("games.dat");
    let book = folder.path().join("games.obook");
    stdout(["import", arg(&file), "--book", arg(&book)]);
    (folder, file, book)
}

/// Uses the SQLite of this test, which every machine has.
#[test]
fn a_program_loads_the_extension() {
    let (_folder, file, book) = imported();
    let connection = Connection::open(&book).unwrap();
    load(&connection, &extension());
    for (sql, expected) in questions(&file) {
        assert_eq!(csv(&connection, &sql), expected, "{sql}");
    }
}

#[needs(sqlite3)]
#[test]
fn the_sqlite3_shell_loads_the_extension() {
    let (_folder, file, book) = imported();
    let library = extension();
    let mut script = format!(
        ".load {}\n.headers on\n.mode csv\n.separator , \"\\n\"\n",
        arg(&library)
    );
    let mut expected = String::new();
    for (sql, answer) in questions(&file) {
        script += &format!("{sql};\n");
        expected += &answer;
    }
    let answered = run("sqlite3", &["-bail", "-batch", arg(&book)], &script);
    assert_eq!(answered, expected);
    // For queries from strangers, the tables of files can be left out.
    let script = format!(
        ".load {} sqlite3_obook_without_files_init\nSELECT count(*) FROM pragma_module_list WHERE name IN ('edax', 'tree');\n",
        arg(&library)
    );
    assert_eq!(
        run("sqlite3", &["-bail", "-batch", arg(&book)], &script),
        "1\n"
    );
}

/// A program that distrusts databases, with a SQLite that considers more functions unsafe than ours.
#[needs(sqlite3)]
#[test]
fn a_program_that_trusts_no_schema_reads_and_writes_a_book() {
    let (_folder, _, book) = imported();
    let script = "PRAGMA trusted_schema = OFF;
        INSERT INTO history (command, time, counts, log) VALUES ('mine', 'now', '{}', 'none');
        SELECT count(*), (SELECT count(*) FROM readable_moves) > 0 FROM history;\n";
    let answered = run("sqlite3", &["-bail", "-batch", arg(&book)], script);
    assert_eq!(answered, "2|1\n");
}

#[needs(python3)]
#[test]
fn python_loads_the_extension() {
    let python = "/usr/bin/python3";
    let (_folder, file, book) = imported();
    let library = extension();
    let script = include_str!("../../../tests/data/extension.py");
    for (sql, expected) in questions(&file) {
        let answered = run(python, &["-c", script, arg(&library), arg(&book), &sql], "");
        assert_eq!(answered, expected, "{sql}");
    }
    let answered = run(python, &["-c", &documented(&library, &book)], "");
    let sql = "SELECT square, score FROM moves('f5d6') WHERE kind = 'link'";
    let expected = stdout(["query", arg(&file), sql, "--format", "csv"]).replace("\r\n", "\n");
    let (_, expected) = expected.split_once('\n').unwrap();
    assert!(!expected.is_empty());
    assert_eq!(answered.replace(' ', ","), expected);
}

/// The program in the documentation, with the names of this library and book.
fn documented(library: &Path, book: &Path) -> String {
    let text = include_str!("../../../docs/functions.md");
    let (_, program) = text.split_once("```python\n").unwrap();
    let (program, _) = program.split_once("```").unwrap();
    let program = program.replace("target/release/libobook_sql", arg(library));
    program.replace("games.obook", arg(book))
}

#[allow(unsafe_code)]
fn load(connection: &Connection, library: &Path) {
    // SAFETY: only the test's own SQL runs on this connection.
    let _guard = unsafe { rusqlite::LoadExtensionGuard::new(connection).unwrap() };
    // SAFETY: the library was just built to be loaded here.
    unsafe { connection.load_extension(library, None::<&str>).unwrap() };
}

/// The answer to a query as CSV.
fn csv(connection: &Connection, sql: &str) -> String {
    let statement = connection.prepare(sql).unwrap();
    let names: Vec<&str> = statement.column_names().collect();
    let mut lines = vec![names.join(",")];
    lines.extend(rows(connection, sql, ()).iter().map(|row| {
        let cells = row.iter().map(|value| match value {
            Value::Null => String::new(),
            Value::Integer(number) => number.to_string(),
            Value::Text(text) if text.contains('\n') => format!("\"{text}\""),
            Value::Text(text) => text.clone(),
            other => panic!("{other:?}"),
        });
        cells.collect::<Vec<_>>().join(",")
    }));
    lines.join("\n") + "\n"
}

/// The output of a program that must succeed.
fn run(program: &str, arguments: &[&str], input: &str) -> String {
    let output = fed(Command::new(program).args(arguments), input);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && complaint.is_empty(),
        "{program}: {complaint}"
    );
    String::from_utf8(output.stdout).unwrap()
}
