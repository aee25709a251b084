//! What was taken back is made again.

use super::history::{ACTIONS, OWN_TABLES, act, change, changes, dump, imported};
use crate::support::program::{arg, complaint, json, stdout};
use obook_book::{Context, Store};
use proptest::prelude::*;
use rusqlite::Connection;
use std::path::Path;

/// What the history of a book says of each change after the import: whether it holds, and of its log.
fn states(path: &Path) -> Vec<(bool, String)> {
    let history = json(["history", arg(path), "--json"]);
    let state = |change: &serde_json::Value| {
        let log = change["log"].as_str().unwrap().to_owned();
        (change["undone"].is_null(), log)
    };
    let changes = history.as_array().unwrap();
    changes.iter().skip(1).map(state).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Whatever is done, taken back and made again, the tables are what two stacks of states say, row by row.
    #[test]
    fn undo_and_redo_are_two_stacks(
        steps in proptest::collection::vec((0u8..ACTIONS * 2, any::<u32>()), 1..16),
    ) {
        let (_folder, path) = imported();
        Connection::open(&path).unwrap().execute_batch(OWN_TABLES).unwrap();
        let store = || Store::open_for_writing(&path, &Context::default()).unwrap();
        let (mut past, mut future) = (Vec::new(), Vec::new());
        let mut now = dump(&path);
        for (step, number) in steps {
            let known = changes(&path);
            match step {
                action if action < ACTIONS => {
                    act(&path, action, number);
                    let after = dump(&path);
                    if changes(&path) > known {
                        past.push(std::mem::replace(&mut now, after));
                        future.clear();
                    }
                }
                step if step % 2 == 0 => match past.pop() {
                    Some(before) => {
                        store().undo().unwrap();
                        future.push(std::mem::replace(&mut now, before));
                    }
                    None => prop_assert!(store().undo().is_err()),
                },
                _ => match future.pop() {
                    Some(after) => {
                        store().redo().unwrap();
                        past.push(std::mem::replace(&mut now, after));
                    }
                    None => prop_assert!(store().redo().is_err()),
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
    let (_folder, path) = imported();
    let said = complaint(["redo", arg(&path)], &path);
    assert!(
        said.contains("no change of its history was taken back"),
        "{said}"
    );
    for level in 1..4 {
        change(&path, &format!("UPDATE book SET level = {level}"));
    }
    stdout(["undo", arg(&path)]);
    stdout(["undo", arg(&path)]);
    let redone = json(["redo", arg(&path), "--json"]);
    assert_eq!((&redone["id"], &redone["rows"]), (&3.into(), &1.into()));
    // What changes nothing is no change.
    change(&path, "UPDATE book SET level = 9 WHERE level = 1");
    let kept = |holds: bool| (holds, String::from("kept"));
    assert_eq!(states(&path), [kept(true), kept(true), kept(false)]);
    change(&path, "UPDATE book SET depth = 7");
    let dropped = (false, String::from("dropped"));
    assert_eq!(states(&path), [kept(true), kept(true), dropped, kept(true)]);
    let before = dump(&path);
    let said = complaint(["redo", arg(&path)], &path);
    assert!(
        said.contains("change 5, “obook query”, was made since"),
        "{said}"
    );
    assert!(dump(&path) == before);
}

#[test]
fn logs_for_redo_leave_those_for_undo_alone() {
    let (_folder, path) = imported();
    change(&path, "UPDATE book SET level = 1");
    change(&path, "CREATE TABLE blobs (x)");
    // What it takes to undo is a number, what it takes to redo as large as what is inserted.
    for _ in 0..4 {
        change(&path, "INSERT INTO blobs VALUES (randomblob(7000000))");
    }
    let after = dump(&path);
    for _ in 0..6 {
        stdout(["undo", arg(&path)]);
    }
    let state = |holds: bool, log: &str| (holds, log.to_owned());
    let kept = state(false, "kept");
    let dropped = state(false, "dropped");
    let all = [&kept, &kept, &kept, &kept, &dropped, &dropped].map(Clone::clone);
    assert_eq!(states(&path), all);
    for _ in 0..4 {
        stdout(["redo", arg(&path)]);
    }
    assert!(dump(&path)["blobs"] == after["blobs"][..2]);
    let said = complaint(["redo", arg(&path)], &path);
    assert!(said.contains("its log was dropped to save room"), "{said}");
    assert_eq!(states(&path)[..4], [(); 4].map(|()| state(true, "kept")));
    // As much is kept as one says.
    stdout(["undo", arg(&path)]);
    stdout(["undo", arg(&path)]);
    stdout(["history", arg(&path), "--keep", "1"]);
    let some = [
        state(true, "dropped"),
        state(true, "kept"),
        kept,
        dropped.clone(),
    ];
    assert_eq!(states(&path)[..4], some);
    stdout(["history", arg(&path), "--keep", "0"]);
    assert_eq!(states(&path)[2], dropped);
    complaint(["redo", arg(&path)], &path);
}

/// What somebody changed behind obook's back is not overwritten.
#[test]
fn redo_refuses_where_rows_were_changed_by_others() {
    let (_folder, path) = imported();
    change(&path, "DELETE FROM leaves WHERE score = 0");
    stdout(["undo", arg(&path)]);
    Connection::open(&path)
        .unwrap()
        .execute_batch("DELETE FROM leaves WHERE score = 0")
        .unwrap();
    let before = dump(&path);
    let said = complaint(["redo", arg(&path)], &path);
    assert!(said.contains("something else than obook"), "{said}");
    assert!(dump(&path) == before);
    assert_eq!(states(&path), [(false, String::from("kept"))]);
}
