//! `obook engines test`.

mod othello;
mod shogi;

use crate::engines::of_any_game;
use crate::prelude::*;
use crate::progress;
use obook::Progress;
use obook_engine::{EngineChoice, Go, SearchError};
use std::time::Instant;

/// Test whether an engine's answers can be relied on
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook engines test inside\n  \
    obook engines test edax --level 12\n  \
    obook engines test './edax -nboard -q -n 1 -book-usage off' --json\n  \
    obook engines test 'usi:./YaneuraOu' --go 'nodes 1000000'\n\n\
    Othello: scores of solved positions must equal those that the built-in engine proves, even with the best move excluded or when \
    the side to move must pass. Shogi: mates in one must be found, scores must be for the side to move, and the best of several \
    moves must come first. The same question must get the same answer after other questions and in a new process. Speed is shown \
    for one level. The exit status is 1 if a test fails.")]
pub(super) struct Arguments {
    /// Name of the engine, or the command that starts it
    #[arg(add = ArgValueCompleter::new(complete::engines))]
    engine: String,
    /// Othello: level at which to measure the speed [default: 8]
    #[arg(long, value_name = "LEVEL", value_parser = levels(60), hide_possible_values = true)]
    level: Option<u8>,
    /// Shogi: how long each search lasts: 'depth N', 'nodes N' or 'movetime MILLISECONDS' [default: nodes 10000]
    #[arg(long, value_name = "HOW LONG")]
    go: Option<Go>,
    /// Positions per test
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..))]
    positions: u8,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// The results of the tests.
#[derive(Serialize)]
struct Report {
    engine: String,
    passed: bool,
    tests: Vec<Test>,
    #[serde(skip)]
    progress: Progress,
}

#[derive(Serialize)]
struct Test {
    test: &'static str,
    passed: bool,
    /// Details of the result.
    found: String,
}

/// The details of a test that passed, or the reason why it failed.
type Outcome = Result<String, String>;

/// The details of a test whose questions had the same answers again.
const SAME_ANSWERS: &str = "asked again, after other positions and in a new process";

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let choice = of_any_game(&arguments.engine)?;
    let mut report = Report {
        engine: choice.name().to_owned(),
        passed: true,
        tests: Vec::new(),
        progress: progress::on_terminal(),
    };
    report.progress.step("testing", None);
    let positions = arguments.positions;
    let (given, level) = (&arguments.engine, arguments.level);
    let refused = |option, game| {
        let problem = format!("engine {given}: {option} is for engines that play {game}");
        Err(Failure::Other(problem))
    };
    match &choice {
        EngineChoice::Outside(outside) if outside.protocol.is_for_shogi() => {
            if level.is_some() {
                return refused("--level", "Othello");
            }
            let go = arguments.go.unwrap_or(Go::Nodes(10_000));
            shogi::run(outside, go, positions, &mut report);
        }
        _ if arguments.go.is_some() => return refused("--go", "shogi"),
        _ => othello::run(&choice, level.unwrap_or(8), positions, &mut report),
    }
    answer(&report, arguments.json, describe)?;
    Failure::told_if(!report.passed)
}

fn describe(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    for test in &report.tests {
        let verdict = if test.passed { "ok" } else { "FAILED" };
        writeln!(out, "{:11}  {verdict:6}  {}", test.test, test.found)?;
    }
    Ok(())
}

impl Report {
    fn note(&mut self, test: &'static str, outcome: Outcome) {
        self.progress.advance(1);
        let passed = outcome.is_ok();
        self.passed &= passed;
        let (Ok(found) | Err(found)) = outcome;
        self.tests.push(Test {
            test,
            passed,
            found,
        });
    }

    /// The first test: starts the engine, which speaks a protocol.
    fn start<S>(
        &mut self,
        protocol: &str,
        start: impl FnOnce() -> Result<S, SearchError>,
    ) -> Option<S> {
        let began = Instant::now();
        let started = said(start());
        let took = began.elapsed().as_secs_f64();
        let outcome = started.as_ref().map_err(String::clone);
        let told = |_| format!("{protocol}; started in {took:.2} s");
        self.note("protocol", outcome.map(told));
        started.ok()
    }
}

fn said<T>(result: Result<T, SearchError>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}
