//! Redo repeats undone changes.

use super::history::{ACTIONS, OWN_TABLES, act, change, changes, games, writing};
use obook::{LogState, PastChange};
use obook_testing::book_rows::dump;
use proptest::prelude::*;
use rusqlite::Connection;
use std::path::Path;

/// Whether each change after the import is in effect, and what happened to its log.
fn states(path: &Path) -> Vec<(bool, LogState)> {
    let history = writing(path).history().unwrap();
    let state = |change: &PastChange| (change.undone.is_none(), change.log);
    history.iter().skip(1).map(state).collect()
}

/// The reason why a change can't be redone.
fn refusal(path: &Path) -> String {
    let error = writing(path).redo().unwrap_err().to_string();
    assert!(error.starts_with(path.to_str().unwrap()), "{error}");
    error
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// After any sequence of changes, undo and redo, the tables equal a model with two stacks of states, row by row.
    ///
    /// Law (Changes): Undo and redo are two stacks of states; a change empties the second.
    /// Also: `a_change_after_an_undo_ends_redo`
    #[test]
    fn undo_and_redo_are_two_stacks(
        steps in proptest::collection::vec((0u8..ACTIONS * 2, any::<u32>()), 1..16),
    ) {
        let (_folder, path) = games();
        Connection::open(&path).unwrap().execute_batch(OWN_TABLES).unwrap();
        let mut store = writing(&path);
        let (mut past, mut future) = (Vec::new(), Vec::new());
        let mut now = dump(&path);
        for (step, number) in steps {
            let known = changes(&path);
            match step {
                action if action < ACTIONS => {
                    act(&mut store, action, number);
                    let after = dump(&path);
                    if changes(&path) > known {
                        past.push(std::mem::replace(&mut now, after));
                        future.clear();
                    }
                }
                step if step % 2 == 0 => match past.pop() {
                    Some(before) => {
                        store.undo().unwrap();
                        future.push(std::mem::replace(&mut now, before));
                    }
                    None => prop_assert!(store.undo().is_err()),
                },
                _ => match future.pop() {
                    Some(after) => {
                        store.redo().unwrap();
                        past.push(std::mem::replace(&mut now, after));
                    }
                    None => prop_assert!(store.redo().is_err()),
                },
            }
            prop_assert!(dump(&path) == now);
            // Nothing but a change of its own is entered.
            prop_assert!(step < ACTIONS || changes(&path) == known);
        }
    }
}

#[test]
fn a_change_after_an_undo_ends_redo() {
    let (_folder, path) = games();
    let said = refusal(&path);
    assert!(
        said.contains("no change in its history was undone"),
        "{said}"
    );
    for level in 1..4 {
        change(&path, &format!("UPDATE book SET level = {level}"));
    }
    writing(&path).undo().unwrap();
    writing(&path).undo().unwrap();
    let redone = writing(&path).redo().unwrap();
    assert_eq!((redone.id, redone.rows), (3, 1));
    // An operation without effect is not a change.
    change(&path, "UPDATE book SET level = 9 WHERE level = 1");
    let kept = |holds: bool| (holds, LogState::Kept);
    assert_eq!(states(&path), [kept(true), kept(true), kept(false)]);
    change(&path, "UPDATE book SET depth = 7");
    let dropped = (false, LogState::Dropped);
    assert_eq!(states(&path), [kept(true), kept(true), dropped, kept(true)]);
    let before = dump(&path);
    let said = refusal(&path);
    assert!(
        said.contains("change 5, “obook query”, was made since"),
        "{said}"
    );
    assert!(dump(&path) == before);
}

#[test]
fn logs_for_redo_leave_those_for_undo_alone() {
    let (_folder, path) = games();
    change(&path, "UPDATE book SET level = 1");
    change(&path, "CREATE TABLE blobs (x)");
    // Undo needs only a number, redo as much as was inserted.
    for _ in 0..4 {
        change(&path, "INSERT INTO blobs VALUES (randomblob(7000000))");
    }
    let after = dump(&path);
    for _ in 0..6 {
        writing(&path).undo().unwrap();
    }
    let kept = (false, LogState::Kept);
    let dropped = (false, LogState::Dropped);
    let all = [kept, kept, kept, kept, dropped, dropped];
    assert_eq!(states(&path), all);
    for _ in 0..4 {
        writing(&path).redo().unwrap();
    }
    assert!(dump(&path)["blobs"] == after["blobs"][..2]);
    let said = refusal(&path);
    assert!(said.contains("its log was dropped, to save room"), "{said}");
    assert_eq!(states(&path)[..4], [(); 4].map(|()| (true, LogState::Kept)));
    // The requested number of changes is kept.
    writing(&path).undo().unwrap();
    writing(&path).undo().unwrap();
    writing(&path).keep_logs(1).unwrap();
    let some = [
        (true, LogState::Dropped),
        (true, LogState::Kept),
        kept,
        dropped,
    ];
    assert_eq!(states(&path)[..4], some);
    writing(&path).keep_logs(0).unwrap();
    assert_eq!(states(&path)[2], dropped);
    refusal(&path);
}

/// Changes that bypassed obook are not overwritten.
#[test]
fn redo_refuses_if_others_changed_the_rows() {
    let (_folder, path) = games();
    change(&path, "DELETE FROM leaves WHERE score = 0");
    writing(&path).undo().unwrap();
    Connection::open(&path)
        .unwrap()
        .execute_batch("DELETE FROM leaves WHERE score = 0")
        .unwrap();
    let before = dump(&path);
    let said = refusal(&path);
    assert!(said.contains("another program has changed"), "{said}");
    assert!(dump(&path) == before);
    assert_eq!(states(&path), [(false, LogState::Kept)]);
}
