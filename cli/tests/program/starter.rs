//! The starter book answers where no book is given, under its own name elsewhere, and is never changed.

use crate::support::program::{arg, assert_sound, obook, rows, stdout};
use crate::support::root;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

const SAYS_SO: &str = "obook: no book is given, so the starter book answers; `obook import starter` makes a copy that can grow\n";

/// Runs the command in this folder, with another one for temporary files, which must be empty afterwards.
fn run_in(folder: &TempDir, arguments: &[&str]) -> Output {
    let temporary = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_obook"));
    command.args(arguments).current_dir(folder);
    let output = command.env("TMPDIR", temporary.path()).output().unwrap();
    let left: Vec<_> = fs::read_dir(&temporary).unwrap().collect();
    assert!(left.is_empty(), "{arguments:?} left {left:?}");
    output
}

fn words(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn without_a_book_it_answers_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    for (without, with) in [
        (&["show"][..], &["show", "starter"][..]),
        (&["show", "f5d6"], &["show", "starter", "f5d6"]),
        (&["show", "f5", "d6"], &["show", "starter", "f5d6"]),
        (&["show", "Tiger"], &["show", "starter", "tiger"]),
        (
            &["show", "00000008100000000000001008000000"],
            &["show", "starter"],
        ),
        (
            &["why", "tiger", "--json"],
            &["why", "starter", "tiger", "--json"],
        ),
        (&["line", "f5"], &["line", "starter", "f5"]),
        (
            &["play", "--moves", "5"],
            &["play", "starter", "--moves", "5"],
        ),
        (
            &["plot", "tree", "f5d6"],
            &["plot", "starter", "tree", "f5d6"],
        ),
        (
            &["check", "f5f6e6f4", "--level", "1"],
            &["check", "f5f6e6f4", "--level", "1", "--book", "starter"],
        ),
    ] {
        let (without, with) = (run_in(&folder, without), run_in(&folder, with));
        assert_eq!(words(&without.stderr), SAYS_SO);
        assert_eq!(words(&with.stderr), "");
        assert!(!with.stdout.is_empty());
        assert_eq!(words(&without.stdout), words(&with.stdout));
        assert!(without.status.success() && with.status.success());
    }
    // The times of its searches differ.
    let hint = run_in(&folder, &["hint", "f5d6", "--level", "1", "--top", "1"]);
    assert_eq!(words(&hint.stderr), SAYS_SO);
    assert!(words(&hint.stdout).contains('['), "{hint:?}");
}

#[test]
fn a_file_comes_before_moves_and_names() {
    let folder = tempfile::tempdir().unwrap();
    let games = root().join("examples/games.dat");
    for name in ["f5d6", "tiger"] {
        fs::copy(&games, folder.path().join(name)).unwrap();
        let shown = run_in(&folder, &["show", name]);
        assert_eq!(words(&shown.stdout), stdout(["show", arg(&games)]));
        assert_eq!(words(&shown.stderr), "");
    }
    // The word itself isn't taken by a file.
    fs::copy(&games, folder.path().join("starter")).unwrap();
    let shown = run_in(&folder, &["show", "./starter"]);
    assert_eq!(words(&shown.stdout), stdout(["show", arg(&games)]));
    let shown = run_in(&folder, &["show", "starter"]);
    assert_eq!(words(&shown.stdout), stdout(["show", "starter"]));
}

#[test]
fn words_that_are_neither_file_nor_line_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    for (word, expected) in [
        ("book.dat", "obook: book.dat: can't open: "),
        ("books/f5", "obook: books/f5: can't open: "),
        ("mybook", "obook: mybook: can't open: "),
        (
            "tigr",
            "obook: no opening is called “tigr”; did you mean “Tiger”?",
        ),
        ("f5f5", "obook: the moves make no line: "),
    ] {
        let said = run_in(&folder, &["show", word]);
        let complaint = words(&said.stderr);
        assert!(complaint.starts_with(expected), "{complaint}");
        assert_eq!(said.status.code(), Some(1));
    }
    let said = run_in(&folder, &["show", "f5f4d3c4"]);
    let expected = format!("{SAYS_SO}obook: starter: the book ends before f5f4d3c4");
    assert!(words(&said.stderr).starts_with(&expected), "{said:?}");
}

