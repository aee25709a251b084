//! Databases of older versions.

use crate::support::program::{arg, complaint, games_database, stdout};
use obook_testing::book_rows::select;
use rusqlite::Connection;
use rusqlite::types::Value;
use std::path::{Path, PathBuf};

/// Tables of all schema versions, with columns that they share.
const TABLES: [&str; 6] = [
    "engines",
    "positions",
    "links",
    "leaves",
    "accuracy",
    "sources",
];

/// The schemas of older versions.
const SCHEMAS: [&str; 7] = [
    include_str!("../data/schema/1.sql"),
    include_str!("../data/schema/2.sql"),
    include_str!("../data/schema/3.sql"),
    include_str!("../data/schema/4.sql"),
    include_str!("../data/schema/5.sql"),
    include_str!("../data/schema/6.sql"),
    include_str!("../data/schema/7.sql"),
];

/// A database of an older schema version with the rows of a book, as the obook of those days made it: columns that came
/// later are left out.
fn older(version: usize, folder: &Path, like: &Path) -> PathBuf {
    let path = folder.join("old.obook");
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(SCHEMAS[version - 1]).unwrap();
    connection.execute("ATTACH ? AS new", [arg(like)]).unwrap();
    // A version has the engines of its days.
    let tables = TABLES.into_iter().filter(|table| *table != "engines");
    for table in tables.chain(["todo", "book"]) {
        let columns: String = connection
            .query_row(
                "SELECT group_concat(name) FROM pragma_table_info(?, 'main')",
                [table],
                |row| row.get(0),
            )
            .unwrap();
        let copy = format!(
            "INSERT OR IGNORE INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}"
        );
        connection.execute_batch(&copy).unwrap();
    }
    connection
        .execute_batch(&format!(
            "UPDATE main.book SET schema_version = {version};
             PRAGMA main.application_id = 0x6f626f6b;
             PRAGMA main.user_version = {version};
             DETACH new;
             PRAGMA journal_mode = WAL;",
        ))
        .unwrap();
    path
}

/// That an old file answers as the new one does.
fn assert_reads_alike(old: &Path, new: &Path) {
    for command in [&["info"][..], &["stats"], &["show"], &["line"], &["verify"]] {
        let [ours, theirs] = [old, new].map(|book| stdout([command, &[arg(book)]].concat()));
        assert_eq!(
            ours.replace("old.obook", "book.obook"),
            theirs,
            "{command:?}"
        );
    }
}

/// Changes both, which migrates the old one.
fn fix_both(old: &Path, new: &Path) {
    for book in [old, new] {
        let wipe = "UPDATE positions SET value = NULL";
        Connection::open(book).unwrap().execute_batch(wipe).unwrap();
        stdout(["fix", arg(book)]);
    }
    assert_eq!(schema(old), schema(new));
}

fn assert_same_tables(old: &Path, new: &Path) {
    for table in TABLES.into_iter().chain(["book", "todo"]) {
        let all = format!("SELECT * FROM {table}");
        assert_eq!(select(old, &all), select(new, &all), "{table}");
    }
}

/// Law (Databases): A database of an older version can be read unchanged, and is migrated by the first change that
/// succeeds.
/// Also: `version_1_is_migrated_by_the_first_change` `a_change_that_fails_migrates_nothing`
#[test]
fn version_1_is_read_as_it_is() {
    let (folder, new) = games_database();
    let old = older(1, folder.path(), &new);
    let before = std::fs::read(&old).unwrap();
    assert_reads_alike(&old, &new);
    let sql = "SELECT rules, repetition, (SELECT count(*) FROM history) AS changes FROM book";
    let answer = stdout(["query", arg(&old), sql, "--format", "csv"]);
    assert_eq!(answer, "rules,repetition,changes\nedax,,0\n");
    assert_eq!(std::fs::read(&old).unwrap(), before, "nothing was written");
}

#[test]
fn version_1_is_migrated_by_the_first_change() {
    let (folder, new) = games_database();
    let old = older(1, folder.path(), &new);
    fix_both(&old, &new);
    unknown_sources(&new);
    let versions = "SELECT schema_version, user_version, repetition FROM book, pragma_user_version";
    assert_eq!(select(&old, versions), select(&new, versions));
    assert_same_tables(&old, &new);
    let commands = "SELECT command FROM history";
    let fix = |book: &Path| vec![Value::Text(format!("obook fix {}", book.display()))];
    assert_eq!(select(&old, commands), [fix(&old)]);
    assert_eq!(select(&new, commands)[1..], [fix(&new)]);
}

/// Older files do not tell whether a source is still there as it came in.
fn unknown_sources(path: &Path) {
    let connection = Connection::open(path).unwrap();
    let unknown = "UPDATE sources SET current = NULL";
    assert_eq!(connection.execute(unknown, []).unwrap(), 1);
}

