//! A person's values: entered, taken back, and what follows from them.

use crate::support::program::{self, arg, complaint, json, stdout};
use crate::support::report::{GAMES, Report};
use obook::{Context, Store};
use obook_testing::book_rows::rows;
use obook_testing::imported::{fix, line};
use std::path::PathBuf;
use tempfile::TempDir;

fn fixed() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book.obook");
    stdout(["import", GAMES, "--book", arg(&book)]);
    stdout(["fix", arg(&book)]);
    (folder, book)
}

#[test]
fn a_value_is_entered_and_taken_back() {
    let (_folder, book) = fixed();
    let before = rows(&book);
    let line = line(&book, &[0; 6]).to_string();
    let said = json(["edit", arg(&book), &line, "--value", "-20", "--json"]);
    assert_eq!(said["after"], -20);
    assert!(said["ancestors"].as_u64().unwrap() >= 6, "{said}");
    assert_eq!(fix(&book), 0);
    assert_eq!(Report::of(&book).status, 0);
    let shown = json(["show", arg(&book), &line, "--json"]);
    assert_eq!(
        (&shown["value"], &shown["level"]),
        (&(-20).into(), &70.into())
    );
    let again = stdout(["edit", arg(&book), &line, "--value", "-20"]);
    assert_eq!(again, "value -20, -20 before\n0 ancestors changed\n");
    let said = json(["edit", arg(&book), &line, "--remove", "--json"]);
    assert_eq!(
        (&said["before"], &said["removed"]),
        (&(-20).into(), &false.into())
    );
    assert_eq!(rows(&book), before);
    let history = json(["history", arg(&book), "--json"]);
    let last = history
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["command"].as_str().unwrap());
    assert!(
        last.clone().any(|it| it.ends_with("--value -20"))
            && last.clone().any(|it| it.ends_with("--remove")),
        "{history}"
    );
}

/// Adds a position by hand after a searched move, and removes it again.
#[test]
fn a_position_is_added_and_goes_again() {
    let (_folder, book) = fixed();
    let mut line = line(&book, &[0; 8]);
    let leaf = Store::open(&book, &Context::default())
        .unwrap()
        .position(line.board().canonical())
        .unwrap()
        .unwrap()
        .leaf
        .unwrap();
    let back = line.board().canonicalize().1.inverse();
    line.push(back.play(leaf.mv.unwrap())).unwrap();
    let moves = line.to_string();
    let before = rows(&book);
    let said = stdout(["edit", arg(&book), &moves, "--value", "-30"]);
    assert!(said.starts_with("added with value -30\n"), "{said}");
    assert_eq!(fix(&book), 0);
    let after = rows(&book);
    assert_eq!(
        after["leaves"].len(),
        before["leaves"].len() - 1,
        "its leaf is a link now"
    );
    let said = stdout(["edit", arg(&book), &moves, "--remove"]);
    assert!(said.starts_with("removed the position"), "{said}");
    assert_eq!(fix(&book), 0);
    assert_eq!(rows(&book)["positions"].len(), before["positions"].len());
    stdout(["undo", arg(&book)]);
    assert_eq!(rows(&book), after);
    stdout(["undo", arg(&book)]);
    assert_eq!(rows(&book), before);
}

#[test]
fn senseless_arguments_are_refused() {
    let (folder, book) = fixed();
    let before = std::fs::read(&book).unwrap();
    let text = complaint(["edit", arg(&book), "f5d6", "--remove"], &book);
    assert!(text.contains("no value was entered"), "{text}");
    let text = complaint(["edit", arg(&book), "f5f6e6d6c6b6", "--value", "1"], &book);
    assert!(text.contains("the book ends before"), "{text}");
    let file = folder.path().join("book.dat");
    std::fs::copy(GAMES, &file).unwrap();
    let text = complaint(["edit", arg(&file), "--value", "1"], &file);
    assert!(text.contains("obook import"), "{text}");
    for arguments in [&["--value", "65"][..], &[], &["--value", "1", "--remove"]] {
        let all = [&["edit", arg(&book), "f5"][..], arguments].concat();
        assert_eq!(program::obook(all).status.code(), Some(2), "{arguments:?}");
    }
    assert_eq!(std::fs::read(&book).unwrap(), before);
}

/// A book that is not fixed: its numbers are wiped out, and one link is missing.
fn unfixed() -> (TempDir, PathBuf) {
    let (folder, book) = fixed();
    let connection = rusqlite::Connection::open(&book).unwrap();
    connection
        .execute_batch(
            "UPDATE positions SET value = NULL;
             DELETE FROM links WHERE board = (SELECT max(board) FROM links);
             UPDATE book SET fixed = NULL",
        )
        .unwrap();
    (folder, book)
}

#[test]
fn a_refused_edit_does_not_fix_the_book() {
    let (_folder, book) = unfixed();
    let before = rows(&book);
    let changes = || json(["history", arg(&book), "--json"]);
    let history = changes();
    for arguments in [&["f5d6", "--remove"][..], &["f5f6e6d6c6b6", "--value", "1"]] {
        complaint([&["edit", arg(&book)][..], arguments].concat(), &book);
        assert_eq!(rows(&book), before, "{arguments:?}");
        assert_eq!(changes(), history, "{arguments:?}");
    }
    assert!(
        !Store::open(&book, &Context::default())
            .unwrap()
            .is_fixed()
            .unwrap()
    );
}

#[test]
fn fixing_the_book_first_is_a_part_of_the_edit() {
    for (choices, value) in [(6, "-20"), (40, "3")] {
        let (_folder, book) = unfixed();
        let before = rows(&book);
        let changes = || {
            Store::open(&book, &Context::default())
                .unwrap()
                .history()
                .unwrap()
                .len()
        };
        let known = changes();
        let line = line(&book, &vec![0; choices]).to_string();
        let said = json(["edit", arg(&book), &line, "--value", value, "--json"]);
        assert_eq!(said["after"].to_string(), value);
        assert!(said["fixed"]["any"].as_u64().unwrap() > 1000, "{said}");
        assert_eq!(changes(), known + 1);
        assert!(
            Store::open(&book, &Context::default())
                .unwrap()
                .is_fixed()
                .unwrap()
        );
        assert_eq!(fix(&book), 0);
        stdout(["undo", arg(&book)]);
        assert_eq!(rows(&book), before);
        assert!(
            !Store::open(&book, &Context::default())
                .unwrap()
                .is_fixed()
                .unwrap()
        );
        // The same as fixing it first.
        stdout(["edit", arg(&book), &line, "--value", value]);
        let at_once = rows(&book);
        stdout(["undo", arg(&book)]);
        stdout(["fix", arg(&book)]);
        stdout(["edit", arg(&book), &line, "--value", value]);
        assert_eq!(rows(&book), at_once);
    }
}
