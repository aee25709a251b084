//! `obook site`: a book as a folder of web pages.

use crate::support::program::{arg, complaint, json, stdout};
use obook_testing::golden::golden;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The positions of a site by key.
fn positions(site: &Path) -> Vec<(String, Value)> {
    let names = fs::read_dir(site).unwrap().map(|it| it.unwrap().path());
    let files = names.filter(|it| {
        it.file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .starts_with("positions-")
    });
    let held = files.flat_map(|file| {
        let text = fs::read_to_string(&file).unwrap();
        let stem = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let data = text.strip_prefix(&format!("obook(\"{stem}\",")).unwrap();
        let data: Value = serde_json::from_str(data.strip_suffix(");\n").unwrap()).unwrap();
        data.as_object().unwrap().clone()
    });
    held.collect()
}

/// The contents of a site's `book.js`.
fn about(site: &Path) -> Value {
    let text = fs::read_to_string(site.join("book.js")).unwrap();
    let text = text.strip_prefix("obook(\"book\",").unwrap();
    serde_json::from_str(text.strip_suffix(");\n").unwrap()).unwrap()
}

/// Of the moves near best play, a site lists the first twelve whose positions it has.
fn has_moves_near_best_play(book: &Path, site: &Path, keys: &BTreeSet<String>) {
    let about = about(site);
    for list in ["frontier", "worst"] {
        let sql = format!(
            "SELECT line, lower(hex(board(substr(line, 1, length(line) - 2)))) AS key FROM {list}('', 2)"
        );
        let rows = json(["query", arg(book), &sql, "--json"]);
        let rows = rows.as_array().unwrap().iter();
        let shown = rows.filter(|row| keys.contains(row["key"].as_str().unwrap()));
        let expected: Vec<&Value> = shown.map(|row| &row["line"]).take(12).collect();
        let written = about[list]["moves"].as_array().unwrap().iter();
        assert_eq!(written.map(|it| &it["line"]).collect::<Vec<_>>(), expected);
        assert_eq!(expected.len(), 12, "{list}");
    }
}

#[test]
fn a_site_has_the_positions_within_its_plies() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("club");
    let book = golden("games.dat");
    let report = json(["site", arg(&book), arg(&site), "--plies", "7", "--json"]);
    let positions = positions(&site);
    let keys: BTreeSet<String> = positions.iter().map(|(key, _)| key.clone()).collect();
    assert_eq!(keys.len(), positions.len());
    let sql =
        "SELECT lower(hex(board)) AS key, min(value) AS value FROM tree('', 7) GROUP BY board";
    let rows = json(["query", arg(&book), sql, "--json"]);
    let rows = rows.as_array().unwrap();
    let known: BTreeSet<String> = rows
        .iter()
        .map(|row| row["key"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(keys, known);
    for row in rows {
        let (_, position) = positions
            .iter()
            .find(|(key, _)| *key == row["key"])
            .unwrap();
        assert_eq!(position["value"], row["value"]);
    }
    assert_eq!(report["positions"], positions.len());
    assert_eq!(report["files"], fs::read_dir(&site).unwrap().count());
    let page = fs::read_to_string(site.join("index.html")).unwrap();
    assert!(page.contains("site.js") && site.join("site.js").exists());
    has_moves_near_best_play(&book, &site, &keys);
}

#[test]
fn the_tree_of_a_site_ends_with_its_plies() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("club");
    let book = golden("games.dat");
    stdout(["site", arg(&book), arg(&site), "--plies", "3"]);
    let tree = &about(&site)["plots"]["tree"];
    let tree = tree.as_str().unwrap();
    assert!(tree.contains("up to 3 moves deep"), "{tree}");
}

/// None of the first 200 leaves near best play belongs to it.
#[test]
fn a_small_site_of_a_large_book_lists_its_own_moves() {
    let folder = tempfile::tempdir().unwrap();
    let (book, site) = (folder.path().join("a.obook"), folder.path().join("club"));
    stdout(["import", "../examples/small.dat.zst", "--book", arg(&book)]);
    stdout(["site", arg(&book), arg(&site), "--plies", "5"]);
    let keys = positions(&site).into_iter().map(|(key, _)| key).collect();
    has_moves_near_best_play(&book, &site, &keys);
}

