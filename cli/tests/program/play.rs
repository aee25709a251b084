//! `obook play` on real books: the rules, the seed, and the engine beyond the book.

use crate::support::program::{arg, json, obook as run, stdout};
use obook_othello::Line;
use obook_testing::golden::golden;
use serde_json::Value;

const RULES: [&str; 4] = ["best", "loss:2", "edax:1", "egaroucid:4"];

fn line(played: &Value) -> Line {
    played["line"].as_str().unwrap().parse().unwrap()
}

/// Law (Choosing moves): A file, its database and SQL choose the same moves.
#[test]
fn a_seed_gives_the_same_game_from_a_file_its_database_and_sql() {
    let folder = tempfile::tempdir().unwrap();
    let (file, database) = (golden("games.dat"), folder.path().join("book.obook"));
    stdout(["import", arg(&file), "--book", arg(&database)]);
    for rule in RULES {
        for seed in ["1", "2"] {
            let asked = |book| {
                let options = ["--rule", rule, "--seed", seed, "--moves", "8", "--json"];
                json([&["play", book, "f5d6"], &options[..]].concat())
            };
            let played = asked(arg(&database));
            assert_eq!(asked(arg(&file)), played);
            for (at, mv) in played["moves"].as_array().unwrap().iter().enumerate() {
                let before = line(&played).prefix(2 + at);
                let sql = format!(
                    "SELECT square, score, chance FROM choose('{before}', '{rule}', {seed})"
                );
                let row = &json(["query", arg(&database), &sql, "--json"])[0];
                assert_eq!((&row["square"], &row["score"]), (&mv["move"], &mv["score"]));
                assert!(
                    (row["chance"].as_f64().unwrap() - mv["chance"].as_f64().unwrap()).abs() < 1e-9
                );
            }
        }
    }
}

#[test]
fn the_best_move_is_the_first_that_show_lists() {
    let file = golden("games.dat");
    for start in ["", "f5", "f5d6", "f5d6c3", "f5f4e3d6"] {
        let shown = json(["show", arg(&file), start, "--json"]);
        let played = json(["play", arg(&file), start, "--json"]);
        assert_eq!(
            played["moves"][0]["move"], shown["moves"][0]["move"],
            "{start}"
        );
    }
}

#[test]
fn seeds_vary_the_opening() {
    let file = golden("games.dat");
    let mut lines: Vec<String> = (0..12)
        .map(|seed: u32| {
            let seed = seed.to_string();
            let options = ["--rule", "loss:1", "--seed", &seed, "--moves", "5"];
            stdout([&["play", arg(&file)], &options[..]].concat())
        })
        .collect();
    lines.sort();
    lines.dedup();
    assert!(lines.len() > 4, "{lines:?}");
}

#[test]
fn the_engine_goes_on_where_the_book_ends() {
    let file = golden("games.dat");
    let beyond = json([
        "play",
        arg(&file),
        "f5d6c6",
        "--moves",
        "20",
        "--seed",
        "1",
        "--json",
    ]);
    assert_eq!(beyond["end"], "no_move");
    let known = beyond["moves"].as_array().unwrap().len();
    let options = ["--moves", "60", "--level", "1", "--seed", "1", "--json"];
    let game = json([&["play", arg(&file), "f5d6c6"], &options[..]].concat());
    assert_eq!(game["end"], "game_over");
    assert!(line(&game).board().is_over());
    let moves = game["moves"].as_array().unwrap();
    assert_eq!(moves[..known], beyond["moves"].as_array().unwrap()[..]);
    assert_eq!(moves.last().unwrap()["by"], "engine");
    assert!(moves.last().unwrap()["chance"].is_null());
}

#[test]
fn a_text_that_is_no_rule_is_refused() {
    let file = golden("games.dat");
    let refused = run(["play", arg(&file), "--rule", "egaroucid:11"]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        said.contains("egaroucid:N with a level from 0 to 10"),
        "{said}"
    );
    let asked = run(["query", arg(&file), "SELECT * FROM choose('f5', 'weak')"]);
    let said = String::from_utf8(asked.stderr).unwrap();
    assert!(said.contains("expected a rule: best, loss:N"), "{said}");
}
