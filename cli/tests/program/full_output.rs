//! If standard output is full, a completed change is not reported as a failure.

use crate::support::program::{arg, json, obook, stdout};
use crate::support::report::GAMES;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

fn book() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.obook");
    stdout(["import", GAMES, "--book", arg(&path)]);
    (folder, path)
}

fn into_full(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_obook"))
        .args(words)
        .stdout(File::options().write(true).open("/dev/full").unwrap())
        .output()
        .unwrap()
}

fn changes(book: &Path) -> usize {
    let history = json(["history", arg(book), "--json"]);
    history.as_array().unwrap().len()
}

#[test]
fn a_completed_change_is_not_reported_as_failed() {
    let (folder, path) = book();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let mut made = changes(&path);
    for command in [
        "negamax BOOK --rules egaroucid",
        "edit BOOK f5d6 --value 9",
        "edit BOOK f5d6 --value 8 --json",
        "level BOOK --at-most 1",
        "accuracy BOOK --store",
        "prune BOOK",
        "depth BOOK 20",
    ] {
        let command = command.replace("BOOK", arg(&path));
        let words: Vec<&str> = command.split(' ').collect();
        let output = into_full(&words);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{command}: {said}");
        assert!(
            said.contains("the command worked") && said.contains("No space left"),
            "{said}"
        );
        made += 1;
        assert_eq!(changes(&path), made, "{command}");
    }
    let undone = into_full(&["undo", arg(&path)]);
    assert_eq!(undone.status.code(), Some(0));
    let history = json(["history", arg(&path), "--json"]);
    let last = history
        .as_array()
        .unwrap()
        .iter()
        .find(|change| change["id"] == made);
    assert!(last.unwrap()["undone"].is_string(), "{history}");
    let played = file("played.txt");
    std::fs::write(&played, "f5d6c3d3c4\n").unwrap();
    for (command, output) in [
        ("export BOOK OUT", file("out.dat")),
        ("snapshot BOOK OUT", file("out.zst")),
        ("import OTHER --book OUT", file("out.obook")),
        ("salvage BOOK OUT", file("salvaged.obook")),
        (
            "check PLAYED --book BOOK --level 1 --exact 4 --output OUT",
            file("checked.ggf"),
        ),
    ] {
        let command = command
            .replace("BOOK", arg(&path))
            .replace("OTHER", GAMES)
            .replace("PLAYED", &played)
            .replace("OUT", &output);
        let words: Vec<&str> = command.split(' ').collect();
        assert_eq!(into_full(&words).status.code(), Some(0), "{command}");
        assert!(Path::new(&output).exists(), "{command}");
    }
}

/// The answer of SQL comes after the change.
#[test]
fn sql_changes_the_book_if_its_answer_can_not_be_printed() {
    let (_folder, path) = book();
    let made = changes(&path);
    let sql = "UPDATE positions SET value = 3 WHERE empties = 60 RETURNING value";
    let output = into_full(&["query", arg(&path), "--write", sql]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(
        said.contains("the command worked, but the report failed")
            && said.contains("rows changed: 1"),
        "{said}"
    );
    assert_eq!(changes(&path), made + 1);
    // In vain, so it fails.
    let output = into_full(&["query", arg(&path), "--write", "SELECT 1"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(changes(&path), made + 1);
}

/// All of a script runs, whoever reads its answers.
#[cfg(unix)]
#[test]
fn a_script_that_writes_runs_to_its_end() {
    let (_folder, path) = book();
    let sql = ".tables\nSELECT board FROM positions;\nUPDATE positions SET level = 3;\nSELECT 1;\nUPDATE positions SET level = 4;\n";
    for taker in ["| head -c 1", "> /dev/full"] {
        let made = changes(&path);
        let script =
            format!("(printf '%s' \"$1\" | \"$2\" shell \"$3\" --write; echo $? >&2) {taker}");
        let output = Command::new("sh")
            .args([
                "-c",
                &script,
                "sh",
                sql,
                env!("CARGO_BIN_EXE_obook"),
                arg(&path),
            ])
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.lines().any(|line| line == "0"), "{taker}: {said}");
        assert_eq!(changes(&path), made + 2, "{taker}: {said}");
    }
}

/// Nobody can be told, but the status tells.
#[test]
fn what_can_not_be_complained_about_has_its_status() {
    for (command, status) in [
        ("verify none.obook", 1),
        ("verify", 2),
        ("query none.obook SELECT", 1),
    ] {
        let full = || File::options().write(true).open("/dev/full").unwrap();
        let ended = Command::new(env!("CARGO_BIN_EXE_obook"))
            .args(command.split(' '))
            .stdout(full())
            .stderr(full())
            .status();
        assert_eq!(ended.unwrap().code(), Some(status), "{command}");
    }
}

/// Searches that nobody received are not leased.
#[test]
fn tasks_that_can_not_be_printed_are_not_leased() {
    let (_folder, path) = book();
    let words = ["tasks", arg(&path), "--recipe", "quick", "--level", "1"];
    let output = into_full(&words[..4]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    let status = json(["learn", arg(&path), "--status", "--json"]);
    assert_eq!(status["leased"], 0, "{status}");
    assert!(!stdout(&words[..4]).is_empty());
    let status = json(["learn", arg(&path), "--status", "--json"]);
    assert!(status["leased"].as_u64() > Some(0), "{status}");
}

#[test]
fn an_answer_that_can_not_be_given_is_a_failure() {
    let (_folder, path) = book();
    for command in ["--help", "help all", "show --help", "--version"] {
        let words: Vec<&str> = command.split(' ').collect();
        let output = into_full(&words);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{command}: {said}");
        assert!(said.contains("can't write to standard output"), "{said}");
    }
    // Status 1 would mean that they differ.
    let output = into_full(&["diff", arg(&path), arg(&path)]);
    assert_eq!(output.status.code(), Some(2));
    for command in ["info", "show", "history", "stats", "verify"] {
        let output = into_full(&[command, arg(&path)]);
        assert_eq!(output.status.code(), Some(1), "{command}");
    }
    assert_eq!(obook(["info", arg(&path)]).status.code(), Some(0));
}