#[test]
fn it_stays_as_it_is() {
    let [folder, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    // A file of that name is ./starter.
    let file = other.path().join("starter");
    stdout(["import", "../examples/games.dat", "--book", arg(&file)]);
    let before = fs::read(&file).unwrap();
    for arguments in [
        &["why", "starter", "f5", "--search", "20"][..],
        &["query", "starter", "--write", "DELETE FROM leaves"],
        &["shell", "starter", "--write"],
        &["verify", "starter", "--fix-what-is-safe"],
        &["accuracy", "starter", "--store"],
        &["edit", "starter", "f5", "--value", "4"],
        &["fix", "starter"],
        &["merge", "starter", "starter"],
        &["undo", "starter"],
        &["redo", "starter"],
        &["prune", "starter", "--depth", "20"],
        &["compact", "starter"],
        &["history", "starter", "--keep", "1"],
        &["restore", "snapshot.zst", "starter"],
        &["salvage", "damaged.obook", "starter"],
        &["games", "import", "game.txt", "--book", "starter"],
        &["learn", "starter", "--level", "1"],
        &["search", "starter"],
        &["tasks", "starter"],
        #[cfg(feature = "explorer")]
        &["serve", "--write"],
        #[cfg(feature = "explorer")]
        &["serve", "starter", "--write"],
    ] {
        for folder in [&folder, &other] {
            let refused = run_in(folder, arguments);
            let complaint = words(&refused.stderr);
            assert!(!refused.status.success(), "{arguments:?}");
            let advice = "this book is inside obook and stays as it is; `obook import starter` makes a copy that can be changed";
            assert!(complaint.contains(advice), "{arguments:?}: {complaint}");
        }
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn its_copy_is_a_book_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let said = run_in(&folder, &["import", "starter"]);
    let said = words(&said.stdout);
    assert!(said.starts_with("starter: "), "{said}");
    assert!(said.ends_with("database: starter.obook\n"), "{said}");
    let book = folder.path().join("starter.obook");
    assert_sound(&book);
    let connection = rusqlite::Connection::open(&book).unwrap();
    let sources = rows(&connection, "SELECT name FROM sources", []);
    assert_eq!(sources, [[String::from("starter").into()]]);
    for arguments in [["stats"], ["line"]] {
        let answers = [arg(&book), "starter"].map(|book| stdout([arguments[0], book]));
        assert_eq!(answers[0], answers[1]);
    }
    let edited = obook(["edit", arg(&book), "f5d6c3", "--value", "4"]);
    assert!(edited.status.success(), "{edited:?}");
    // Its own numbers are better than nothing, but no reason to change the copy.
    let merged = obook(["merge", arg(&book), "starter"]);
    assert!(words(&merged.stdout).contains("starter"), "{merged:?}");
}

#[test]
fn wrong_arguments_leave_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let refused = run_in(&folder, &["stats", "starter", "--nonsense"]);
    assert_eq!(refused.status.code(), Some(2));
}

/// docs/starter.md names the checksum of the file and what is in it.
#[test]
fn its_page_says_what_it_is() {
    let page = fs::read_to_string(root().join("docs/starter.md")).unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("starter/book.zst");
    let bytes = fs::read(file).unwrap();
    assert!(bytes.len() <= 2_000_000);
    let digest = Sha256::digest(&bytes);
    let checksum: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(page.contains(&checksum), "{checksum}");
    let info = stdout(["info", "starter"]);
    let counts = info.lines().skip(1).take(3);
    for line in counts {
        assert!(page.contains(line.trim_end_matches(';')), "{line}");
    }
}
