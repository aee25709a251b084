//! `obook games` and `obook extract`.

use crate::support::program::{arg, complaint, json, obook, stdout};
use crate::support::report::GAMES;
use obook_testing::games::{eight_games, sample};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder with eight games as a WTHOR file, and a database of them.
fn taken_in() -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.wtb");
    fs::write(&file, eight_games(1978)).unwrap();
    let path = folder.path().join("games.obook");
    stdout(["games", "import", arg(&file), "--book", arg(&path)]);
    (folder, file, path)
}

#[test]
fn a_year_goes_in_and_comes_out() {
    let (folder, file, path) = taken_in();
    let again = json([
        "games",
        "import",
        arg(&file),
        "--book",
        arg(&path),
        "--json",
    ]);
    assert_eq!((&again["read"], &again["added"]), (&8.into(), &0.into()));
    let list = json(["games", "list", arg(&path), "--json"]);
    assert_eq!(list.as_array().unwrap().len(), 8);
    assert_eq!(list[7]["game"], 19_780_000_001_i64);
    let wthor_again = folder.path().join("wthor");
    stdout([
        "games",
        "export",
        arg(&path),
        arg(&wthor_again),
        "--format",
        "wthor",
    ]);
    let other = folder.path().join("other.obook");
    let year = wthor_again.join("WTH_1978.wtb");
    stdout(["games", "import", arg(&year), "--book", arg(&other)]);
    assert_eq!(json(["games", "list", arg(&other), "--json"]), list);
    // GGF and transcripts, too. Existing files are only replaced on request, and unknown text files never.
    for (name, is_replaced) in [
        ("games.ggf", true),
        ("games.sgf", true),
        ("games.txt", false),
    ] {
        let file = folder.path().join(name);
        stdout(["games", "export", arg(&path), arg(&file)]);
        complaint(["games", "export", arg(&path), arg(&file)], &file);
        let forced = ["games", "export", arg(&path), arg(&file), "--force"];
        if is_replaced {
            stdout(forced);
        } else {
            complaint(forced, &file);
        }
    }
}

#[test]
fn games_with_faults_are_reported_and_left_out_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("some.txt");
    fs::write(&file, "f5d6c3\ne6f4e3f6g5d6e7f5c5\nf5f5\n").unwrap();
    let [all, strict] = ["all.obook", "strict.obook"].map(|name| folder.path().join(name));
    let import = |book: &Path, more: &[&str]| {
        let words = [
            &["games", "import", arg(&file), "--book", arg(book), "--json"],
            more,
        ]
        .concat();
        obook(words)
    };
    let kept = import(&all, &[]);
    let told = String::from_utf8(kept.stderr).unwrap();
    assert!(
        told.contains("some.txt: game 1 (line 1): the game stops after 3 moves"),
        "{told}"
    );
    assert!(
        told.contains("some.txt: game 3 (line 3): move 2, f5, is not legal"),
        "{told}"
    );
    let report: serde_json::Value = serde_json::from_slice(&kept.stdout).unwrap();
    assert_eq!(
        (&report["added"], &report["faulty"]),
        (&3.into(), &2.into())
    );
    let left_out = import(&strict, &["--strict"]);
    let report: serde_json::Value = serde_json::from_slice(&left_out.stdout).unwrap();
    assert_eq!(
        (&report["added"], &report["faulty"]),
        (&1.into(), &2.into())
    );
}

/// A missing database, missing games or a missing game is reported, with advice.
#[test]
fn mistakes_are_reported() {
    let (folder, file, path) = taken_in();
    complaint(
        ["games", "import", arg(&file), "--book", GAMES],
        Path::new(GAMES),
    );
    let book = Path::new(GAMES);
    let new = folder.path().join("new.obook");
    complaint(["games", "import", GAMES, "--book", arg(&new)], book);
    assert!(!new.exists());
    let missing = complaint(["games", "show", arg(&path), "7"], &path);
    assert!(missing.contains("obook games list"), "{missing}");
    let target = folder.path().join("games.doc");
    let unknown = complaint(["games", "export", arg(&path), arg(&target)], &target);
    assert!(unknown.contains(".ggf, .sgf or .txt"), "{unknown}");
    complaint(
        [
            "games",
            "export",
            arg(&path),
            arg(folder.path()),
            "--format",
            "wthor",
        ],
        folder.path(),
    );
}

#[test]
fn numbers_instead_of_names_are_announced() {
    let folder = tempfile::tempdir().unwrap();
    let [alone, book] = ["alone.wtb", "games.obook"].map(|name| folder.path().join(name));
    std::fs::copy(sample(), &alone).unwrap();
    for (file, numbers) in [(&alone, true), (&sample(), false)] {
        let said = stdout(["games", "import", arg(file), "--book", arg(&book)]);
        let told = said.contains("because no list of players (.jou) is beside it");
        assert_eq!(told, numbers, "{said}");
    }
}

/// The name of an opening can be used in place of moves.
#[test]
fn names_are_typed_in_place_of_moves() {
    let (_folder, _, path) = taken_in();
    let by_name = json(["games", "at", arg(&path), "perpendicular", "--json"]);
    let by_moves = json(["games", "at", arg(&path), "f5d6", "--json"]);
    assert_eq!(by_name, by_moves);
    assert!(!by_moves["plays"].as_array().unwrap().is_empty());
}

/// `verify` accepts a database with games only, and an extracted book before and after a search.
#[test]
fn books_of_games_are_sound() {
    let (folder, file, path) = taken_in();
    stdout(["verify", arg(&path)]);
    stdout(["info", arg(&path)]);
    let book = folder.path().join("played.obook");
    for games in [&path, &file] {
        stdout([
            "extract",
            arg(games),
            "--book",
            arg(&book),
            "--min-games",
            "2",
            "--depth",
            "6",
            "--force",
        ]);
        stdout(["search", arg(&book), "--level", "1"]);
        stdout(["verify", arg(&book)]);
    }
}
