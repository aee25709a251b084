//! `obook rate`.

use crate::support::program::{arg, json, obook, stdout};
use obook::games::{StoredRatings, store_ratings};
use obook::{Context, Store};
use obook_games::ratings::{Method, Settings};
use obook_testing::book_rows::select;
use obook_testing::games::{eight_games, sample};
use rusqlite::types::Value;
use std::path::PathBuf;
use tempfile::TempDir;

/// Eight games, as if of 1978 and again as if of 1979.
fn two_years() -> (TempDir, [PathBuf; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let files = [1978u16, 1979].map(|year| {
        let file = folder.path().join(format!("WTH_{year}.wtb"));
        std::fs::write(&file, eight_games(year)).unwrap();
        file
    });
    (folder, files)
}

#[test]
fn earlier_games_predict_their_own_copies() {
    let (_folder, [one, other]) = two_years();
    let compare = ["rate", "compare", arg(&one), arg(&other), "--since", "1979"];
    let found = json([&compare[..], &["--json"]].concat());
    assert_eq!((&found["earlier"], &found["later"]), (&8.into(), &8.into()));
    assert_eq!(found["left_out"], 0);
    let names = ["mean", "probability", "expectation1", "expectation2"];
    assert_eq!(found["predictors"], serde_json::json!(names));
    // A single earlier game predicts its own copy.
    let alone = &found["by_games"][0];
    assert_eq!(
        (&alone["from"], &alone["order"][0], &alone["error"][0]),
        (&1.into(), &1.0.into(), &0.0.into())
    );
    let count = |groups: &str| -> u64 {
        let groups = found[groups].as_array().unwrap().iter();
        groups
            .map(|group| group["predictions"].as_u64().unwrap())
            .sum()
    };
    assert!(count("by_games") > 8 * 40);
    assert_eq!(count("by_games"), count("by_ply"));

    let told = stdout(compare);
    assert!(
        told.starts_with("8 games before 1979, 8 since then\n"),
        "{told}"
    );
    assert_eq!(told.matches("predictions  spread").count(), 2);
    // A higher α makes the probability more certain.
    let sure = json([&compare[..], &["--alpha", "1", "--json"]].concat());
    assert_ne!(sure["by_games"], found["by_games"]);
}

/// Games give the same result from a database as from files.
#[test]
fn games_of_a_database_are_compared() {
    let (folder, [one, other]) = two_years();
    let compare = |games: &[&str]| {
        let options = ["--since", "1979", "--json"];
        json([&["rate", "compare"], games, &options].concat())
    };
    let of_files = compare(&[arg(&one), arg(&other)]);
    let database = folder.path().join("games.obook");
    stdout([
        "games",
        "import",
        arg(&one),
        arg(&other),
        "--book",
        arg(&database),
    ]);
    assert_eq!(compare(&[arg(&database)]), of_files);
}

#[test]
fn scores_of_a_book_are_compared() {
    let (_folder, [one, other]) = two_years();
    let book = "../examples/games.dat";
    let found = json([
        "rate",
        "compare",
        arg(&one),
        arg(&other),
        "--since",
        "1979",
        "--book",
        book,
        "--json",
    ]);
    assert_eq!(found["predictors"][4], "score");
    for group in found["by_games"].as_array().unwrap() {
        assert_eq!(group["order"].as_array().unwrap().len(), 5);
        assert_eq!(group["error"][4], serde_json::Value::Null);
    }
}

#[test]
fn the_comparison_is_drawn() {
    let (folder, [one, other]) = two_years();
    let picture = folder.path().join("ratings.svg");
    let compare = [
        "rate",
        "compare",
        arg(&one),
        arg(&other),
        "--since",
        "1979",
        "--output",
        arg(&picture),
    ];
    stdout(compare);
    let svg = std::fs::read_to_string(&picture).unwrap();
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    assert_eq!(svg.matches("data-name=").count(), 4);
    assert!(svg.contains("since 1979") && !svg.contains("NaN"));
    assert_eq!(
        obook(compare).status.code(),
        Some(1),
        "it is not replaced unasked"
    );
    stdout([&compare[..], &["--force"]].concat());
    assert_eq!(std::fs::read_to_string(&picture).unwrap(), svg);
}

#[test]
fn impossible_comparisons_say_why() {
    let (folder, [one, _]) = two_years();
    let missing = folder.path().join("none.wtb");
    let said = |arguments: &[&str]| {
        let output = obook([&["rate", "compare"], arguments].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), said)
    };
    let (code, complaint) = said(&[arg(&missing), "--since", "1979"]);
    assert!(
        code == Some(1) && complaint.contains("none.wtb"),
        "{complaint}"
    );
    let book = "../examples/games.dat";
    let (code, complaint) = said(&[book, "--since", "1979"]);
    assert!(
        code == Some(1) && complaint.contains("games.dat"),
        "{complaint}"
    );
    for wrong in [
        ["--alpha", "0.4"],
        ["--moves-at-start", "0"],
        ["--settled-from", "1"],
        ["--alpha", "NaN"],
    ] {
        let (code, complaint) = said(&[&[arg(&one), "--since", "1979"][..], &wrong].concat());
        assert!(
            code == Some(2) && complaint.contains("expected a number from"),
            "{complaint}"
        );
    }
    let picture = folder.path().join("ratings.gif");
    let (code, complaint) = said(&[arg(&one), "--since", "1979", "--output", arg(&picture)]);
    assert!(
        code == Some(1) && complaint.contains("ratings.svg"),
        "{complaint}"
    );
}

/// The command stores what the library does, and reports it.
#[test]
fn ratings_of_an_archive_are_printed_and_stored() {
    let folder = tempfile::tempdir().unwrap();
    let [book, plain] = ["book", "plain"].map(|name| folder.path().join(name));
    stdout(["games", "import", arg(&sample()), "--book", arg(&book)]);
    std::fs::copy(&book, &plain).unwrap();
    let same = |methods: &[Method], alpha: f64, least: u64| {
        let settings = Settings {
            alpha,
            ..Settings::default()
        };
        let context = Context::new("test");
        let mut database = Store::open_for_writing(&plain, &context).unwrap();
        let stored = store_ratings(&mut database, methods, &settings, least).unwrap();
        let [ours, theirs] = [&book, &plain].map(|path| select(path, "SELECT * FROM ratings"));
        assert_eq!(ours, theirs);
        stored
    };
    let said = stdout(["rate", "store", arg(&book)]);
    let StoredRatings {
        positions, too_few, ..
    } = same(&Method::ALL, Settings::default().alpha, 4);
    let lines = format!(
        "{positions} positions from 300 games rated\n{too_few} positions skipped: reached by fewer than 4 games\n"
    );
    assert_eq!(said, lines);
    let one = ["--method", "expectation2", "--min-games", "1"];
    let one = [&["rate", "store", arg(&book), "--json"][..], &one].concat();
    let said = json([&one[..], &["--alpha", "0.7"]].concat());
    let all = same(&[Method::Expectation2], 0.7, 1).positions;
    assert_eq!(all, positions + too_few);
    let counts = serde_json::json!({"games": 300, "left_out": 0, "positions": all, "too_few": 0});
    assert_eq!(said, counts);
    let history = "SELECT counts FROM history ORDER BY id DESC LIMIT 1";
    assert_eq!(select(&book, history), [[Value::Text(counts.to_string())]]);
}
