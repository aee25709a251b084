//! Commands that search one position after another: what ends them, and what doesn't.

use crate::support::program::arg;
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// An NBoard engine that gives these answers, one after another, and then runs a command. It counts them in a file, because it is
/// started again after an answer that makes no sense.
fn engine(folder: &Path, answers: &[&str], then: &str) -> String {
    let (script, count) = (folder.join("engine"), folder.join("count"));
    let answers = answers.iter().enumerate();
    let answers = answers.map(|(number, mv)| format!("{}) mv={mv} ;;\n", number + 1));
    let answers: String = answers.collect();
    let speaks_nboard = format!(
        "while read -r word rest; do case \"$word $rest\" in\n\
         ping*) echo \"pong $rest\" ;;\n\
         'set depth'*) level=\"${{rest#depth }}\" ;;\n\
         hint*) echo >> '{}'; case $(wc -l < '{0}' | tr -d ' ') in {answers}*) {then} ;; esac\n\
         echo \"search $mv 0 0 $level\"; echo status ;;\n\
         esac; done",
        arg(&count)
    );
    fs::write(&script, speaks_nboard).unwrap();
    format!("nboard:sh '{}'", arg(&script))
}

/// The status of a process that has to end long before its engine answers.
fn ends(mut child: Child) -> ExitStatus {
    let patience = Instant::now() + Duration::from_secs(100);
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if Instant::now() > patience {
            child.kill().unwrap();
            panic!("it waits for searches that nobody needs");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

const START: &str = "---------------------------OX------XO--------------------------- X";

/// Law (Searches): A closed pipe, Ctrl-C or repeated failures end a search at once; one failure doesn't.
/// Also: `an_interrupt_ends_the_searches` `a_failed_search_does_not_end_the_check_of_other_games`
/// `too_many_failures_in_a_row_end_a_command`
#[test]
fn a_reader_that_leaves_ends_the_searches() {
    let folder = tempfile::tempdir().unwrap();
    let problems = folder.path().join("problems.obf");
    fs::write(&problems, format!("{START};\n").repeat(9)).unwrap();
    let engine = engine(folder.path(), &["f5", "f5", "f5"], "sleep 600");
    let mut child = Command::new(env!("CARGO_BIN_EXE_obook"))
        .args(["solve", arg(&problems), "--level", "4", "--engine", &engine])
        .args(["--jobs", "1"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut heading = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut heading).unwrap();
    assert!(heading.contains("score"), "{heading}");
    drop(out);
    assert!(ends(child).success());
}

#[test]
fn an_interrupt_ends_the_searches() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games.txt");
    fs::write(&games, "f5d6c3d3c4\n".repeat(9)).unwrap();
    let engine = engine(folder.path(), &["d6"], "sleep 600");
    let child = Command::new(env!("CARGO_BIN_EXE_obook"))
        .args([
            "check",
            arg(&games),
            "--no-book",
            "--level",
            "4",
            "--engine",
            &engine,
        ])
        .args(["--jobs", "1"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let count = folder.path().join("count");
    while fs::read(&count).map_or(0, |count| count.len()) < 2 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let id = child.id().to_string();
    let kill = Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(kill.success());
    assert_eq!(ends(child).code(), Some(130));
}

#[test]
fn a_failed_search_does_not_end_the_check_of_other_games() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games.txt");
    fs::write(&games, "f5d6c3d3c4\n".repeat(2)).unwrap();
    // The first moves are all the same, so the start isn't searched. The third answer is no move of that position, and neither is
    // that of the engine started anew.
    let answers = ["d6", "c3", "a1", "a1", "c4", "f4"];
    let good = ["d6", "c3", "d3", "c4", "f4"];
    let engine = engine(folder.path(), &[&answers[..], &good].concat(), "exit");
    let output = Command::new(env!("CARGO_BIN_EXE_obook"))
        .args([
            "check",
            arg(&games),
            "--no-book",
            "--level",
            "4",
            "--engine",
            &engine,
        ])
        .args(["--jobs", "1", "--json"])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("a search failed: "), "{said}");
    assert!(said.contains("1 of 2 games checked"), "{said}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let complete = |game: &Value| game["complete"].as_bool().unwrap();
    let games = report["games"].as_array().unwrap();
    let games: Vec<bool> = games.iter().map(complete).collect();
    assert_eq!(games, [false, true], "{report}");
}

/// As for learning: an engine that answers nothing is not asked a thousand times.
#[test]
fn too_many_failures_in_a_row_end_a_command() {
    let folder = tempfile::tempdir().unwrap();
    let problems = folder.path().join("problems.obf");
    // Different positions: one that fails again counts once.
    let boards = obook_testing::engines::positions(1, 50, 40);
    let lines: String = boards
        .iter()
        .map(|board| format!("{};\n", board.to_text()))
        .collect();
    fs::write(&problems, lines).unwrap();
    let engine = engine(folder.path(), &[], "mv=a1");
    let output = Command::new(env!("CARGO_BIN_EXE_obook"))
        .args(["solve", arg(&problems), "--level", "4", "--engine", &engine])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    let asked = fs::read(folder.path().join("count")).unwrap().len();
    assert!((8..40).contains(&asked), "{asked} questions: {said}");
    assert!(said.contains("8 "), "{said}");
}
