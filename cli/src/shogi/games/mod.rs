//! `obook shogi games`: games in a database of their own or beside a book.

mod at;
mod export;
mod import;
mod list;
mod show;
mod stats;
mod verify;

use crate::failure::Failure;
use crate::words::{count, say};
use obook::Error;
use obook_shogi::games::{Format, Record};
use std::path::Path;

/// Import, check, find, count and export games
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi games import *.csa --book games.obook\n  \
    obook shogi games verify game.kif\n  \
    obook shogi games at games.obook 7g7f 3c3d\n  \
    obook shogi games list games.obook --player rose\n  \
    obook shogi games stats games.obook\n\n\
    Formats are CSA, KIF, KI2 and lists of games in USI, in UTF-8 or Shift_JIS, recognised by their contents. \
    docs/shogi.md describes what is checked.")]
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

/// A format of records.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum RecordFormat {
    Csa,
    /// Also reads KI2
    Kif,
    Usi,
}

impl From<RecordFormat> for Format {
    fn from(format: RecordFormat) -> Self {
        match format {
            RecordFormat::Csa => Self::Csa,
            RecordFormat::Kif => Self::Kif,
            RecordFormat::Usi => Self::Usi,
        }
    }
}

#[derive(Clone, Copy, Debug, clap::Args)]
struct ReadAs {
    /// Read files in this format, whatever they look like
    #[arg(long, value_name = "FORMAT")]
    format: Option<RecordFormat>,
}

impl ReadAs {
    fn format(self) -> Option<Format> {
        self.format.map(Format::from)
    }
}

/// The number of problems that aren't kept, in words.
fn problems(problems: u64) -> Option<String> {
    let problems = Some(problems).filter(|&problems| problems > 0)?;
    let counted = count(
        problems,
        "problem with one king isn't kept",
        "problems with one king aren't kept",
    );
    Some(format!("{counted}: not a game"))
}

/// The most faulty records and files that are reported one by one; the rest are only counted.
const TOLD: u64 = 10;

/// The number of files that can't be read, in words.
fn unread(files: u64) -> Option<String> {
    let files = Some(files).filter(|&files| files > 0)?;
    Some(count(files, "file can't be read", "files can't be read"))
}

/// Reports faulty records, and files that can't be read.
#[derive(Default)]
struct Teller {
    faulty: u64,
}

impl Teller {
    fn tell(&mut self, file: &Path, found: Result<&Record, &Error>) {
        self.faulty += 1;
        if self.faulty > TOLD {
            return;
        }
        match found {
            Ok(record) => {
                let faults: Vec<String> = record.faults.iter().map(ToString::to_string).collect();
                let (file, faults) = (file.display(), faults.join("; "));
                say(format_args!("obook: {file}: {faults}"));
            }
            Err(error) => say(format_args!("obook: {error}")),
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
