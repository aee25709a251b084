//! Timeouts, and inputs that never come.

use crate::support::program::{arg, stdout};
use crate::support::report::GAMES;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;

fn book() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.obook");
    stdout(["import", GAMES, "--book", arg(&path)]);
    (folder, path)
}

/// The output of a command that must end without being stopped. Fails after a minute.
#[track_caller]
fn ends(words: &[&str]) -> (Option<i32>, String) {
    ends_with_engines(words, Path::new("none.toml"))
}

#[track_caller]
fn ends_with_engines(words: &[&str], engines: &Path) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_obook"))
        .args(words)
        .env("OBOOK_ENGINES", engines)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    for _ in 0..6000 {
        if child.try_wait().unwrap().is_some() {
            let Output { status, stderr, .. } = child.wait_with_output().unwrap();
            return (status.code(), String::from_utf8(stderr).unwrap());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    panic!("{words:?} does not end");
}

/// Law (Crashes, untrusted books, concurrency): A time limit holds within one statement, and pauses while a person reads in the
/// pager.
/// Also: `cli/tests/program/terminal.rs` `the_time_limit_waits_for_the_reader` `cli/tests/program/shell.rs`
/// `a_slow_reader_does_not_end_the_shell`
#[test]
fn one_long_step_ends_when_its_time_is_up() {
    let (_folder, path) = book();
    // Three million times a million and a half comparisons.
    let sql = "SELECT instr(hex(zeroblob(1500000)), hex(zeroblob(750000)) || '1')";
    for options in [
        ["--timeout", "0.5"].as_slice(),
        &["--timeout", "0.5", "--write"],
    ] {
        let words = [&["query", arg(&path), sql], options].concat();
        let (status, said) = ends(&words);
        assert_eq!(status, Some(1), "{said}");
        assert!(said.ends_with("not done within 0.5 s\n"), "{said}");
    }
    stdout(["verify", arg(&path)]);
}

#[cfg(unix)]
/// Law (Crashes, untrusted books, concurrency): Pipes and devices are refused in place of files, also in an engine's answer.
/// Also: `a_pipe_is_no_list_of_engines` `crates/engine/tests/misbehaving.rs` `books_that_come_back_are_checked`
#[test]
fn a_pipe_is_no_book() {
    let (folder, path) = book();
    let pipe = folder.path().join("pipe.dat");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let attach = format!("other={}", pipe.display());
    let table = format!("SELECT count(*) FROM book_file('{}')", pipe.display());
    for words in [
        ["info", arg(&pipe)].as_slice(),
        &["import", arg(&pipe), "--book", "none.obook"],
        &["merge", arg(&path), arg(&pipe)],
        &["query", arg(&pipe), "SELECT 1"],
        &["query", arg(&path), "SELECT 1", "--attach", &attach],
        &["query", arg(&path), "--file", arg(&pipe)],
        &["query", arg(&path), &table],
    ] {
        let (status, said) = ends(words);
        assert_eq!(status, Some(1), "{words:?}: {said}");
        assert!(said.contains("a device, a pipe or a socket"), "{said}");
    }
    let read = format!(".read {}\n", pipe.display());
    let said = crate::support::program::piped(["shell", arg(&path)], &read).stderr;
    let said = String::from_utf8(said).unwrap();
    assert!(said.contains("a device, a pipe or a socket"), "{said}");
    let new = folder.path().join("new.obook");
    let games = folder.path().join("games.wtb");
    std::fs::write(&games, obook_testing::games::eight_games(1978)).unwrap();
    let names = folder.path().join("games.jou");
    assert!(
        Command::new("mkfifo")
            .arg(&names)
            .status()
            .unwrap()
            .success()
    );
    for words in [
        ["learn", arg(&path), "--recipe", arg(&pipe)].as_slice(),
        &["work", arg(&pipe)],
        &["solve", arg(&pipe)],
        &["restore", arg(&pipe), arg(&new)],
        &["salvage", arg(&pipe), arg(&new)],
        &["games", "import", arg(&pipe), "--book", arg(&new)],
        &["games", "import", arg(&games), "--book", arg(&new)],
        &["check", arg(&pipe), "--book", arg(&path)],
        &["export", arg(&path), arg(&pipe)],
    ] {
        let (status, said) = ends(words);
        assert_eq!(status, Some(1), "{words:?}: {said}");
        assert!(said.contains("a device, a pipe or a socket"), "{said}");
        assert!(!new.exists(), "{words:?}");
    }
}

/// As above, for the file of engines.
#[cfg(unix)]
#[test]
fn a_pipe_is_no_list_of_engines() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("engines.toml");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let (status, said) = ends_with_engines(&["hint", "--no-book", "--engine", "mine"], &pipe);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("a device, a pipe or a socket"), "{said}");
}

/// Each view expands the one before twice.
fn nested_views() -> String {
    let mut sql = String::from("CREATE VIEW v0 AS SELECT 1 AS a;");
    for number in 1..60 {
        let before = number - 1;
        sql += &format!("CREATE VIEW v{number} AS SELECT x.a FROM v{before} AS x, v{before} AS y;");
    }
    sql
}

#[test]
fn views_of_a_stranger_hold_nothing_up() {
    for views in [
        nested_views(),
        "CREATE VIEW endless AS WITH RECURSIVE n (a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n) SELECT a FROM n"
            .into(),
    ] {
        let (folder, path) = book();
        let connection = rusqlite::Connection::open(&path).unwrap();
        // The check of the schema expands views, too.
        let config = rusqlite::config::DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW;
        connection.set_db_config(config, false).unwrap();
        connection.execute_batch(&views).unwrap();
        drop(connection);
        let script = folder.path().join("script.sql");
        std::fs::write(&script, "SELECT count(*) FROM positions").unwrap();
        let (other, dat) = (folder.path().join("other.zst"), folder.path().join("out.dat"));
        for words in [
            ["info", arg(&path)].as_slice(),
            &["show", arg(&path), "f5d6"],
            &["verify", arg(&path)],
            &["query", arg(&path), "-f", arg(&script)],
            &["negamax", arg(&path), "--rules", "egaroucid"],
            &["edit", arg(&path), "f5d6", "--value", "3"],
            &["undo", arg(&path)],
            &["query", arg(&path), "--write", "UPDATE positions SET lines = 1"],
            &["snapshot", arg(&path), arg(&other)],
            &["export", arg(&path), arg(&dat)],
        ] {
            let (status, said) = ends(words);
            assert_eq!(status, Some(0), "{words:?}: {said}");
        }
        // Suggestions for a misspelt name are searched.
        let (status, said) = ends(&["query", arg(&path), "SELECT valu FROM positions"]);
        assert_eq!(status, Some(1));
        assert!(said.contains("did you mean value?"), "{said}");
        let (status, said) = ends(&["query", arg(&path), "SELECT valu"]);
        assert_eq!(status, Some(1));
        assert!(said.contains("did you mean"), "{said}");
        let tables = crate::support::program::piped(["shell", arg(&path)], ".tables\n");
        assert!(tables.status.success());
    }
}

/// Searching a text is one step of a statement.
#[test]
fn a_search_ends_when_its_time_is_up() {
    let (_folder, path) = book();
    for sql in [
        "SELECT evaluate('', 60)",
        "SELECT score FROM hint('f5d6', 60)",
    ] {
        let (status, said) = ends(&["query", arg(&path), sql, "--timeout", "0.5"]);
        assert_eq!(status, Some(1), "{said}");
        assert!(said.ends_with("not done within 0.5 s\n"), "{said}");
    }
}
