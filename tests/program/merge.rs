//! `obook merge` with books that were merged before.

use crate::support::program::{arg, json, stdout};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const GAMES: &str = "tests/data/edax/games.dat";

/// A database of the games.
fn games() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("games.obook");
    stdout(["import", GAMES, "--book", arg(&path)]);
    (folder, path)
}

/// Whether merging the games again skips them.
fn is_known(book: &Path) -> bool {
    let merged = json(["merge", arg(book), GAMES, "--dry-run", "--json"]);
    merged["sources"][0]["known"].as_bool().unwrap()
}

fn positions(book: &Path) -> u64 {
    json(["info", arg(book), "--json"])["positions"]
        .as_u64()
        .unwrap()
}

#[test]
fn what_was_cut_comes_back() {
    let (_folder, book) = games();
    stdout(["depth", arg(&book), "10"]);
    assert!(positions(&book) < 2247);
    stdout(["merge", arg(&book), GAMES]);
    assert_eq!(positions(&book), 2247);
    assert!(is_known(&book), "nothing was cut since");
}

#[test]
fn a_source_is_known_until_something_may_have_gone() {
    let edits: [&[&str]; 3] = [
        &["level", "BOOK", "--at-most", "1"],
        &["edit", "BOOK", "f5", "--value", "12"],
        &["query", "BOOK", "DELETE FROM leaves", "--write"],
    ];
    for edit in edits {
        let (_folder, book) = games();
        for harmless in [
            &["fix", arg(&book)][..],
            &["link", arg(&book)],
            &["negamax", arg(&book)],
            &["depth", arg(&book), "10", "--dry-run"],
            &["accuracy", arg(&book), "--store"],
        ] {
            stdout(harmless);
            assert!(is_known(&book), "{harmless:?}");
        }
        let edit = edit
            .iter()
            .map(|word| if *word == "BOOK" { arg(&book) } else { word });
        stdout(edit.clone());
        let edit: Vec<&str> = edit.collect();
        assert!(!is_known(&book), "{edit:?}");
        stdout(["undo", arg(&book)]);
        assert!(is_known(&book), "{edit:?}, taken back");
    }
}

#[test]
fn a_merge_that_was_taken_back_is_made_again() {
    let (_folder, book) = games();
    let small = "tests/data/edax/deviate.depth9.prune.dat";
    for _ in 0..2 {
        let merged = json(["merge", arg(&book), small, "--json"]);
        assert_eq!(merged["sources"][0]["known"], false);
        stdout(["undo", arg(&book)]);
    }
}

#[test]
fn force_takes_in_what_is_known() {
    let (_folder, book) = games();
    let said = stdout(["merge", arg(&book), GAMES]);
    assert!(said.contains("already in the book"), "{said}");
    // Removals by another program are not noticed.
    let connection = rusqlite::Connection::open(&book).unwrap();
    let deepest = "(SELECT board FROM positions ORDER BY empties LIMIT 1)";
    connection
        .execute_batch(&format!("DELETE FROM positions WHERE board = {deepest}"))
        .unwrap();
    drop(connection);
    let merged = json(["merge", arg(&book), GAMES, "--force", "--json"]);
    assert_eq!(merged["sources"][0]["known"], false);
    assert_eq!(merged["sources"][0]["added"], 1);
    let sources = "SELECT count(*) AS sources FROM sources";
    let sources = stdout(["query", arg(&book), sources, "--format", "csv"]);
    assert_eq!(sources, "sources\n1\n");
}
