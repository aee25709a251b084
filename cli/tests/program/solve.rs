//! `obook solve`: problem files, and the reports on them.

use crate::support::program::{arg, obook, piped};
use obook_needs::needs;
use obook_othello::{Board, Side};
use obook_testing::engines::{kit, positions};
use obook_testing::exhaustive::{exhaustive, exhaustive_moves};
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A line of a problem file: all moves with their scores, off by `wrong` discs.
fn problem(board: Board, side: Side, wrong: i8) -> String {
    let mut line = board.to_text_for(side);
    for (mv, score) in exhaustive_moves(board) {
        write!(line, "; {mv}:{:+}", score + wrong).unwrap();
    }
    line
}

fn file(folder: &Path, lines: &[String]) -> PathBuf {
    let file = folder.join("problems.obf");
    std::fs::write(&file, lines.join("\n")).unwrap();
    file
}

fn objects(output: &[u8]) -> Vec<Value> {
    let text = str::from_utf8(output).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Law (Other engines): Problems are solved in the order of the file, and differing scores are named.
/// Also: `a_score_that_differs_is_named`
#[test]
fn exact_scores_come_in_order_for_the_side_to_move() {
    let folder = tempfile::tempdir().unwrap();
    let boards: Vec<Board> = (1..=8)
        .flat_map(|empties| positions(1, empties, 3))
        .collect();
    let mut lines: Vec<String> = boards
        .iter()
        .zip([Side::Black, Side::White].into_iter().cycle())
        .map(|(board, side)| problem(*board, side, 0))
        .collect();
    lines.insert(0, String::from("% made for this test"));
    lines.insert(0, String::new());
    let file = file(folder.path(), &lines);
    let output = obook(["solve", arg(&file), "--jobs", "3", "--json"]);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let found = objects(&output.stdout);
    assert_eq!(found.len(), boards.len());
    for ((found, board), number) in found.iter().zip(&boards).zip(3..) {
        assert_eq!(found["line"], number);
        let score = exhaustive(*board);
        assert_eq!(found["score"], score, "{found}");
        assert_eq!(found["expected"], score);
        assert_eq!(found["depth"], board.empties());
        assert_eq!(found["proven"], true);
        assert!(
            found["nodes"].is_u64() && found["seconds"].is_f64(),
            "{found}"
        );
        let mv = found["move"].as_str().unwrap().parse().unwrap();
        let of_move = exhaustive_moves(*board)
            .into_iter()
            .find(|(known, _)| *known == mv);
        assert_eq!(of_move.unwrap().1, score);
    }
}

#[test]
fn a_score_that_differs_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = positions(2, 6, 2)[..] else {
        panic!()
    };
    let lines = [
        problem(first, Side::Black, 1),
        problem(second, Side::Black, 0),
    ];
    let file = file(folder.path(), &lines);
    let output = obook(["solve", arg(&file)]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 3, "{text}");
    let (found, expected) = (exhaustive(first), exhaustive(first) + 1);
    let complaint = format!(
        "obook: {}: line 1: expected {expected:+}, found {found:+}\n",
        file.display()
    );
    assert_eq!(String::from_utf8(output.stderr).unwrap(), complaint);
}

#[test]
fn positions_alone_come_from_standard_input_too() {
    let [board] = positions(3, 5, 1)[..] else {
        panic!()
    };
    let over = Board::new(u64::MAX, 0).unwrap();
    let text = board.to_text().replace(' ', "");
    let output = piped(
        ["solve", "-", "--json"],
        &format!("{text}\n{}\n", over.to_text()),
    );
    assert_eq!(output.status.code(), Some(0));
    let found = objects(&output.stdout);
    assert_eq!(found[0]["score"], exhaustive(board));
    assert!(found[0].get("expected").is_none());
    assert_eq!(
        (&found[1]["score"], &found[1]["move"]),
        (&Value::from(64), &Value::Null)
    );
    // A level limits the depth.
    let start = Board::START.to_text();
    let output = piped(["solve", "-", "--json", "--level", "2"], &start);
    let found = objects(&output.stdout);
    assert_eq!(
        (&found[0]["depth"], &found[0]["proven"]),
        (&Value::from(2), &Value::from(false))
    );
}

#[test]
fn invalid_problems_are_named_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let [board] = positions(3, 5, 1)[..] else {
        panic!()
    };
    let good = board.to_text();
    for (bad, words) in [
        (String::from("nonsense"), "character 1"),
        (format!("{good}; a1"), "expected a legal move and its score"),
        ("X".repeat(100_000), "longer than"),
    ] {
        let file = file(folder.path(), &[good.clone(), bad]);
        let output = obook(["solve", arg(&file), "--json"]);
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{complaint}");
        assert_eq!(
            objects(&output.stdout).len(),
            1,
            "what came before it is told"
        );
        let place = format!("obook: {}: line 2: ", file.display());
        assert!(
            complaint.starts_with(&place) && complaint.contains(words),
            "{complaint}"
        );
    }
    let missing = folder.path().join("missing");
    let output = obook(["solve", arg(&missing)]);
    assert_eq!(output.status.code(), Some(1));
}

/// Problems of 13 to 26 empty squares with the published scores of all their moves, which `obook solve` compares with its own.
#[needs(engine_kit)]
#[test]
fn published_problems_have_their_published_scores() {
    for (file, count) in [("fforum-1-19.obf", 19), ("fforum-20-39.obf", 20)] {
        let file = kit(&format!("edax/problem/{file}"));
        let output = obook(["solve", arg(&file), "--json"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let lines = output.stdout.split(|byte| *byte == b'\n');
        assert_eq!(lines.filter(|line| !line.is_empty()).count(), count);
    }
}

/// An error comes without the heading of a table that has no rows.
#[test]
fn a_file_that_can_not_be_read_has_no_heading() {
    let output = obook(["solve", "none.obf"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "");
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .starts_with("obook: none.obf: ")
    );
}
