//! `obook shogi games`: games in a database of their own or beside a book.

mod at;
mod export;
mod import;
mod list;
mod show;
mod stats;
mod verify;

use crate::failure::Failure;
use crate::words::say;
use obook_shogi::games::Record;
use std::path::Path;

/// Import, check, find, count and export games
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi games import *.csa --book games.obook\n  \
    obook shogi games verify game.kif\n  \
    obook shogi games at games.obook 7g7f 3c3d\n  \
    obook shogi games list games.obook --player rose\n  \
    obook shogi games stats games.obook\n\n\
    Formats are CSA, KIF and KI2, in UTF-8 or Shift_JIS, recognised by their contents. docs/shogi.md describes what is checked.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Import(import::Arguments),
    Verify(verify::Arguments),
    List(list::Arguments),
    Show(show::Arguments),
    Export(export::Arguments),
    Stats(stats::Arguments),
    At(at::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Import(arguments) => import::run(arguments),
        Command::Verify(arguments) => verify::run(arguments),
        Command::List(arguments) => list::run(arguments),
        Command::Show(arguments) => show::run(arguments),
        Command::Export(arguments) => export::run(arguments),
        Command::Stats(arguments) => stats::run(arguments),
        Command::At(arguments) => at::run(arguments),
    }
}

/// The most faulty records that are reported one by one; the rest are only counted.
const TOLD: u64 = 10;

/// Reports faulty records.
#[derive(Default)]
struct Teller {
    faulty: u64,
}

impl Teller {
    fn tell(&mut self, file: &Path, record: &Record) {
        self.faulty += 1;
        if self.faulty <= TOLD {
            let faults: Vec<String> = record.faults.iter().map(ToString::to_string).collect();
            say(format_args!(
                "obook: {}: {}",
                file.display(),
                faults.join("; ")
            ));
        }
    }

    fn finish(self) {
        if let more @ 1.. = self.faulty.saturating_sub(TOLD) {
            say(format_args!("obook: and {more} more"));
        }
    }
}

/// A result in words.
const fn result(result: Option<i8>) -> &'static str {
    match result {
        Some(1) => "Black won",
        Some(0) => "draw",
        Some(_) => "White won",
        None => "not known",
    }
}
