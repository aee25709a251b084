//! The same for shogi, with a small engine that speaks USI.

use super::{LEASE, Running, Server, lines};
use crate::support::program::{arg, json, obook, stdout};
use obook_testing::stored_book::digest_of_contents;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const ENGINE: &str = "usi:python3 ../tests/data/shogi/usi.py";

/// A recipe that ends soon.
const RECIPE: &str = "
[[stages]]
rule = 'complete'
[[stages]]
rule = { best-first = { error = 100 } }
until = { positions = 16 }
";

/// The move without a score leads from two positions to the same one.
const LACKING: &str = "#YANEURAOU-DB2016 1.00
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
7g7f none 30 12
2g2f none 25 12
sfen lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3
2g2f
sfen lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/7P1/PPPPPPP1P/1B5R1/LNSGKGSNL b - 3
7g7f
";

/// A book of this name in the server's folder.
fn book(server: &Server, name: &str) -> PathBuf {
    let file = server.path("file.db");
    std::fs::write(&file, LACKING).unwrap();
    std::fs::write(server.path("shogi.toml"), RECIPE).unwrap();
    let book = server.path(name);
    stdout(["import", arg(&file), "--book", arg(&book)]);
    book
}

fn learner(server: &Server, book: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_obook"));
    let recipe = server.path("shogi.toml");
    command.args(["learn", arg(book), "--recipe", arg(&recipe)]);
    command.args(["--go", "depth 4", "--json"]).args(more);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn end(output: &Output) -> Value {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let lines = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(lines.lines().last().unwrap()).unwrap()
}

/// Law (Several machines): Machines make the same book of shogi as threads, even if a worker is killed.
#[test]
fn machines_make_the_book_of_shogi_that_threads_make() {
    let server = Server::new();
    let here = book(&server, "here.obook");
    let expected = end(&learner(&server, &here, &["--engine", ENGINE])
        .output()
        .unwrap());
    let there = book(&server, "there.obook");
    let url = server.url();
    let elsewhere = ["--nats", &url, "--lease", LEASE, "--batch", "2"];
    let mut killed = server.worker_with("one", &format!("{ENGINE} slow 0.1"));
    let mut learning = Running::start(&mut learner(&server, &there, &elsewhere));
    let told = lines(&mut learning);
    assert_eq!(told.recv().unwrap()["event"], "progress");
    killed.kill();
    let _workers = ["two", "three"].map(|name| server.worker_with(name, ENGINE));
    let learned = told.iter().last().unwrap();
    assert_eq!(learning.0.wait().unwrap().code(), Some(0));
    for count in ["searches", "added", "moves", "failed", "left", "positions"] {
        assert_eq!(learned[count], expected[count], "{count}");
    }
    assert!(learned["searches"].as_u64().unwrap() >= 8, "{learned}");
    assert_eq!(learned["engine"], "other machines");
    assert!(digest_of_contents(&there) == digest_of_contents(&here));
    let status = json([
        "shogi",
        "learn",
        arg(&there),
        "--status",
        "--nats",
        &url,
        "--json",
    ]);
    assert_eq!(status["nats"]["engines"][0]["engine"], "shogi", "{status}");
    stdout(["undo", arg(&there)]);
    assert!(digest_of_contents(&there) == digest_of_contents(&book(&server, "again.obook")));
}

/// Engines of one game get no questions of the other, and files of tasks are searches for Othello.
#[test]
fn engines_for_shogi_search_for_shogi_only() {
    let server = Server::new();
    let tasks = server.path("tasks");
    std::fs::write(&tasks, "").unwrap();
    let output = obook(["work", arg(&tasks), "--engine", ENGINE]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("expected an engine for Othello"), "{said}");
    // Nobody is there, and no book is made.
    let new = server.path("new.obook");
    let closed = ["--go", "depth 4", "--nats", "nats://127.0.0.1:1"];
    let output = obook([&["shogi", "learn", arg(&new)][..], &closed].concat());
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("no server is running there"), "{said}");
    assert!(!new.exists());
    // Somebody has to search.
    let book = book(&server, "book.obook");
    assert_eq!(
        obook(["shogi", "search", arg(&book), "--go", "depth 4"])
            .status
            .code(),
        Some(2)
    );
}
