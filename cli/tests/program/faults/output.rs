//! Output that nobody takes: pipes whose reader has gone, and full disks. If the exit status is that of success, the change was made;
//! otherwise nothing was changed, and a sentence says why.

use super::{TASKS, Template, Work, chosen};
use crate::support::program::{json, stdout};
use rayon::prelude::*;
use std::fs::File;
use std::io;
use std::process::{Command, Output, Stdio};

/// What becomes of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Taker {
    /// The reader of the pipe has gone.
    Gone,
    /// The disk is full.
    Full,
    Test,
}

impl Taker {
    fn stdio(self) -> Stdio {
        match self {
            Taker::Gone => {
                let (reader, writer) = io::pipe().unwrap();
                drop(reader);
                writer.into()
            }
            Taker::Full => {
                let full = File::options().write(true).open("/dev/full");
                full.unwrap().into()
            }
            Taker::Test => Stdio::piped(),
        }
    }
}

/// The takers of standard output and of standard error.
const TAKERS: [[Taker; 2]; 4] = [
    [Taker::Gone, Taker::Test],
    [Taker::Full, Taker::Test],
    [Taker::Gone, Taker::Full],
    [Taker::Full, Taker::Full],
];

/// SQL that answers with rows while it writes: with a few and with more than any pipe holds.
const SQL: [(&str, &str); 2] = [
    (
        "query BOOK UPDATE/**/positions/**/SET/**/lines=5/**/WHERE/**/empties=60/**/RETURNING/**/value --write",
        "",
    ),
    (
        "query BOOK UPDATE/**/positions/**/SET/**/lines=5/**/RETURNING/**/board,value,level,lines;SELECT/**/*/**/FROM/**/links --write",
        "",
    ),
];

fn run(work: &Work, command: &str, [out, err]: [Taker; 2]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_obook"))
        .args(work.words(command))
        .current_dir(&work.root)
        .env("TMPDIR", work.root.join("tmp"))
        .stdout(out.stdio())
        .stderr(err.stdio())
        .output()
        .unwrap()
}

/// The number of searches that are handed out.
fn leased(work: &Work) -> u64 {
    let status = work.words("learn BOOK --status --json");
    json(status)["leased"].as_u64().unwrap()
}

/// Whether the command writes JSON on request.
fn has_json(command: &str) -> bool {
    let words = command.split(' ').take_while(|word| {
        let is_name = |c: char| c.is_ascii_lowercase() || c == '-';
        word.chars().all(is_name)
    });
    let words: Vec<&str> = words.chain(["--help"]).collect();
    stdout(words).contains("--json")
}

/// What is wrong with the ends of a command whose output nobody takes.
fn wrong(
    template: &Template,
    command: &str,
    sql: &'static str,
    takers: &[[Taker; 2]],
) -> Vec<String> {
    let name = command.trim_end_matches(" --json");
    let work = template.work(name, sql);
    let before = work.state();
    let undisturbed = run(&work, command, [Taker::Test; 2]).status.code();
    let after = work.state();
    assert!(before != after, "{command} changes nothing");
    let complaint = |takers: &[Taker; 2]| {
        let work = template.work(name, sql);
        let output = run(&work, command, *takers);
        let (status, state) = (output.status.code(), work.state());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_true = match status {
            Some(1) if status != undisturbed => {
                let says_why = said.starts_with("obook: ") || takers[1] != Taker::Test;
                // Searches may have been chosen, but are not handed out.
                let is_before = match name.starts_with(TASKS) {
                    true => leased(&work) == 0,
                    false => state == before,
                };
                is_before && says_why
            }
            _ => status == undisturbed && state == after,
        };
        let made = match (state == before, state == after) {
            (true, _) => "as before",
            (_, true) => "changed",
            _ => "neither as before nor as after",
        };
        (!is_true).then(|| format!("{command}, {takers:?}: {status:?}, {made}: {said}"))
    };
    takers.iter().filter_map(complaint).collect()
}

/// Law (Crashes, untrusted books, concurrency): The exit status tells whether a change was made, whatever happens to the
/// output.
/// Also: `cli/tests/program/full_output.rs` `a_completed_change_is_not_reported_as_failed`
/// `sql_changes_the_book_if_its_answer_can_not_be_printed` `a_script_that_writes_runs_to_its_end`
/// `what_can_not_be_complained_about_has_its_status` `tasks_that_can_not_be_printed_are_not_leased`
/// `cli/tests/program/terminal.rs` `a_change_is_made_though_the_pager_is_left_early`
#[test]
fn the_status_tells_whether_the_change_was_made() {
    let template = Template::new();
    let mut commands = chosen();
    commands.extend(&SQL);
    let wrong: Vec<String> = commands
        .par_iter()
        .flat_map_iter(|(command, sql)| {
            let mut found = wrong(&template, command, sql, &TAKERS);
            // A picture is drawn, or its numbers are printed.
            if has_json(command) && !command.starts_with("plot ") {
                let command = format!("{command} --json");
                found.extend(self::wrong(&template, &command, sql, &TAKERS[..2]));
            }
            found
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
