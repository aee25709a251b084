//! `obook hint`.

use crate::support::program::{arg, json, obook, stdout};
use obook_othello::Move;
use obook_testing::engines::positions;
use obook_testing::exhaustive::exhaustive_moves;
use obook_testing::games::sample;
use obook_testing::golden::golden;
use serde_json::Value;

fn moves(hint: &Value) -> Vec<Move> {
    let moves = hint["moves"].as_array().unwrap().iter();
    moves
        .map(|mv| mv["move"].as_str().unwrap().parse().unwrap())
        .collect()
}

/// Scores of a solved position are those of exhaustive search, in any orientation.
#[test]
fn moves_are_named_as_they_were_typed() {
    for board in positions(9, 7, 4) {
        let text = board.to_text();
        let hint = json([
            "hint",
            "--no-book",
            &text,
            "--top",
            "64",
            "--level",
            "60",
            "--json",
        ]);
        let mut expected = exhaustive_moves(board);
        expected.sort_by_key(|(_, score)| std::cmp::Reverse(*score));
        let scores: Vec<Value> = expected
            .iter()
            .map(|(_, score)| Value::from(*score))
            .collect();
        let listed = hint["moves"].as_array().unwrap();
        let found: Vec<Value> = listed.iter().map(|mv| mv["score"].clone()).collect();
        assert_eq!(found, scores, "{text}");
        for (mv, listed) in moves(&hint).into_iter().zip(listed) {
            let of_move = expected.iter().find(|(known, _)| *known == mv).unwrap();
            assert_eq!(listed["score"], of_move.1, "{text}: {mv}");
        }
    }
}

#[test]
fn the_book_stands_beside_the_engine() {
    let book = golden("games.dat");
    let hint = json([
        "hint",
        arg(&book),
        "f5d6c5",
        "--top",
        "64",
        "--level",
        "2",
        "--json",
    ]);
    let show = json(["show", arg(&book), "f5d6c5", "--json"]);
    let in_book = show["moves"].as_array().unwrap();
    assert!(!in_book.is_empty());
    let listed = hint["moves"].as_array().unwrap();
    for known in in_book {
        let hinted = listed
            .iter()
            .find(|hinted| hinted["move"] == known["move"])
            .unwrap();
        assert_eq!(hinted["book"]["score"], known["score"]);
        assert_eq!(hinted["book"]["kind"], known["kind"]);
    }
    let others = listed
        .iter()
        .filter(|hinted| hinted["book"].is_null())
        .count();
    assert_eq!(others + in_book.len(), listed.len());
    let text = stdout(["hint", arg(&book), "f5d6c5", "--top", "64", "--level", "2"]);
    assert!(text.contains('[') && text.contains('<'), "{text}");
}

/// Positions that a book lacks are searched like others.
#[test]
fn the_book_may_lack_the_position() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games.obook");
    stdout(["games", "import", arg(&sample()), "--book", arg(&games)]);
    let file = golden("games.dat");
    for (book, line) in [(&games, "f5d6"), (&file, "f5f4d3")] {
        let search = [line, "--level", "1", "--json"];
        let with_book = json(["hint", arg(book)].iter().chain(&search));
        let without = json(["hint", "--no-book"].iter().chain(&search));
        assert_eq!(moves(&with_book), moves(&without), "{line}");
        let listed = with_book["moves"].as_array().unwrap();
        assert!(
            listed.iter().all(|hinted| hinted["book"].is_null()),
            "{with_book}"
        );
    }
}

#[test]
fn a_time_limit_ends_the_search_with_the_results_so_far() {
    let hint = json([
        "hint",
        "--no-book",
        "--until",
        "0.3s",
        "--top",
        "2",
        "--json",
    ]);
    // The four first moves are one.
    assert_eq!(moves(&hint), ["f5".parse().unwrap()]);
    assert!(hint["level"].as_u64().unwrap() >= 1, "{hint}");
    for wrong in ["x", "-1", "10 parsecs"] {
        let output = obook(["hint", "--no-book", &format!("--until={wrong}")]);
        assert_eq!(output.status.code(), Some(2), "{wrong}");
    }
}

#[test]
fn a_game_that_is_over_has_no_moves() {
    let over = format!("{} X", "X".repeat(64));
    let hint = json(["hint", "--no-book", &over, "--json"]);
    assert_eq!(hint["moves"], Value::Array(Vec::new()));
    assert_eq!(
        stdout(["hint", "--no-book", &over]),
        "the game is over: +64\n"
    );
}