#[test]
fn a_site_may_show_only_what_was_played() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book.obook");
    stdout(["import", arg(&golden("games.dat")), "--book", arg(&book)]);
    stdout([
        "games",
        "import",
        "../examples/levels.wtb",
        "--book",
        arg(&book),
    ]);
    let site = folder.path().join("club");
    let without = golden("games.dat");
    let said = complaint(
        ["site", arg(&without), arg(&site), "--min-games", "5"],
        &without,
    );
    assert!(said.contains("it contains no games"), "{said}");
    stdout([
        "site",
        arg(&book),
        arg(&site),
        "--plies",
        "20",
        "--min-games",
        "5",
    ]);
    let positions = positions(&site);
    assert!(positions.len() > 5);
    for (key, _) in positions {
        let sql = format!("SELECT coalesce(sum(games), 0) AS games FROM plays('{key}')");
        let row = json(["query", arg(&book), &sql, "--json"]);
        assert!(row[0]["games"].as_u64().unwrap() >= 5, "{key}: {row}");
    }
}

#[test]
fn a_folder_with_something_in_it_stays() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("own.txt");
    fs::write(&own, "mine").unwrap();
    let book = golden("games.dat");
    let said = complaint(["site", arg(&book), arg(folder.path())], folder.path());
    assert!(said.contains("the folder is not empty"), "{said}");
    complaint(
        ["site", arg(&book), arg(folder.path()), "--force"],
        folder.path(),
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_file_is_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.txt");
    fs::write(&file, "mine").unwrap();
    let book = golden("games.dat");
    for force in [None, Some("--force")] {
        let words = ["site", arg(&book), arg(&file)].into_iter().chain(force);
        let said = complaint(words, &file);
        assert!(said.contains("a file, and a site needs a folder"), "{said}");
    }
    let within = file.join("within.svg");
    for words in [
        &["site", arg(&book), arg(&within)][..],
        &["plot", arg(&book), "scores", "--output", arg(&within)],
    ] {
        let said = complaint(words, &within);
        let expected = format!("{} is a file, not a folder", file.display());
        assert!(said.contains(&expected), "{said}");
    }
    assert!(fs::read(&file).unwrap() == b"mine");
}

/// The rows are those that the page writes, here by the command that stands for it in the history.
#[test]
fn a_site_of_a_repertoire_has_its_lines_and_notes() {
    let folder = tempfile::tempdir().unwrap();
    let (book, site) = (folder.path().join("a.obook"), folder.path().join("club"));
    stdout(["import", arg(&golden("games.dat")), "--book", arg(&book)]);
    let empty = complaint(["site", arg(&book), arg(&site), "--repertoire"], &book);
    assert!(empty.contains("no move is marked"), "{empty}");
    let sql = "CREATE TABLE marks (board BLOB NOT NULL, child BLOB NOT NULL, line TEXT NOT NULL, PRIMARY KEY (board, child)) STRICT, WITHOUT ROWID; \
        CREATE TABLE notes (board BLOB PRIMARY KEY NOT NULL, line TEXT NOT NULL, note TEXT NOT NULL) STRICT, WITHOUT ROWID; \
        REPLACE INTO marks VALUES (board(''), board('f5'), 'f5'), (board('f5d6'), board('f5d6c3'), 'f5d6c3'); \
        REPLACE INTO notes VALUES (board('f5f6'), 'f5f6', 'not yet')";
    stdout(["query", arg(&book), "--write", sql]);
    stdout(["site", arg(&book), arg(&site), "--repertoire"]);
    let keys: BTreeSet<String> = positions(&site).into_iter().map(|(key, _)| key).collect();
    let lines = ["", "f5", "f5d6", "f5d6c3", "f5f6"];
    let key = |line: &str| json(["show", arg(&book), line, "--json"])["key"].to_string();
    let expected = lines.map(|line| key(line).trim_matches('"').to_owned());
    assert_eq!(keys, BTreeSet::from(expected));
    let about = about(&site);
    for text in ["\"f5d6c3\"", "not yet"] {
        assert!(about.to_string().contains(text), "{text}");
    }
    // Nothing else of the book is told.
    let near = ["frontier", "worst"].map(|list| about[list]["moves"].as_array().unwrap());
    for mv in near.into_iter().flatten() {
        let line = mv["line"].as_str().unwrap();
        let before = line.strip_suffix(mv["square"].as_str().unwrap());
        assert!(lines.contains(&before.unwrap_or(line)), "{mv}");
    }
    let openings = about["openings"].as_array().unwrap();
    let valued = openings.iter().filter(|it| !it["value"].is_null());
    let valued: Vec<_> = valued.map(|it| it["line"].as_str().unwrap()).collect();
    assert_eq!(valued, ["f5d6", "f5f6"]);
    assert!(about["plots"]["tree"].is_null());
}
