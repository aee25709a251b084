//! `obook games export`: games into files.

use crate::failure::Failure;
use crate::options::force::Force;
use crate::options::which_games::WhichGames;
use crate::output::account;
use crate::progress;
use crate::words::say;
use clap::ValueEnum;
use obook_book::games::{GamesFormat, export};
use obook_book::{Error, Store};
use obook_games::Format;
use std::path::{Path, PathBuf};

/// Write games into a file, or into a folder as WTHOR files
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook games export games.obook tastet.ggf --player tastet\n  \
    obook games export games.obook wthor --format wthor\n  \
    obook games export games.obook finals.txt --tournament 'world championship' --since 2010\n\n\
    GGF has all that is known of a game. As WTHOR a folder is written: a .wtb file for each year, and the names.")]
pub(crate) struct Arguments {
    /// A database with games
    book: PathBuf,
    /// The file to write, whose extension tells the format; for WTHOR a folder, which must be new or empty
    to: PathBuf,
    /// The format, where the extension does not tell it
    #[arg(long, value_name = "FORMAT")]
    format: Option<WrittenFormat>,
    #[command(flatten)]
    which: WhichGames,
    #[command(flatten)]
    force: Force,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum WrittenFormat {
    Wthor,
    Ggf,
    Sgf,
    /// A game in a line: the moves and the result
    Transcript,
}

/// So many games that the format can't hold are told of; the rest are counted.
const TOLD: u64 = 10;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let format = format(&arguments.to, arguments.format)?;
    let store = Store::open(&arguments.book)?;
    obook_book::spare(&arguments.book, &arguments.to)?;
    let mut told = 0;
    let exported = export(
        &store,
        &arguments.which.condition(),
        &arguments.to,
        format,
        arguments.force.if_exists(),
        &progress::on_terminal(),
        |id, error| {
            told += 1;
            if told <= TOLD {
                say(format_args!("obook: game {id} is left out: {error}"));
            }
        },
    )?;
    account(&exported, arguments.json, |exported, out| {
        writeln!(out, "{} games written", exported.written)?;
        if exported.left_out > 0 {
            writeln!(
                out,
                "{} games left out, which the format can't hold",
                exported.left_out
            )?;
        }
        Ok(())
    })
}

fn format(to: &Path, given: Option<WrittenFormat>) -> Result<GamesFormat, Error> {
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
        _ => Err(Error::unfit(
            to,
            "the name tells no format that games are written in; end it in .ggf, .sgf or .txt, or say --format",
        )),
    }
}
