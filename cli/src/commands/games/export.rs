//! `obook games export`: games to files.

use crate::options::games::{Filter, Othello, say_if_none_meets};
use crate::options::mapping::output;
use crate::options::values::choice;
use crate::prelude::*;
use obook::games::{GamesFormat, export};
use obook_games::Format;

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
    /// The file to write; its extension determines the format. For WTHOR a folder of its own; `-` is standard output
    #[arg(add = Standard)]
    to: PathBuf,
    /// Format, if the extension doesn't tell
    #[arg(long, value_name = "FORMAT", value_parser = choice(&FORMATS))]
    format: Option<GamesFormat>,
    #[command(flatten)]
    force: Force,
    /// Write JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Filter<Othello>,
}

const FORMATS: [(&str, GamesFormat, &str); 4] = [
    ("wthor", GamesFormat::Wthor, ""),
    ("ggf", GamesFormat::Ggf, ""),
    ("sgf", GamesFormat::Sgf, ""),
    (
        "transcript",
        GamesFormat::Transcripts,
        "One game per line: moves and result",
    ),
];

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let format = format(&arguments.to, arguments.format)?;
    let store = Book::open(&arguments.book, &context::shown())?.into_database()?;
    obook::spare(&arguments.book, &arguments.to)?;
    let output = output(&arguments.to, arguments.force);
    let skipped = Teller::default();
    let condition = arguments.which.condition();
    let exported = export(&store, &condition, &output, format, |id, error| {
        skipped.tell(format_args!("skipped game {id}: {error}"));
    })?;
    skipped.finish();
    say_if_none_meets(exported.written + exported.left_out == 0, &store);
    report_on(&output, &exported, arguments.json, |exported, out| {
        writeln!(out, "{} written", count(exported.written, "game[|s]"))?;
        let left_out = "skipped: # game[|s] that the format can't hold";
        if_any(exported.left_out, left_out, out)
    })
}

fn format(to: &Path, given: Option<GamesFormat>) -> Result<GamesFormat, Failure> {
    let problem = "unknown extension; use .ggf, .sgf or .txt, or choose a format with --format";
    match (given, Format::from_extension(to)) {
        (Some(given), _) => Ok(given),
        (None, Some(Format::Ggf)) => Ok(GamesFormat::Ggf),
        (None, Some(Format::Sgf)) => Ok(GamesFormat::Sgf),
        (None, Some(Format::Transcript)) => Ok(GamesFormat::Transcripts),
        _ => Err(Failure::file(to, problem)),
    }
}
