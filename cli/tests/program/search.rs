//! `obook search` and `verify --sample`.

use crate::support::program::{arg, complaint, json, obook, stdout};
use crate::support::report::GAMES;
use obook_testing::stored_book::digest_of_contents;
use rusqlite::Connection;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// A real book that lacks the leaves of its earliest positions.
fn wiped(leaves: u32) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book.obook");
    stdout(["import", GAMES, "--book", arg(&book)]);
    let wipe = format!(
        "DELETE FROM leaves WHERE board IN (SELECT board FROM positions JOIN leaves USING (board)
         WHERE move IS NOT NULL ORDER BY empties DESC, board LIMIT {leaves});
         UPDATE book SET fixed = NULL"
    );
    Connection::open(&book)
        .unwrap()
        .execute_batch(&wipe)
        .unwrap();
    stdout(["fix", arg(&book)]);
    (folder, book)
}

fn waiting(book: &Path) -> i64 {
    let connection = Connection::open(book).unwrap();
    let count = connection.query_row("SELECT count(*) FROM todo", [], |row| row.get(0));
    count.unwrap()
}

fn events(lines: &str) -> Vec<Value> {
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn missing_leaves_are_found_and_undone() {
    let (_folder, book) = wiped(40);
    let lacking = digest_of_contents(&book);
    assert_eq!(waiting(&book), 40);
    let said = stdout([
        "search",
        arg(&book),
        "--level",
        "1",
        "--json",
        "--batch",
        "16",
    ]);
    let events = events(&said);
    let named = |event: &Value| event["event"].as_str().unwrap().to_owned();
    let names: Vec<String> = events.iter().map(named).collect();
    assert_eq!(names, ["progress", "progress", "progress", "end"]);
    let done: Vec<i64> = events
        .iter()
        .map(|it| it["searched"].as_i64().unwrap())
        .collect();
    assert_eq!(done, [16, 32, 40, 40]);
    let end = &events[3];
    assert_eq!(
        (&end["engine"], &end["level"]),
        (&"inside".into(), &1.into())
    );
    assert_eq!((&end["left"], &end["failed"]), (&0.into(), &0.into()));
    assert_eq!(waiting(&book), 0);
    stdout(["verify", arg(&book)]);
    let engine = "SELECT DISTINCT name FROM leaves JOIN engines USING (engine) ORDER BY 1";
    let engines = stdout(["query", arg(&book), engine, "--format", "csv"]);
    assert_eq!(engines, "name\nedax\nobook\n");
    let history = json(["history", arg(&book), "--json"]);
    let last = history.as_array().unwrap().last().unwrap();
    assert_eq!(last["counts"]["searched"], 40);
    stdout(["undo", arg(&book)]);
    assert!(digest_of_contents(&book) == lacking);
    let words = stdout(["search", arg(&book), "--level", "1", "--limit", "3"]);
    assert!(
        words.starts_with("3 leaves found by inside at level 1 in "),
        "{words}"
    );
    let nothing = obook(["search", arg(&book), "--level", "1", "--time", "0s"]);
    assert_eq!(nothing.status.code(), Some(1));
    let nothing = String::from_utf8(nothing.stdout).unwrap();
    assert!(
        nothing.contains("positions are left (time limit reached)"),
        "{nothing}"
    );
}

#[test]
fn a_killed_run_can_be_continued() {
    let (_folder, book) = wiped(60);
    let search = ["search", arg(&book), "--level", "1", "--batch", "1"];
    let (_whole, whole) = wiped(60);
    stdout(["search", arg(&whole), "--level", "1"]);
    let mut before = waiting(&book);
    for round in 0.. {
        let mut child = Command::new(env!("CARGO_BIN_EXE_obook"))
            .args(search)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Some answers are in the book, and some are in transit.
        while waiting(&book) > before - 7 && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = child.kill();
        child.wait().unwrap();
        let now = waiting(&book);
        assert!(now < before, "{round}");
        before = now;
        if now == 0 {
            assert!(round > 1, "it was killed on its way");
            break;
        }
    }
    assert!(digest_of_contents(&book) == digest_of_contents(&whole));
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_the_answers() {
    let (_folder, book) = wiped(200);
    let child = Command::new(env!("CARGO_BIN_EXE_obook"))
        .args([
            "search",
            arg(&book),
            "--level",
            "1",
            "--batch",
            "1",
            "--jobs",
            "1",
        ])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    while waiting(&book) == 200 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let words = String::from_utf8(output.stdout).unwrap();
    assert!(
        words.contains("are left (interrupted): run the same command to continue"),
        "{words}"
    );
    let left = waiting(&book);
    assert!(left > 0 && left < 200);
    stdout(["search", arg(&book), "--level", "1"]);
    assert_eq!(waiting(&book), 0);
}

#[test]
fn senseless_arguments_are_refused() {
    let (_folder, book) = wiped(2);
    for (arguments, named) in [
        (
            &["--where", "nowhere > 3"][..],
            "--where: no such column: nowhere",
        ),
        (&["--from", "f5f6e6f4g5h4"], "the book ends before"),
        (&["--engine", "nboard:/nowhere/engine"], "/nowhere/engine"),
    ] {
        let output = obook([&["search", arg(&book)][..], arguments].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(named), "{said}");
    }
    assert!(complaint(["search", GAMES], Path::new(GAMES)).contains("obook import"));
    assert_eq!(waiting(&book), 2);
}

#[test]
fn a_sample_of_leaves_is_searched_again() {
    let (_folder, book) = wiped(5);
    stdout(["search", arg(&book), "--level", "1"]);
    // Scores of the same engine are not off.
    let sample = |extra: &[&str]| {
        let all = [
            "verify",
            arg(&book),
            "--sample",
            "3000",
            "--seed",
            "7",
            "--json",
        ];
        json([&all[..], extra].concat())["sample"].clone()
    };
    let all = sample(&["--level", "1"]);
    let levels = all["levels"].as_array().unwrap();
    let own = levels
        .iter()
        .find(|level| level["engine"] == "obook")
        .unwrap();
    assert_eq!((&own["count"], &own["level"]), (&5.into(), &1.into()));
    assert_eq!(
        (own["mean"].as_f64(), own["spread"].as_f64()),
        (Some(0.0), Some(0.0))
    );
    assert_eq!(all["all"]["count"], all["leaves"]);
    let counts = levels.iter().map(|level| level["count"].as_i64().unwrap());
    assert_eq!(Some(counts.sum()), all["leaves"].as_i64());
    // A leaf that is far off is reported.
    let spoil = "UPDATE leaves SET score = -64 WHERE move IS NOT NULL AND board = (SELECT min(board) FROM leaves WHERE score > 0)";
    Connection::open(&book)
        .unwrap()
        .execute_batch(spoil)
        .unwrap();
    let output = obook([
        "verify",
        arg(&book),
        "--sample",
        "3000",
        "--level",
        "1",
        "--json",
    ]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        output.status.code(),
        Some(1),
        "its value is not that of the leaf"
    );
    assert_eq!(found["sample"]["all"]["largest"]["book"], -64);
    // The same seed gives the same leaves, for files and databases.
    let some = |seed: &str| {
        let file = [
            "verify", GAMES, "--sample", "20", "--level", "1", "--json", "--seed", seed,
        ];
        json(file)["sample"].clone()
    };
    assert_eq!(some("1"), some("1"));
    assert_ne!(some("1"), some("2"));
    assert_eq!(some("1")["all"]["count"], 20);
    let words = stdout([
        "verify", GAMES, "--sample", "20", "--level", "1", "--seed", "1",
    ]);
    assert!(
        words.contains("20 of 2214 leaves searched again by inside (seed 1):"),
        "{words}"
    );
    // Without a sample nothing is searched.
    for option in [["--engine", "inside"], ["--jobs", "1"]] {
        let output = obook([&["verify", GAMES], &option[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{option:?}");
    }
}
