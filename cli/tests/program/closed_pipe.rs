//! Readers that stop early: `obook … | head`.

use crate::support::program::{arg, stdout};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Reads a line and closes the pipe; the command must end with this status and say nothing.
#[track_caller]
fn head(arguments: &[&str], status: i32) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_obook"))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_until(b'\n', &mut Vec::new()).unwrap();
    drop(out);
    let output = child.wait_with_output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(complaint, "", "{arguments:?}");
    assert_eq!(output.status.code(), Some(status), "{arguments:?}");
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("games.obook");
    let games = "../examples/games.dat";
    stdout(["import", games, "--book", arg(&book)]);
    // More than any pipe holds.
    let sql = "SELECT a.board, b.board FROM positions AS a, positions AS b";
    for format in ["table", "csv", "tsv", "json", "ndjson", "markdown"] {
        head(&["query", arg(&book), sql, "--format", format], 0);
    }
    head(&["convert", games, "-", "--to", "edax-text"], 0);
    head(&["export", arg(&book), "-", "--format", "edax-text"], 0);
}

/// The status is the answer, however much of it is read.
#[test]
fn a_closed_pipe_hides_no_difference_and_no_damage() {
    let folder = tempfile::tempdir().unwrap();
    let games = "../examples/games.dat";
    let all = ["--rows", "all"];
    let other = "../tests/data/edax/small.subtree_f5d6c4.dat";
    head(&["diff", games, other, all[0], all[1]], 1);
    let bad = folder.path().join("bad.obook");
    stdout(["import", games, "--book", arg(&bad)]);
    let values = "UPDATE positions SET value = 64";
    stdout(["query", arg(&bad), values, "--write"]);
    head(&["verify", arg(&bad), "--examples", "9999"], 1);
    let first = "../examples/q1_quiet_or_check.db";
    let second = "../examples/q1_quiet_or_check.out.db";
    head(&["diff", first, second], 1);
}
