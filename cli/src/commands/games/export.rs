//! `obook games export`: games to files.

use crate::context;
use crate::failure::Failure;
use crate::options::destination::Force;
use crate::options::games::{WhichGames, say_none_meets};
use crate::options::mapping::output;
use crate::output::{report_on, write_json};
use crate::words::{ForPeople, count, say};
use clap::ValueEnum;
use obook::Store;
use obook::games::{GamesFormat, export};
use obook_games::Format;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Write games to a file, or to a folder as WTHOR files
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook games export games.obook tastet.ggf --player tastet\n  \
    obook games export games.obook wthor --format wthor\n  \
    obook games export games.obook finals.txt --tournament 'world championship' --since 2010\n\n\
    GGF keeps everything known about a game. WTHOR is a folder: a .wtb file for each year, and the lists of names.")]
pub(crate) struct Arguments {
    /// A database with games
    book: PathBuf,
    /// The file to write; its extension determines the format. For WTHOR a folder, which must be new or empty; `-` is standard output
    to: PathBuf,
    /// Format, if the extension doesn't tell
    #[arg(long, value_name = "FORMAT")]
    format: Option<WrittenFormat>,
    #[command(flatten)]
    force: Force,
    /// Write JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: WhichGames,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum WrittenFormat {
    Wthor,
    Ggf,
    Sgf,
    /// One game per line: moves and result
    Transcript,
}

/// The number of skipped games to report one by one; the rest are only counted.
const TOLD: u64 = 10;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let format = format(&arguments.to, arguments.format)?;
    let store = Store::open(&arguments.book, &context::shown())?;
    obook::spare(&arguments.book, &arguments.to)?;
    let output = output(&arguments.to, arguments.force);
    let mut told = 0;
    let exported = export(
        &store,
        &arguments.which.condition(),
        &output,
        format,
        |id, error| {
            told += 1;
            if told <= TOLD {
                say(format_args!("obook: skipped game {id}: {error}"));
            }
        },
    )?;
    if exported.written == 0 {
        say_none_meets(&arguments.book);
    }
    report_on(&output, |out| {
        if arguments.json {
            return write_json(out, &exported);
        }
        let out = &mut ForPeople(out);
        writeln!(out, "{} written", count(exported.written, "game", "games"))?;
        if exported.left_out > 0 {
            writeln!(
                out,
                "{} skipped: the format can't hold them",
                count(exported.left_out, "game", "games")
            )?;
        }
        Ok(())
    })
}

fn format(to: &Path, given: Option<WrittenFormat>) -> Result<GamesFormat, Failure> {
    if let Some(given) = given {
        return Ok(match given {
            WrittenFormat::Wthor => GamesFormat::Wthor,
            WrittenFormat::Ggf => GamesFormat::Ggf,
            WrittenFormat::Sgf => GamesFormat::Sgf,
            WrittenFormat::Transcript => GamesFormat::Transcripts,
        });
    }
    match Format::from_extension(to) {
        Some(Format::Ggf) => Ok(GamesFormat::Ggf),
        Some(Format::Sgf) => Ok(GamesFormat::Sgf),
        Some(Format::Transcript) => Ok(GamesFormat::Transcripts),
        _ => Err(Failure::file(
            to,
            "unknown extension; use .ggf, .sgf or .txt, or choose a format with --format",
        )),
    }
}
