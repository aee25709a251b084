//! Readers that stop early: `obook … | head`.

use crate::support::program::{arg, stdout};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Reads a line and closes the pipe; the command must succeed.
#[track_caller]
fn head(arguments: &[&str]) {
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
    assert_eq!(output.status.code(), Some(0), "{arguments:?}");
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
        head(&["query", arg(&book), sql, "--format", format]);
    }
    head(&["convert", games, "-", "--to", "edax-text"]);
    head(&["export", arg(&book), "-", "--format", "edax-text"]);
}
