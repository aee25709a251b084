//! The program `obook`: arguments in, text or JSON out. The library does the work; the program calls it and reports.
#![forbid(unsafe_code)]
// Their macros panic if nobody reads.
#![warn(clippy::print_stderr, clippy::print_stdout)]

mod advice;
mod args;
mod commands;
mod context;
mod engines;
#[cfg_attr(not(feature = "explorer"), path = "without/explorer.rs")]
mod explorer;
mod failure;
mod interrupt;
#[cfg_attr(not(feature = "lake"), path = "without/lake.rs")]
mod lake;
#[cfg_attr(not(feature = "nats"), path = "without/nats.rs")]
mod nats;
mod options;
mod output;
mod pager;
#[cfg_attr(not(feature = "png"), path = "without/png.rs")]
mod png;
mod prelude;
mod problems;
mod progress;
mod recipes;
mod reports;
mod searches;
mod shogi;
mod sql;
mod starter;
mod texts;
mod typed;
mod without;
mod words;

use args::Cli;
use failure::Failure;
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use words::{say, say_all};

/// Runs the command on the command line. The exit status is 0 on success, 1 on failure or if the command found what it looks
/// for, and 2 if the arguments are wrong.
fn main() -> ExitCode {
    interrupt::watch();
    let run = || Cli::read(shogi::addressed(options::moves::arguments())?)?.run();
    let ended = match run() {
        ended @ (Ok(()) | Err(Failure::Told)) => context::quiet()
            .check_unchanged()
            .map_err(Failure::from)
            .and(ended),
        failed => failed,
    };
    let status = report(ended);
    context::clean_up();
    status
}

/// Says how the command ended, if it failed, and returns its exit status.
fn report(ended: Result<(), Failure>) -> ExitCode {
    let failure = match ended {
        Ok(()) if failure::has_unread() => return ExitCode::FAILURE,
        Ok(()) => return ExitCode::SUCCESS,
        // The reader has closed the pipe: it has read enough.
        Err(failure) if failure.is_closed_pipe() => return ExitCode::SUCCESS,
        Err(Failure::Told) => return ExitCode::FAILURE,
        Err(failure) => failure,
    };
    let said = options::book::with_starter_named(&failure.to_string());
    say(format_args!("obook: {said}"));
    match failure {
        Failure::Trouble(_) => return ExitCode::from(2),
        Failure::Interrupted => return ExitCode::from(interrupt::status()),
        Failure::Sql(problem) if io::stderr().is_terminal() => say_all(problem.excerpt),
        _ => {}
    }
    ExitCode::FAILURE
}
