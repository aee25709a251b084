//! `obook merge`.

use crate::support::program::{arg, complaint, json, stdout};
use crate::support::report::Report;
use obook_testing::book_rows::rows;
use obook_testing::imported::fix;
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const GAMES: &str = "tests/data/edax/games.dat";
const SMALL: &str = "tests/data/edax/small.dat.zst";
const EGAROUCID: &str = "tests/data/egaroucid/games.mixed.egbk3";

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
fn a_merge_restores_cut_positions() {
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
fn force_merges_known_sources() {
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

/// Leaves whose move became a link are all that a merge may leave to be desired, and table `todo` has them.
fn assert_only_leaves_are_missing(book: &Path) {
    let found = Report::of(book);
    let todo = rows(book)["todo"].len() as u64;
    assert_eq!(
        found.counts,
        BTreeMap::from([(String::from("missing-leaf"), todo)])
    );
}

/// How many positions two real books have in common is counted by SQL, independently of the merge.
#[test]
fn two_real_books() {
    let folder = TempDir::new().unwrap();
    let [book, small] = ["book.obook", "small.obook"].map(|name| folder.path().join(name));
    stdout(["import", GAMES, "--book", arg(&book)]);
    stdout(["import", SMALL, "--book", arg(&small)]);
    let connection = Connection::open(&book).unwrap();
    connection
        .execute("ATTACH ? AS small", [arg(&small)])
        .unwrap();
    let count = |sql: &str| {
        connection
            .query_row(sql, [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    let new = count(
        "SELECT count(*) FROM small.positions WHERE board NOT IN (SELECT board FROM main.positions)",
    );
    let raised = count(
        "SELECT count(*) FROM small.positions s JOIN main.positions m USING (board) WHERE s.level > m.level",
    );
    let report = json(["merge", arg(&book), SMALL, "--json"]);
    let taken = &report["sources"][0];
    assert_eq!(taken["added"], new);
    assert_eq!(taken["raised"], raised);
    let total: u64 = ["added", "raised", "newer", "kept"]
        .iter()
        .map(|it| taken[it].as_u64().unwrap())
        .sum();
    assert_eq!(total, taken["positions"].as_u64().unwrap());
    assert_eq!(report["whole"], true, "the book had not been fixed before");
    // The same once more: nothing happens, whatever the file is called.
    let before = std::fs::read(&book).unwrap();
    let other_name = folder.path().join("other.dat.zst");
    std::fs::copy(SMALL, &other_name).unwrap();
    let said = stdout(["merge", arg(&book), SMALL, arg(&other_name)]);
    assert_eq!(said.matches("already in the book").count(), 2, "{said}");
    assert_eq!(std::fs::read(&book).unwrap(), before);
    drop(connection);
    assert_only_leaves_are_missing(&book);
}

/// A book by the other engine's rules, without links and passes, finds its place in an Edax book.
#[test]
fn books_of_two_engines() {
    let folder = TempDir::new().unwrap();
    let book = folder.path().join("book.obook");
    let report = json(["import", GAMES, EGAROUCID, "--book", arg(&book), "--json"]);
    assert_eq!(report["source"]["format"], "edax");
    let taken = &report["merged"]["sources"][0];
    assert_eq!(taken["format"], "egbk3");
    assert!(taken["raised"].as_u64().unwrap() > 1000, "{taken}");
    assert_eq!(fix(&book), 0);
    let sql = "SELECT DISTINCT name FROM leaves JOIN engines USING (engine) ORDER BY name";
    assert_eq!(
        stdout(["query", arg(&book), sql, "--format", "csv"]),
        "name\nedax\negaroucid\n"
    );
    // Into a book that is there already, import merges.
    let report = json(["import", SMALL, "--book", arg(&book), "--json"]);
    assert!(
        report["merged"]["sources"][0]["added"].as_u64().unwrap() > 8000,
        "{report}"
    );
    assert_only_leaves_are_missing(&book);
}

#[test]
fn a_dry_run_writes_nothing() {
    let (_folder, book) = games();
    for _ in 0..2 {
        let before = std::fs::read(&book).unwrap();
        let dry = stdout(["merge", arg(&book), SMALL, "--dry-run"]);
        assert!(dry.ends_with("Nothing was written: --dry-run\n"), "{dry}");
        assert_eq!(std::fs::read(&book).unwrap(), before);
        stdout(["fix", arg(&book)]);
    }
}

#[test]
fn files_that_are_not_books_are_refused() {
    let (folder, book) = games();
    let before = std::fs::read(&book).unwrap();
    let broken = folder.path().join("broken.dat");
    let bytes = std::fs::read(GAMES).unwrap();
    std::fs::write(&broken, &bytes[..bytes.len() - 3]).unwrap();
    complaint(["merge", arg(&book), arg(&broken)], &broken);
    complaint(["merge", GAMES, arg(&book)], Path::new(GAMES));
    let missing = folder.path().join("missing.dat");
    complaint(["merge", arg(&book), arg(&missing)], &missing);
    complaint(["merge", arg(&missing), GAMES], &missing);
    assert_eq!(std::fs::read(&book).unwrap(), before);
}
