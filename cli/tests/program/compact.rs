//! `obook compact`: a smaller file, the same book.

use crate::support::program::{arg, complaint, json, stdout};
use crate::support::report::GAMES;
use obook_testing::stored_book::digest;
use rusqlite::Connection;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// A book with free space left by changes, and the size of its file.
fn roomy() -> (TempDir, PathBuf, u64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.obook");
    stdout(["import", GAMES, "--book", arg(&path)]);
    stdout(["depth", arg(&path), "8"]);
    stdout(["history", arg(&path), "--keep", "0"]);
    stdout(["edit", arg(&path), "f5", "--value", "2"]);
    let bytes = fs::metadata(&path).unwrap().len();
    (folder, path, bytes)
}

/// Law (Crashes, untrusted books, concurrency): Compacting keeps a book's contents, history, and all logs that stay valid.
/// Also: `tests/store/compact.rs` `undo_after_compact_touches_no_other_row` `redo_after_compact_touches_no_other_row`
/// `undo_after_compact_is_exact_where_rows_keep_their_numbers`
#[test]
fn the_same_book_takes_less_room() {
    let (_folder, path, bytes) = roomy();
    let before = digest(&path);
    let history = stdout(["history", arg(&path), "--json"]);
    let compacted = json(["compact", arg(&path), "--json"]);
    let after = fs::metadata(&path).unwrap().len();
    assert_eq!(compacted["before"], bytes);
    assert_eq!(compacted["after"], after);
    assert!(after < bytes / 2, "{after} of {bytes}");
    assert!(digest(&path) == before);
    assert_eq!(stdout(["history", arg(&path), "--json"]), history);
    // The book is the same as without compacting.
    let said = stdout(["undo", arg(&path)]);
    assert!(said.contains("obook edit"), "{said}");
    stdout(["verify", arg(&path)]);
    let again = stdout(["compact", arg(&path)]);
    assert!(again.contains(" bytes before, "), "{again}");
}

#[test]
fn while_another_process_writes_nothing_is_compacted() {
    let (_folder, path, bytes) = roomy();
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    let said = complaint(["compact", arg(&path), "--wait", "0"], &path);
    assert!(said.contains("another process is still writing"), "{said}");
    drop(writer);
    assert_eq!(fs::metadata(&path).unwrap().len(), bytes);
    let said = complaint(["compact", GAMES], GAMES.as_ref());
    assert!(said.contains("obook import"), "{said}");
}

#[test]
fn readers_see_the_book_and_space_is_freed_later() {
    let (_folder, path, bytes) = roomy();
    let reader = Connection::open(&path).unwrap();
    let count = || -> i64 {
        let sql = "SELECT count(*) FROM positions";
        reader.query_row(sql, [], |row| row.get(0)).unwrap()
    };
    reader.execute_batch("BEGIN").unwrap();
    let before = count();
    stdout(["compact", arg(&path)]);
    assert_eq!(count(), before);
    reader.execute_batch("COMMIT").unwrap();
    drop(reader);
    assert!(fs::metadata(&path).unwrap().len() < bytes / 2);
}
