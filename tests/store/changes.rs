//! Changes are in the history or leave no trace.

use super::support::{book, change, open};
use obook::{BookHeader, Context, IfExists, LogState, NewBook};
use obook_othello::RuleSet;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread::sleep;
use std::time::Duration;

/// The log of a change that changed nothing ends with it: the next one on the same handle begins another.
///
/// Law (Crashes, untrusted books, concurrency): A change without effect leaves no trace; one in several transactions
/// has one number.
/// Also: `a_change_knows_its_number`
#[test]
fn a_change_of_nothing_leaves_no_trace() {
    let (_folder, path) = book();
    let mut store = open(&path);
    for _ in 0..2 {
        assert_eq!(
            change(&mut store, "UPDATE book SET level = 7 WHERE 0"),
            None
        );
    }
    assert_eq!(change(&mut store, "UPDATE book SET level = 7"), Some(2));
    assert_eq!(store.history().unwrap().len(), 2);
    store.undo().unwrap();
    assert_eq!(store.header().unwrap().header.level, None);
}

/// The number that a change announces is the one that it gets, whatever it logs.
#[test]
fn a_change_knows_its_number() {
    let (_folder, path) = book();
    let mut store = open(&path);
    let mut last = None;
    for level in 1..5 {
        let change = store.continue_change(last).unwrap();
        assert_eq!(change.number(), 2);
        if level % 2 == 0 {
            change.log_whole(&["book"]).unwrap();
        }
        let sql = format!("UPDATE book SET level = {level}");
        change.connection().execute_batch(&sql).unwrap();
        last = change.commit(&()).unwrap();
        assert_eq!(last, Some(2));
    }
    store.undo().unwrap();
    assert_eq!(store.header().unwrap().header.level, None);
    let change = store.continue_change(last).unwrap();
    assert_eq!(change.number(), 3, "an undone change does not continue");
}

/// Operations can share a change. They see each other's writes, and other connections don't.
#[test]
fn a_reader_sees_the_book_as_it_was() {
    let (_folder, path) = book();
    let mut store = open(&path);
    let change = store.change().unwrap();
    let board = obook_othello::Board::START.canonical();
    change.remove(board).unwrap();
    assert_eq!(change.position(board).unwrap(), None);
    let reader = change.store().reader().unwrap();
    assert!(reader.position(board).unwrap().is_some());
    drop(change);
    assert!(store.position(board).unwrap().is_some());
}

/// A change that has nothing in its log, because all it did was to fill a table of its own, can be undone like any other.
#[test]
fn an_empty_log_is_kept() {
    let (_folder, path) = book();
    let mut store = open(&path);
    change(
        &mut store,
        "CREATE TABLE notes (text); INSERT INTO notes VALUES ('a')",
    );
    change(&mut store, "UPDATE book SET level = 5");
    let logs = store.history().unwrap();
    let logs: Vec<LogState> = logs.iter().map(|change| change.log).collect();
    assert_eq!(logs, [LogState::None, LogState::Kept, LogState::Kept]);
}

/// Both can be told to run again, but not all commands to replace a book.
#[test]
fn of_two_commands_that_make_a_book_one_is_told_to_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.obook");
    let [one, other] = ["one", "other"].map(|command| {
        let new = NewBook::create(&path, IfExists::Refuse, &Context::new(command)).unwrap();
        new.set_header(&BookHeader::new(RuleSet::Edax)).unwrap();
        new
    });
    one.commit(&()).unwrap();
    let refused = other.commit(&()).unwrap_err().to_string();
    assert!(refused.ends_with("run the command again"), "{refused}");
    assert_eq!(open(&path).history().unwrap()[0].command, "one");
}

/// Of several writers none is forgotten: while it waits, each of the others has a few turns.
///
/// Law (Crashes, untrusted books, concurrency): No waiting writer is overtaken again and again.
#[test]
fn writers_take_turns() {
    const WRITERS: usize = 7;
    const CHANGES: usize = 12;
    let (_folder, path) = book();
    let made = AtomicUsize::new(0);
    let write = &|writer: usize| {
        let mut store = open(&path);
        let mut longest = 0;
        for number in 0..CHANGES {
            // As between two commands.
            sleep(Duration::from_millis(5));
            let before = made.load(SeqCst);
            let change = store.change().unwrap();
            longest = longest.max(made.load(SeqCst) - before);
            let sql = format!("UPDATE book SET level = {}", CHANGES * writer + number);
            change.connection().execute_batch(&sql).unwrap();
            sleep(Duration::from_millis(40));
            made.fetch_add(1, SeqCst);
            change.commit(&()).unwrap();
        }
        longest
    };
    let longest = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| scope.spawn(move || write(writer)))
            .collect();
        let ended = writers.into_iter().map(|writer| writer.join().unwrap());
        ended.max().unwrap()
    });
    assert_eq!(made.into_inner(), WRITERS * CHANGES);
    assert!(longest <= 5 * WRITERS, "{longest} others had their turn");
}
