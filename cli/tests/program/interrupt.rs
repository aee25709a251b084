//! Commands that are interrupted.

use crate::support::program::arg;
use crate::support::report::GAMES;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

/// The limit of a shell is an error like a full disk, not a signal that ends the process without a word.
#[test]
fn a_file_that_may_not_grow_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book.obook");
    let limited = "ulimit -f 16; exec \"$0\" \"$@\"";
    let ended = Command::new("sh")
        .args(["-c", limited, env!("CARGO_BIN_EXE_obook")])
        .args(["import", GAMES, "--book", arg(&book)])
        .output()
        .unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert!(said.starts_with("obook: "), "{said}");
    assert_eq!(files(folder.path()), Vec::<String>::new());
}

/// Law (Crashes, untrusted books, concurrency): Files and folders are written completely or not at all, leaving no partial
/// files.
/// Also: `cli/tests/program/bad_input.rs` `a_failed_import_leaves_the_database_as_it_was` `crates/store/src/files.rs`
/// `a_folder_appears_completely_or_not_at_all`
#[test]
fn nothing_half_written_is_left() {
    let book = fs::read(GAMES).unwrap();
    // A job that a shell starts in the background ignores Ctrl-C.
    let ignoring = ["sh", "-c", "trap '' INT; exec \"$@\"", "sh"];
    let cases: [(&str, i32, &[&str]); 6] = [
        ("-INT", 130, &[]),
        ("-TERM", 143, &[]),
        ("-HUP", 129, &[]),
        ("-QUIT", 131, &[]),
        ("-TERM", 143, &ignoring),
        ("-QUIT", 131, &ignoring),
    ];
    for (signal, status, before) in cases {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out.egbk3");
        let mut words = before.to_vec();
        words.extend([env!("CARGO_BIN_EXE_obook"), "convert", "-", arg(&out)]);
        let mut child = Command::new(words[0])
            .args(&words[1..])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        // It is waiting for the rest of the book.
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&book[..book.len() - 1]).unwrap();
        while files(folder.path()).is_empty() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let id = child.id().to_string();
        let kill = |signal: &str| {
            let kill = Command::new("kill").args([signal, &id]).status().unwrap();
            assert!(kill.success());
        };
        if !before.is_empty() {
            kill("-INT");
        }
        kill(signal);
        let patience = Instant::now() + Duration::from_secs(60);
        let ended = loop {
            if let Some(ended) = child.try_wait().unwrap() {
                break ended;
            }
            assert!(
                Instant::now() < patience,
                "{signal} is ignored here: do the tests run under nohup?"
            );
            std::thread::sleep(Duration::from_millis(5));
        };
        assert_eq!(ended.code(), Some(status), "{signal}");
        assert_eq!(files(folder.path()), [""; 0], "{signal}");
    }
}

/// An engine that is thinking doesn't listen, and the script that started it doesn't either.
///
/// Law (Other engines): A stopped command leaves no engine running.
/// Also: `crates/engine/tests/misbehaving.rs` `an_engine_behind_a_wrapper_ends_with_it`
#[test]
fn no_engine_is_left_running() {
    for (signal, code) in [("-TERM", Some(143)), ("-KILL", None)] {
        is_none_left_running(signal, code);
    }
}

fn is_none_left_running(signal: &str, code: Option<i32>) {
    let folder = tempfile::tempdir().unwrap();
    let (script, id) = (folder.path().join("engine"), folder.path().join("id"));
    let speaks_nboard = format!(
        "while read -r word rest; do case \"$word\" in ping) echo \"pong $rest\" ;; \
         hint) echo $$ > '{0}.new'; mv '{0}.new' '{0}'; exec sleep 600 ;; esac; done",
        arg(&id)
    );
    fs::write(&script, speaks_nboard).unwrap();
    let engine = format!("nboard:sh -c \"sh '{}'; :\"", arg(&script));
    let mut child = Command::new(env!("CARGO_BIN_EXE_obook"))
        .args(["hint", "--no-book", "--engine", &engine])
        .spawn()
        .unwrap();
    while !id.exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let engine = fs::read_to_string(&id).unwrap();
    let status = format!("/proc/{}/stat", engine.trim());
    while !fs::read_to_string(&status).unwrap().contains("(sleep)") {
        std::thread::sleep(Duration::from_millis(5));
    }
    let id = child.id().to_string();
    let kill = Command::new("kill").args([signal, &id]).status().unwrap();
    assert!(kill.success());
    assert_eq!(child.wait().unwrap().code(), code);
    // Killed, perhaps still a zombie.
    let is_gone = || fs::read_to_string(&status).map_or(true, |stat| stat.contains(") Z"));
    let patience = Instant::now() + Duration::from_secs(60);
    while !is_gone() {
        assert!(Instant::now() < patience, "{signal}: the engine runs on");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The user hears of an engine that says nothing long before it counts as hung, and a signal ends the command meanwhile.
#[test]
fn a_silent_engine_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let new = folder.path().join("new.obook");
    let commands = [
        ("nboard:sleep 600", &["hint", "--no-book"][..]),
        ("usi:sleep 600", &["learn", arg(&new), "--go", "depth 3"]),
    ];
    let run = |(engine, words): (&'static str, &[&str])| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_obook"));
        command.args(words).args(["--engine", engine]);
        (engine, command.stderr(Stdio::piped()).spawn().unwrap())
    };
    for (engine, mut child) in commands.map(run) {
        let mut said = String::new();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        stderr.read_line(&mut said).unwrap();
        let expected = format!(
            "obook: engine {engine} has not answered for 5 seconds; still waiting, for 5m at most"
        );
        assert!(said.starts_with(&expected), "{said}");
        let id = child.id().to_string();
        let kill = Command::new("kill").args(["-TERM", &id]).status().unwrap();
        assert!(kill.success());
        assert_eq!(child.wait().unwrap().code(), Some(143), "{engine}");
    }
    assert_eq!(files(folder.path()), [""; 0]);
}
