//! `obook shogi games export`: games to files.

use crate::options::games::{Filter, Recorded, say_if_none_meets};
use crate::options::mapping::output;
use crate::prelude::*;
use crate::shogi::open;
use crate::shogi::records::Shogi;
use obook_shogi::database::games::export;
use obook_shogi::games::Format;

/// Write games to a file
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi games export games.obook games.csa\n  \
    obook shogi games export games.obook rose.kif --player rose\n\n\
    The file has all games: .kif and .ki2 in Shift_JIS, as is usual, all others in UTF-8. What was wrong with their records is left out, and \
    results that the format can't hold: USI has none, CSA and JKF none without an ending.")]
pub(crate) struct Arguments {
    /// A database with games
    book: PathBuf,
    /// The file to write; its extension determines the format: .csa, .kif, .kifu, .ki2, .ki2u, .usi or .jkf; `-` is standard output
    #[arg(add = Standard)]
    to: PathBuf,
    /// Format, if the extension doesn't tell
    #[arg(long, value_name = "FORMAT", value_parser = Shogi::formats())]
    format: Option<Format>,
    #[command(flatten)]
    force: Force,
    /// Write JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Filter<Shogi>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { book, to, .. } = arguments;
    let format = format(to, arguments.format)?;
    let store = open(book, &context::shown())?;
    let output = output(to, arguments.force);
    let exported = export(&store, &arguments.which.condition(), &output, format)?;
    say_if_none_meets(exported.written == 0, &store);
    report_on(&output, &exported, arguments.json, |exported, out| {
        writeln!(out, "{} written", count(exported.written, "game[|s]"))?;
        let left_out = "left out: # result[|s] that the format can't hold";
        if_any(exported.results_left_out, left_out, out)
    })
}

fn format(to: &Path, given: Option<Format>) -> Result<Format, Failure> {
    let extension = to.extension().and_then(|extension| extension.to_str());
    let problem = "unknown extension; use .csa, .kif, .kifu, .ki2, .ki2u, .usi or .jkf, or choose a format with --format";
    (given.or_else(|| Format::of_extension(extension?))).ok_or_else(|| Failure::file(to, problem))
}
