//! Compacting keeps undo possible, or says that it is not.

use super::support::{book, change, open, texts};
use obook::LogState;

const NOTES: &str = "SELECT board || text FROM notes ORDER BY board";

/// `VACUUM` numbers the rows of such a table anew, and the log knows them by number.
#[test]
fn undo_after_compact_touches_no_other_row() {
    let (_folder, path) = book();
    let mut store = open(&path);
    change(&mut store, "CREATE TABLE notes (board, text)");
    change(
        &mut store,
        "INSERT INTO notes VALUES ('1', 'a'), ('2', 'b'), ('3', 'c')",
    );
    change(&mut store, "DELETE FROM notes WHERE text = 'a'");
    change(&mut store, "UPDATE notes SET text = 'B' WHERE text = 'b'");
    change(&mut store, "UPDATE book SET level = 5");
    store.compact().unwrap();
    // A change of other tables can be undone, but none of this one.
    store.undo().unwrap();
    assert_eq!(store.header().unwrap().header.level, None);
    let error = store.undo().unwrap_err().to_string();
    assert!(error.contains("its log was dropped"), "{error}");
    assert_eq!(texts(&store, NOTES), ["2B", "3c"]);
}

/// The same for a change that was undone.
#[test]
fn redo_after_compact_touches_no_other_row() {
    let (_folder, path) = book();
    let mut store = open(&path);
    change(
        &mut store,
        "CREATE TABLE notes (board, text); INSERT INTO notes VALUES ('1', 'a'), ('2', 'b'), ('3', 'c');
         DELETE FROM notes WHERE text = 'a'",
    );
    change(&mut store, "UPDATE book SET level = 5");
    change(&mut store, "UPDATE notes SET text = 'B' WHERE text = 'b'");
    store.undo().unwrap();
    store.undo().unwrap();
    store.compact().unwrap();
    store.redo().unwrap();
    assert_eq!(store.header().unwrap().header.level, Some(5));
    let error = store.redo().unwrap_err().to_string();
    assert!(error.contains("its log was dropped"), "{error}");
    assert_eq!(texts(&store, NOTES), ["2b", "3c"]);
}

/// Rows with a key of their own, or without gaps in their numbers, keep their numbers, and their logs stay.
#[test]
fn undo_after_compact_is_exact_where_rows_keep_their_numbers() {
    for columns in [
        "board INTEGER PRIMARY KEY, text",
        "board TEXT PRIMARY KEY, text) WITHOUT ROWID; CREATE TABLE other (x",
    ] {
        let (_folder, path) = book();
        let mut store = open(&path);
        change(
            &mut store,
            &format!(
                "CREATE TABLE notes ({columns}); INSERT INTO notes VALUES (1, 'a'), (2, 'b'), (3, 'c')"
            ),
        );
        change(&mut store, "DELETE FROM notes WHERE text = 'a'");
        change(&mut store, "UPDATE notes SET text = 'B' WHERE text = 'b'");
        store.compact().unwrap();
        store.undo().unwrap();
        assert_eq!(texts(&store, NOTES), ["2b", "3c"], "{columns}");
        store.undo().unwrap();
        assert_eq!(texts(&store, NOTES), ["1a", "2b", "3c"], "{columns}");
    }
    let (_folder, path) = book();
    let mut store = open(&path);
    change(
        &mut store,
        "CREATE TABLE notes (board, text); INSERT INTO notes VALUES ('1', 'a'), ('2', 'b'), ('3', 'c')",
    );
    change(&mut store, "UPDATE notes SET text = 'B' WHERE text = 'b'");
    store.compact().unwrap();
    let logs = store.history().unwrap();
    let logs: Vec<LogState> = logs.iter().map(|change| change.log).collect();
    assert_eq!(logs, [LogState::None, LogState::Kept, LogState::Kept]);
    store.undo().unwrap();
    assert_eq!(texts(&store, NOTES), ["1a", "2b", "3c"]);
}
