//! `obook line` on real books.

use crate::support::program::{arg, complaint, json, obook as run, stdout};
use obook_othello::{Line, Move};
use obook_testing::golden::{book, golden};
use serde_json::Value;
use std::collections::BTreeSet;

/// Positions of the golden book of games with and without branches.
const STARTS: [&str; 6] = ["", "f5", "f5d6", "f5d6c3", "F5F6", "f5f4"];

#[test]
fn a_file_and_its_database_give_the_same_lines() {
    let folder = tempfile::tempdir().unwrap();
    for (name, starts) in [
        ("games.dat", &STARTS[..]),
        ("edax/small.subtree_f5d6c4.dat", &["f5d6c4", "e6f4d3"]),
    ] {
        let file = golden(name);
        let database = folder.path().join("book.obook");
        stdout(["import", arg(&file), "--book", arg(&database), "--force"]);
        for start in starts {
            for more in [["--all-best", "30"], ["--depth", "2"]] {
                let ask = |book| json([&["line", book, start, "--json"], &more[..]].concat());
                assert_eq!(ask(arg(&file)), ask(arg(&database)), "{name} {start}");
            }
            let random = |book| stdout(["line", book, start, "--random", "--seed", "5"]);
            assert_eq!(random(arg(&file)), random(arg(&database)), "{name} {start}");
        }
    }
}

#[test]
fn lines_are_shown_in_the_orientation_that_was_typed() {
    let file = golden("games.dat");
    // The four first moves are symmetric: turned, the rest is the same line.
    let mut turned = BTreeSet::new();
    for first in ["f5", "d3", "c4", "e6"] {
        let shown = stdout(["line", arg(&file), first]);
        let word = shown.lines().next().unwrap();
        assert!(word.starts_with(first), "{word}");
        let line: Line = word.parse().unwrap();
        assert_eq!(line.to_string(), word);
        turned.insert(line.board().canonical());
        let rows = shown
            .lines()
            .skip_while(|row| !row.starts_with("ply") && !row.starts_with(" ply"));
        let rows = rows.skip(1).take_while(|row| !row.is_empty());
        let moves: String = rows
            .map(|row| row.split_whitespace().nth(1).unwrap()[1..3].to_owned())
            .collect();
        assert_eq!(word, format!("{first}{moves}"));
    }
    assert!(!turned.is_empty() && turned.len() <= 4);
}

#[test]
fn random_lines_are_best_lines_and_seeds_repeat_them() {
    let file = golden("games.dat");
    let words = |lines: &Value| -> BTreeSet<String> {
        let lines = lines.as_array().unwrap();
        lines
            .iter()
            .map(|line| line["line"].as_str().unwrap().to_owned())
            .collect()
    };
    let all = words(&json(["line", arg(&file), "--all-best", "10000", "--json"]));
    let random = |seed: &str| {
        words(&json([
            "line",
            arg(&file),
            "--random",
            "--seed",
            seed,
            "--json",
        ]))
    };
    let mut met = BTreeSet::new();
    for seed in 0..12 {
        let found = random(&seed.to_string());
        assert_eq!(found, random(&seed.to_string()));
        assert!(found.is_subset(&all), "{found:?}");
        met.extend(found);
    }
    assert!(
        met.len() > 1,
        "twelve seeds find more than one of {} lines",
        all.len()
    );
    let without_seed = words(&json(["line", arg(&file), "--random", "--json"]));
    assert!(without_seed.is_subset(&all));
}

#[test]
fn several_lines_come_one_a_row() {
    let file = golden("games.dat");
    let rows = |count: &str| -> Vec<String> {
        let shown = stdout(["line", arg(&file), "--all-best", count]);
        shown.lines().map(str::to_owned).collect()
    };
    let three = rows("3");
    assert_eq!(three.len(), 3);
    assert_eq!(rows("2"), three[..2]);
    for row in &three {
        row.parse::<Line>().unwrap();
    }
    let one = stdout(["line", arg(&file)]);
    assert_eq!(one.lines().next(), Some(three[0].as_str()));
}

/// Egaroucid's files have neither links nor pass positions; lines go through both all the same.
#[test]
fn lines_go_through_the_passes_that_a_file_leaves_out() {
    let (_, positions) = book("games.dat");
    let edax = golden("games.dat");
    let egaroucid = golden("egaroucid/games.mixed.egbk3");
    let transcripts = std::fs::read_to_string(golden("edax/games.txt")).unwrap();
    let mut passes = 0;
    for transcript in transcripts.lines() {
        let Ok(game) = transcript.parse::<Line>() else {
            continue;
        };
        let Some(at) = game.moves().iter().position(|mv| *mv == Move::Pass) else {
            continue;
        };
        let before = Line::from_moves(game.moves()[..at].iter().copied()).unwrap();
        let pass = positions
            .iter()
            .find(|position| position.board == before.board().canonical());
        if pass.is_none_or(|pass| pass.links.is_empty()) {
            continue;
        }
        for file in [&edax, &egaroucid] {
            let lines = json(["line", arg(file), &before.to_string(), "--json"]);
            assert_eq!(lines[0]["moves"][0]["move"], "pa", "{before}");
            passes += 1;
        }
    }
    assert!(passes > 0);
}

#[test]
fn senseless_arguments_are_refused() {
    let file = golden("games.dat");
    let left = complaint(["line", arg(&file), "f5f4d3"], &file);
    assert!(left.contains("the book ends before f5f4d3"), "{left}");
    for arguments in [
        &["--seed", "1"][..],
        &["--all-best", "0"],
        &["--all-best", "2", "--random"],
        &["--depth", "0"],
    ] {
        let output = run([&["line", arg(&file)], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
    let illegal = run(["line", arg(&file), "f5f5"]);
    assert_eq!(illegal.status.code(), Some(1));
}

/// A link without its position, which only a hand can make, ends the line and is said.
#[test]
fn a_link_into_the_void_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = golden("games.dat");
    let database = folder.path().join("book.obook");
    stdout(["import", arg(&file), "--book", arg(&database)]);
    let after = "f5".parse::<Line>().unwrap().board().canonical();
    rusqlite::Connection::open(&database)
        .unwrap()
        .execute("DELETE FROM positions WHERE board = ?", [after.to_key()])
        .unwrap();
    let lines = json(["line", arg(&database), "--json"]);
    assert_eq!(lines[0]["end"], "missing_position");
    assert_eq!(lines[0]["moves"].as_array().unwrap().len(), 1);
}
