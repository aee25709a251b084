//! However a position is typed, it is the same position.

use crate::support::program::{arg, complaint, json, stdout};
use serde_json::Value;
use std::path::Path;

const BOOK: &str = "tests/data/edax/games.dat";

/// What `show` says of a position, without the moves that were typed.
fn shown(typed: &[&str]) -> Value {
    let mut view = json([&["show", BOOK], typed, &["--json"]].concat());
    view.as_object_mut().unwrap().remove("line");
    view
}

#[test]
fn every_notation_shows_the_same_position() {
    let expected = shown(&["f5d6c5"]);
    assert_eq!(expected["ply"], 3);
    let board = expected["board"].as_str().unwrap();
    let (squares, side) = board.split_once(' ').unwrap();
    let (start, _) =
        "---------------------------OX------XO---------------------------".split_at(64);
    for typed in [
        &["F5", "D6", "C5"][..],
        &["f5-d6-c5"],
        &["1.", "f5", "d6", "2.", "c5"],
        &["1. F5 D6 2. C5"],
        &[board],
        &[squares, side],
        &[start, "X", "f5d6", "c5"],
    ] {
        assert_eq!(shown(typed), expected, "{typed:?}");
    }
    // A key knows no colours and may be turned.
    let key = expected["key"].as_str().unwrap();
    for typed in [key.to_owned(), format!("x'{key}'"), key.to_uppercase()] {
        let view = shown(&[&typed]);
        assert_eq!(view["key"], expected["key"]);
        assert_eq!(view["value"], expected["value"]);
    }
}

/// What answers print of a board is understood by all commands that take moves.
#[test]
fn other_commands_take_boards() {
    let view = shown(&["f5d6"]);
    let (board, key) = (
        view["board"].as_str().unwrap(),
        view["key"].as_str().unwrap(),
    );
    let best = |typed: &str| json(["line", BOOK, typed, "--json"])[0]["moves"].clone();
    assert_eq!(best(board), best("f5d6"));
    assert_eq!(
        best(key).as_array().unwrap().len(),
        best("f5d6").as_array().unwrap().len()
    );
    for typed in [board, key] {
        let graded = |typed: &str| json(["accuracy", BOOK, typed, "--json"])["grade"].clone();
        assert_eq!(graded(typed), graded("f5d6"));
        let book = tempfile::tempdir().unwrap();
        let book = book.path().join("b.obook");
        stdout(["import", BOOK, "--book", arg(&book)]);
        assert_eq!(
            stdout(["subtree", arg(&book), typed, "--dry-run"]),
            stdout(["subtree", arg(&book), "f5d6", "--dry-run"])
        );
        stdout(["edit", arg(&book), typed, "--value", "3"]);
        assert_eq!(json(["show", arg(&book), "f5d6", "--json"])["value"], 3);
    }
}

#[test]
fn a_position_that_the_book_lacks_is_named() {
    let board = "XXXXXXXXXXXXXXXXXXXXXXXXXXXOXXXXXXXOOXXXXXXXXXXXXXXXXXXXXXXXXXX- O";
    let said = complaint(["show", BOOK, board], Path::new(BOOK));
    assert!(
        said.contains(&format!("the position {board} is not in the book")),
        "{said}"
    );
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("b.obook");
    stdout(["import", BOOK, "--book", arg(&book)]);
    let said = complaint(["edit", arg(&book), board, "--value", "3"], &book);
    assert!(said.contains("is not in the book"), "{said}");
}
