//! A change of several transactions is one change in the history.

use super::support::games;
use obook::{Context, LogState, PastChange, Store};
use obook_testing::book_rows::rows;
use std::path::Path;

/// Makes a part of a change: SQL that may change anything. `whole` is a table that is logged as a whole.
fn part(book: &Path, sql: &str, whole: Option<&str>, number: u32, change: &mut Option<i64>) {
    let mut store = Store::open_for_writing(book, &Context::default()).unwrap();
    let update = store.continue_change(*change).unwrap();
    if let Some(table) = whole {
        update.log_whole(&[table]).unwrap();
    }
    update.connection().execute_batch(sql).unwrap();
    let counts = serde_json::json!({ "part": number });
    *change = update.commit(&counts).unwrap().or(*change);
}

const PARTS: [&str; 3] = [
    "UPDATE positions SET value = 5; DELETE FROM links WHERE move = 20",
    "UPDATE positions SET value = value + empties; DELETE FROM leaves WHERE score > 0",
    "DELETE FROM positions WHERE value % 3 = 0; INSERT INTO leaves SELECT board, 9, 9, 9, 1 FROM positions
     WHERE board NOT IN (SELECT board FROM leaves)",
];

#[test]
fn all_parts_are_taken_back_at_once_and_made_again() {
    for whole_at_first in [None, Some("positions")] {
        let (_folder, book) = games();
        let before = rows(&book);
        let mut change = None;
        for (number, sql) in (1..).zip(PARTS) {
            let whole = whole_at_first.filter(|_| number == 1);
            part(&book, sql, whole, number, &mut change);
        }
        let mut store = Store::open_for_writing(&book, &Context::default()).unwrap();
        let history = store.history().unwrap();
        assert_eq!(history.len(), 2, "the import and this");
        assert_eq!(history[1].counts, serde_json::json!({ "part": 3 }));
        let after = rows(&book);
        store.undo().unwrap();
        assert!(rows(&book) == before, "{whole_at_first:?}");
        store.redo().unwrap();
        assert!(rows(&book) == after, "{whole_at_first:?}");
    }
}

/// A change that came between has to be undone first, so the rest becomes a change of its own. A part that asks for the log of a
/// whole table doesn't: its rows are logged one by one.
#[test]
fn an_interleaved_change_splits_a_change() {
    let set = |level: u32| format!("UPDATE book SET level = {level}");
    let (_folder, book) = games();
    let mut change = None;
    part(&book, &set(1), None, 1, &mut change);
    part(&book, &set(2), None, 1, &mut None);
    part(&book, &set(3), None, 2, &mut change);
    part(&book, &set(4), Some("book"), 3, &mut change);
    part(&book, &set(5), None, 4, &mut change);
    let level = || {
        let store = Store::open(&book, &Context::default()).unwrap();
        store.header().unwrap().header.level
    };
    let mut store = Store::open_for_writing(&book, &Context::default()).unwrap();
    let mut levels = vec![level()];
    let holds = |change: &PastChange| change.log == LogState::Kept && change.undone.is_none();
    while store.history().unwrap().iter().any(holds) {
        store.undo().unwrap();
        levels.push(level());
        if levels.len() == 3 {
            // If it was undone meanwhile, it does not continue.
            part(&book, &set(6), None, 5, &mut change);
            levels.push(level());
        }
    }
    let original = *levels.last().unwrap();
    assert_eq!(
        levels,
        [Some(5), Some(2), Some(1), Some(6), Some(1), original]
    );
}
