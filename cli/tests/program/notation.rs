//! All ways of typing a position give the same position.

use crate::support::program::{arg, complaint, json, obook, stdout};
use serde_json::Value;
use std::path::Path;

const BOOK: &str = "../examples/games.dat";

/// `show`'s answer, without the typed moves and the names of openings.
fn shown(typed: &[&str]) -> Value {
    let mut view = json([&["show", BOOK], typed, &["--json"]].concat());
    let fields = view.as_object_mut().unwrap();
    fields.remove("line");
    fields.remove("opening");
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
    // A key has no colours and may be in another orientation.
    let key = expected["key"].as_str().unwrap();
    for typed in [key.to_owned(), format!("x'{key}'"), key.to_uppercase()] {
        let view = shown(&[&typed]);
        assert_eq!(view["key"], expected["key"]);
        assert_eq!(view["value"], expected["value"]);
    }
}

/// A board as the Generic Game Server writes it: the number of its rows, the rows, and the side to move.
#[test]
fn boards_of_the_game_server_are_read() {
    let of_server = "8 -------- -------- -------- ---O*--- ---***-- -------- -------- -------- O";
    let expected = shown(&["f5"]);
    for typed in [of_server, &of_server.replace(' ', "\n")] {
        assert_eq!(shown(&[typed]), expected, "{typed}");
    }
}

/// All commands that take moves understand boards as answers print them.
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

/// All commands that take moves accept the name of an opening.
#[test]
fn openings_are_typed_by_their_names() {
    let typed = |typed: &[&str]| json([&["show", BOOK], typed, &["--json"]].concat());
    assert_eq!(typed(&["perpendicular"]), typed(&["f5d6"]));
    assert_eq!(typed(&["縦取り", "c5"]), typed(&["f5d6c5"]));
    assert_eq!(
        typed(&["PERPENDICULAR", "opening", "c5"]),
        typed(&["f5d6c5"])
    );
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("tree.svg");
    for (command, rest) in [
        (&["line", BOOK][..], &[][..]),
        (&["accuracy", BOOK], &[]),
        (&["frontier", BOOK], &[]),
        (&["worst", BOOK], &[]),
        (&["hint", BOOK], &["--level", "1"]),
        (
            &["plot", BOOK, "tree"],
            &["--output", arg(&picture), "--force"],
        ),
    ] {
        let answer = |moves| {
            let answer = stdout([command, &[moves], rest].concat());
            // The time of searches varies.
            let words = answer.split_whitespace().map(str::to_owned);
            words.filter(|word| !word.contains('.')).collect::<Vec<_>>()
        };
        assert_eq!(answer("parallel"), answer("f5f4"), "{command:?}");
    }
    let refused = obook(["show", BOOK, "tigre"]);
    assert_eq!(refused.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&refused.stderr),
        "obook: no opening is called “tigre”; did you mean “Tiger”?\n"
    );
}

/// Answers name the opening of a line, if it has one.
#[test]
fn answers_name_the_opening() {
    let shown = |moves: &str| stdout(["show", BOOK, moves]);
    assert!(shown("f5d6c5").contains("\nOpening: Perpendicular (縦取り)\n"));
    assert!(!shown("f5").contains("Opening"));
    let view = json(["show", BOOK, "f5d6c5", "--json"]);
    let opening =
        serde_json::json!({"name": "Perpendicular", "japanese": "縦取り", "line": "f5d6"});
    assert_eq!(view["opening"], opening);
    assert_eq!(json(["show", BOOK, "f5", "--json"])["opening"], Value::Null);

    let line = json(["line", BOOK, "f5d6", "--json"]);
    let whole = line[0]["line"].as_str().unwrap();
    let named = stdout([
        "query",
        BOOK,
        &format!("SELECT opening('{whole}')"),
        "--format",
        "csv",
    ]);
    assert_eq!(named.lines().nth(1), line[0]["opening"]["name"].as_str());
    let told = stdout(["line", BOOK, "f5d6"]);
    let name = line[0]["opening"]["name"].as_str().unwrap();
    assert!(told.lines().nth(1).unwrap().starts_with(name), "{told}");

    let tree = json([
        "plot", BOOK, "tree", "--loss", "64", "--depth", "2", "--json",
    ]);
    let second = tree["branches"][0]["branches"].as_array().unwrap();
    let mut names: Vec<_> = second
        .iter()
        .map(|branch| branch["opening"]["name"].as_str().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["Diagonal", "Parallel", "Perpendicular"]);
    let svg = stdout(["plot", BOOK, "tree", "--loss", "64", "--depth", "2"]);
    assert!(
        names.iter().all(|name| svg.contains(&format!(">{name}<"))),
        "{svg}"
    );
}
