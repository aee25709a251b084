//! A book knows its number of rows without counting, after any program wrote to it.

use super::history::{ACTIONS, EDITS, OWN_TABLES, act, change, games, writing};
use obook::{Context, Store};
use obook_testing::book_rows::{Numbers, counted, has_counts};
use proptest::prelude::*;
use rusqlite::Connection;
use std::path::Path;

/// The stored counts.
fn said(path: &Path) -> Numbers {
    let store = Store::open(path, &Context::default()).unwrap();
    let counts = store.counts().unwrap();
    let rows = counts.rows();
    let levels = counts.levels().collect();
    ([rows.positions, rows.links, rows.leaves], levels)
}

/// SQL by another program.
fn write(path: &Path, sql: &str) {
    let connection = Connection::open(path).unwrap();
    // An action that fails changes nothing, which is fine here.
    let _ = connection.execute_batch(&format!("BEGIN; {sql}; COMMIT"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// After any changes by obook and other programs, the stored counts equal the real ones.
    ///
    /// Law (Changes): `info` matches a full count, whatever obook and other programs do to a book.
    /// Also: `info_counts_after_another_program_wrote` `cli/tests/program/info.rs`
    /// `a_search_keeps_count_and_so_does_taking_it_back`
    #[test]
    fn info_is_what_counting_gives(
        steps in proptest::collection::vec((0u8..4, any::<u8>(), 0u32..1_000_000), 1..12),
    ) {
        let (_folder, path) = games();
        Connection::open(&path).unwrap().execute_batch(OWN_TABLES).unwrap();
        prop_assert!(has_counts(&path));
        let mut store = writing(&path);
        for (who, what, number) in steps {
            match who {
                0 => write(&path, &EDITS[usize::from(what) % EDITS.len()].replace('?', &number.to_string())),
                1 if what % 2 == 0 => drop(store.undo()),
                1 => drop(store.redo()),
                _ => act(&mut store, what % ACTIONS, number),
            }
            prop_assert_eq!(said(&path), counted(&path));
        }
        // The next change knows again.
        change(&path, "UPDATE book SET depth = coalesce(depth, 0) + 1");
        prop_assert!(has_counts(&path) || counted(&path).0[0] == 0);
        prop_assert_eq!(said(&path), counted(&path));
    }
}

#[test]
fn info_counts_after_another_program_wrote() {
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
        // Changes of a table without triggers go unnoticed.
        "PRAGMA legacy_alter_table = ON;
         CREATE TABLE other (board BLOB NOT NULL, move INTEGER NOT NULL, score INTEGER, PRIMARY KEY (board, move))
             STRICT, WITHOUT ROWID;
         INSERT INTO other SELECT * FROM links LIMIT 9; DROP TABLE links; ALTER TABLE other RENAME TO links",
        "DROP TRIGGER positions_deleted; DELETE FROM positions WHERE empties = 50",
        "DELETE FROM row_counts; INSERT INTO row_counts VALUES ('links', NULL, -1)",
    ] {
        let (_folder, path) = games();
        let before = counted(&path);
        assert_eq!(said(&path), before);
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        assert_eq!(said(&path), counted(&path), "{sql}");
        assert!(said(&path) != before || sql.contains("row_counts"), "{sql}");
    }
}
