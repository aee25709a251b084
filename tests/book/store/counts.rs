//! `info` says how many rows there are without counting them, whoever has written to the book.

use super::history::{ACTIONS, EDITS, OWN_TABLES, act, change, imported, rows};
use crate::support::program::{arg, json, obook, stdout};
use obook_book::{Context, Store};
use proptest::prelude::*;
use rusqlite::Connection;
use rusqlite::types::Value;
use serde_json::json as value;
use std::path::Path;

/// What plain SQL counts.
fn counted(path: &Path) -> serde_json::Value {
    let sql = "SELECT json_object('positions', (SELECT count(*) FROM positions), 'links', (SELECT count(*) FROM links),
                   'leaves', (SELECT count(*) FROM leaves WHERE move IS NOT NULL),
                   'levels', json((SELECT json_group_object(level, number) FROM
                       (SELECT level, count(*) AS number FROM positions WHERE level IS NOT NULL GROUP BY level))))";
    match &rows(path, sql)[0][0] {
        Value::Text(counted) => serde_json::from_str(counted).unwrap(),
        other => panic!("{other:?}"),
    }
}

/// What `info` says.
fn said(path: &Path) -> serde_json::Value {
    let info = json(["info", arg(path), "--json"]);
    let counts = ["positions", "links", "leaves", "levels"];
    counts
        .iter()
        .map(|name| (*name, info[name].clone()))
        .collect()
}

/// Whether the book itself says it.
fn is_kept(path: &Path) -> bool {
    rows(path, "SELECT count(*) > 0 FROM row_counts") == [[Value::Integer(1)]]
}

/// SQL by another program.
fn write(path: &Path, sql: &str) {
    let connection = Connection::open(path).unwrap();
    // What fails changes nothing, and that is as good here.
    let _ = connection.execute_batch(&format!("BEGIN; {sql}; COMMIT"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever is done to a book, by obook and by others, `info` says what counting gives.
    #[test]
    fn info_is_what_counting_gives(
        steps in proptest::collection::vec((0u8..4, any::<u8>(), 0u32..1_000_000), 1..12),
    ) {
        let (_folder, path) = imported();
        Connection::open(&path).unwrap().execute_batch(OWN_TABLES).unwrap();
        prop_assert!(is_kept(&path));
        let store = || Store::open_for_writing(&path, &Context::default()).unwrap();
        for (who, what, number) in steps {
            match who {
                0 => write(&path, &EDITS[usize::from(what) % EDITS.len()].replace('?', &number.to_string())),
                1 if what % 2 == 0 => drop(store().undo()),
                1 => drop(store().redo()),
                _ => act(&path, what % ACTIONS, number),
            }
            prop_assert_eq!(said(&path), counted(&path));
        }
        // The next change knows again.
        change(&path, "UPDATE book SET depth = coalesce(depth, 0) + 1");
        prop_assert!(is_kept(&path) || counted(&path)["positions"] == 0);
        prop_assert_eq!(said(&path), counted(&path));
    }
}

#[test]
fn who_writes_with_another_program_makes_info_count() {
    for sql in [
        "DELETE FROM positions WHERE empties = 50",
        "UPDATE positions SET level = 3 WHERE empties = 50",
        "INSERT INTO positions (board, empties, level, engine) VALUES (zeroblob(16), 60, 9, 1)",
        "REPLACE INTO positions (board, empties, level, engine) SELECT board, empties, 9, 1 FROM positions LIMIT 1",
        "DELETE FROM links",
        "INSERT INTO links VALUES (zeroblob(16), 64, 0)",
        "DELETE FROM leaves WHERE score > 0",
        "UPDATE leaves SET move = NULL",
        "INSERT INTO leaves VALUES (zeroblob(16), 9, 0, 1, 1)",
        // Without its triggers, a table is not watched over.
        "PRAGMA legacy_alter_table = ON;
         CREATE TABLE other (board BLOB NOT NULL, move INTEGER NOT NULL, score INTEGER, PRIMARY KEY (board, move))
             STRICT, WITHOUT ROWID;
         INSERT INTO other SELECT * FROM links LIMIT 9; DROP TABLE links; ALTER TABLE other RENAME TO links",
        "DROP TRIGGER positions_deleted; DELETE FROM positions WHERE empties = 50",
        "DELETE FROM row_counts; INSERT INTO row_counts VALUES ('links', NULL, -1)",
    ] {
        let (_folder, path) = imported();
        let before = counted(&path);
        assert_eq!(said(&path), before);
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        assert_eq!(said(&path), counted(&path), "{sql}");
        assert!(said(&path) != before || sql.contains("row_counts"), "{sql}");
    }
}

/// What the book's own triggers write is no row that a person changed, and its own count is not theirs to change.
#[test]
fn rows_of_the_account_are_not_counted_as_changed() {
    let (_folder, path) = imported();
    let delete = "DELETE FROM leaves WHERE move IS NOT NULL";
    let leaves = said(&path)["leaves"].clone();
    let history = |path: &Path| json(["history", arg(path), "--json"]);
    stdout(["query", arg(&path), "--write", delete]);
    assert_eq!(history(&path)[1]["counts"], value!({ "rows": leaves }));
    assert!(is_kept(&path));
    assert_eq!(said(&path), counted(&path));
    // What changes nothing is no change, and what was counted stays.
    stdout(["query", arg(&path), "--write", delete]);
    assert_eq!(history(&path).as_array().unwrap().len(), 2);
    assert!(is_kept(&path));
    stdout(["undo", arg(&path)]);
    assert_eq!(said(&path)["leaves"], leaves);
    let refused = obook(["query", arg(&path), "--write", "DELETE FROM row_counts"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(is_kept(&path));
}

/// A change of several transactions, each of which has its own count.
#[test]
fn a_search_keeps_count_and_so_does_taking_it_back() {
    let (_folder, path) = imported();
    let wipe = "DELETE FROM leaves WHERE board IN (SELECT board FROM positions JOIN leaves USING (board)
                WHERE move IS NOT NULL ORDER BY empties DESC, board LIMIT 40); UPDATE book SET fixed = NULL";
    stdout(["query", arg(&path), "--write", wipe]);
    stdout(["fix", arg(&path)]);
    let lacking = said(&path);
    stdout(["search", arg(&path), "--level", "1", "--batch", "16"]);
    let leaves = |counts: &serde_json::Value| counts["leaves"].as_u64().unwrap();
    assert_eq!(leaves(&said(&path)), leaves(&lacking) + 40);
    for next in ["undo", "redo"] {
        assert!(is_kept(&path));
        assert_eq!(said(&path), counted(&path));
        stdout([next, arg(&path)]);
    }
    assert!(is_kept(&path));
    assert_eq!(said(&path), counted(&path));
}