/// The schema of a file, without comments and spaces, which `ALTER TABLE` can't reproduce.
fn schema(path: &Path) -> Vec<(Value, String)> {
    let schema = select(
        path,
        "SELECT name, sql FROM sqlite_schema ORDER BY type, name",
    );
    let plain = |sql: &str| -> String {
        let lines = sql.lines();
        let code = lines.map(|line| line.split("--").next().unwrap_or_default());
        code.flat_map(str::split_whitespace).collect()
    };
    let row = |row: Vec<Value>| match &row[..] {
        [name, Value::Text(sql)] => (name.clone(), plain(sql)),
        [name, _] => (name.clone(), String::new()),
        other => panic!("{other:?}"),
    };
    schema.into_iter().map(row).collect()
}

#[test]
fn version_2_is_read_as_it_is_and_migrated_by_the_first_change() {
    let (folder, new) = games_database();
    let old = older(2, folder.path(), &new);
    let before = std::fs::read(&old).unwrap();
    assert_reads_alike(&old, &new);
    let sql = "SELECT count(*) AS said FROM positions WHERE unsearched IS NOT NULL";
    let answer = stdout(["query", arg(&old), sql, "--format", "csv"]);
    assert_eq!(answer, "said\n0\n");
    assert_eq!(std::fs::read(&old).unwrap(), before, "nothing was written");
    fix_both(&old, &new);
    unknown_sources(&new);
    assert_same_tables(&old, &new);
}

#[test]
fn version_3_is_read_as_it_is_and_migrated_by_the_first_change() {
    let (folder, new) = games_database();
    let old = older(3, folder.path(), &new);
    let before = std::fs::read(&old).unwrap();
    assert_reads_alike(&old, &new);
    let games = "SELECT (SELECT count(*) FROM games) + (SELECT count(*) FROM played) AS games";
    let answer = stdout(["query", arg(&old), games, "--format", "csv"]);
    assert_eq!(answer, "games\n0\n");
    assert_eq!(std::fs::read(&old).unwrap(), before, "nothing was written");
    fix_both(&old, &new);
    assert_same_tables(&old, &new);
}

#[test]
fn version_4_is_read_as_it_is_and_migrated_by_the_first_change() {
    let (folder, new) = games_database();
    let old = older(4, folder.path(), &new);
    let before = std::fs::read(&old).unwrap();
    assert_reads_alike(&old, &new);
    let waits = "SELECT (SELECT count(*) FROM tasks) + (SELECT count(*) FROM learned) AS waits";
    let answer = stdout(["query", arg(&old), waits, "--format", "csv"]);
    assert_eq!(answer, "waits\n0\n");
    let status = stdout(["learn", arg(&old), "--status"]);
    assert!(
        status.starts_with("Nothing has been learned yet."),
        "{status}"
    );
    assert_eq!(std::fs::read(&old).unwrap(), before, "nothing was written");
    fix_both(&old, &new);
    assert_same_tables(&old, &new);
}

#[test]
fn version_5_is_read_as_it_is_and_migrated_by_the_first_change() {
    let (folder, new) = games_database();
    let old = older(5, folder.path(), &new);
    let before = std::fs::read(&old).unwrap();
    assert_reads_alike(&old, &new);
    assert_eq!(std::fs::read(&old).unwrap(), before, "nothing was written");
    fix_both(&old, &new);
    assert_same_tables(&old, &new);
}

#[test]
fn version_6_is_read_as_it_is_and_migrated_by_the_first_change() {
    let (folder, new) = games_database();
    let old = older(6, folder.path(), &new);
    let before = std::fs::read(&old).unwrap();
    assert_reads_alike(&old, &new);
    let sql = "SELECT count(*) AS proven FROM positions WHERE prover IS NOT NULL";
    let answer = stdout(["query", arg(&old), sql, "--format", "csv"]);
    assert_eq!(answer, "proven\n0\n");
    assert_eq!(std::fs::read(&old).unwrap(), before, "nothing was written");
    fix_both(&old, &new);
    assert_same_tables(&old, &new);
}

/// A change that fails leaves an old file as old as it was.
#[test]
fn a_change_that_fails_migrates_nothing() {
    let (folder, new) = games_database();
    let old = older(1, folder.path(), &new);
    Connection::open(&old)
        .unwrap()
        .execute_batch("UPDATE links SET move = 200 WHERE board = (SELECT min(board) FROM links)")
        .unwrap();
    complaint(["negamax", arg(&old)], &old);
    let version = "SELECT user_version FROM pragma_user_version";
    assert_eq!(select(&old, version), [[Value::Integer(1)]]);
    assert_eq!(
        select(&old, "SELECT schema_version FROM book"),
        [[Value::Integer(1)]]
    );
}
