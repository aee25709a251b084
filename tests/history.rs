//! The history of changes, and databases of older versions.

mod obook;
mod report;

use obook::{arg, stdout};
use report::GAMES;
use rusqlite::Connection;
use rusqlite::types::Value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder, and in it a database of a real book.
fn imported() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book.obook");
    stdout(["import", GAMES, "--book", arg(&book)]);
    (folder, book)
}

/// Tables of schema version 1, as they are now too.
const TABLES: [&str; 6] = [
    "engines",
    "positions",
    "links",
    "leaves",
    "accuracy",
    "sources",
];

/// A database of schema version 1 with the rows of a book, as the obook of those days made it.
fn version_1(folder: &Path, like: &Path) -> PathBuf {
    let path = folder.join("old.obook");
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch(include_str!("data/schema/1.sql"))
        .unwrap();
    connection.execute("ATTACH ? AS new", [arg(like)]).unwrap();
    for table in TABLES {
        let copy = format!("INSERT OR IGNORE INTO main.{table} SELECT * FROM new.{table}");
        connection.execute_batch(&copy).unwrap();
    }
    connection
        .execute_batch(
            "INSERT INTO main.todo SELECT board, reason FROM new.todo;
             INSERT INTO main.book SELECT id, 1, rules, level, depth, midgame_error, endcut_error, verbosity, format,
                                          version, release, written FROM new.book;
             PRAGMA main.application_id = 0x6f626f6b;
             PRAGMA main.user_version = 1;
             DETACH new;
             PRAGMA journal_mode = WAL;",
        )
        .unwrap();
    path
}

fn rows(path: &Path, sql: &str) -> Vec<Vec<Value>> {
    let connection = Connection::open(path).unwrap();
    let mut statement = connection.prepare(sql).unwrap();
    let width = statement.column_count();
    let row = |row: &rusqlite::Row<'_>| (0..width).map(|column| row.get(column)).collect();
    statement
        .query_map([], row)
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

#[test]
fn version_1_is_read_as_it_is() {
    let (folder, new) = imported();
    let old = version_1(folder.path(), &new);
    let before = std::fs::read(&old).unwrap();
    for command in [&["info"][..], &["stats"], &["show"], &["line"], &["verify"]] {
        let [ours, theirs] = [&old, &new].map(|book| stdout([command, &[arg(book)]].concat()));
        assert_eq!(
            ours.replace("old.obook", "book.obook"),
            theirs,
            "{command:?}"
        );
    }
    let sql = "SELECT rules, repetition, (SELECT count(*) FROM history) AS changes FROM book";
    let answer = stdout(["query", arg(&old), sql, "--format", "csv"]);
    assert_eq!(answer, "rules,repetition,changes\nedax,,0\n");
    assert_eq!(std::fs::read(&old).unwrap(), before, "nothing was written");
}

#[test]
fn version_1_is_migrated_by_the_first_change() {
    let (folder, new) = imported();
    let old = version_1(folder.path(), &new);
    for book in [&old, &new] {
        let wipe = "UPDATE positions SET value = NULL";
        Connection::open(book).unwrap().execute_batch(wipe).unwrap();
        stdout(["fix", arg(book)]);
    }
    let schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name";
    assert_eq!(rows(&old, schema), rows(&new, schema));
    let versions = "SELECT schema_version, user_version, repetition FROM book, pragma_user_version";
    assert_eq!(rows(&old, versions), rows(&new, versions));
    for table in TABLES.into_iter().chain(["book", "todo"]) {
        let all = format!("SELECT * FROM {table}");
        assert_eq!(rows(&old, &all), rows(&new, &all), "{table}");
    }
    let commands = "SELECT command FROM history";
    let fix = |book: &Path| vec![Value::Text(format!("obook fix {}", book.display()))];
    assert_eq!(rows(&old, commands), [fix(&old)]);
    assert_eq!(rows(&new, commands)[1..], [fix(&new)]);
}

/// A change that fails leaves an old file as old as it was.
#[test]
fn a_change_that_fails_migrates_nothing() {
    let (folder, new) = imported();
    let old = version_1(folder.path(), &new);
    Connection::open(&old)
        .unwrap()
        .execute_batch("UPDATE links SET move = 200 WHERE board = (SELECT min(board) FROM links)")
        .unwrap();
    obook::complaint(["negamax", arg(&old)], &old);
    let version = "SELECT user_version FROM pragma_user_version";
    assert_eq!(rows(&old, version), [[Value::Integer(1)]]);
    assert_eq!(
        rows(&old, "SELECT schema_version FROM book"),
        [[Value::Integer(1)]]
    );
}
