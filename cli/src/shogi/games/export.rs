//! `obook shogi games export`: games to files.

use super::RecordFormat;
use crate::context;
use crate::failure::Failure;
use crate::options::destination::Force;
use crate::options::mapping::output;
use crate::output::{report_on, write_json};
use crate::shogi::open;
use crate::words::{ForPeople, count};
use obook_shogi::database::games::export;
use obook_shogi::games::Format;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Write games to a file
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi games export games.obook games.csa\n  \
    obook shogi games export games.obook rose.kif --player rose\n\n\
    The file has all games, in UTF-8. What was wrong with their records is left out.")]
pub(crate) struct Arguments {
    /// A database with games
    book: PathBuf,
    /// The file to write; its extension determines the format: .csa, .kif or .usi; `-` is standard output
    to: PathBuf,
    /// Format, if the extension doesn't tell
    #[arg(long, value_name = "FORMAT")]
    format: Option<RecordFormat>,
    /// Only games of this player; part of the name is enough
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    #[command(flatten)]
    force: Force,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Exported {
    written: u64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments {
        book, to, player, ..
    } = arguments;
    let format = format(to, arguments.format)?;
    let store = open(book, &context::shown())?;
    let output = output(to, arguments.force);
    let written = export(&store, player.as_deref(), &output, format)?;
    report_on(&output, |out| {
        if arguments.json {
            return write_json(out, &Exported { written });
        }
        let written = count(written, "game", "games");
        let out = &mut ForPeople(out);
        Ok(writeln!(out, "{written} written")?)
    })
}

fn format(to: &Path, given: Option<RecordFormat>) -> Result<Format, Failure> {
    let extension = to.extension().and_then(|extension| extension.to_str());
    let format = given.map(Format::from);
    let problem = "unknown extension; use .csa, .kif or .usi, or choose a format with --format";
    (format.or_else(|| Format::of_extension(extension?))).ok_or_else(|| Failure::file(to, problem))
}
