//! `obook rate store`: ratings into a database with games.

use crate::commands::rate::formula::Formula;
use crate::failure::Failure;
use crate::options::values::rating_methods;
use crate::output::account;
use crate::progress;
use crate::typed::this_command;
use obook_book::games::{StoredRatings, store_ratings};
use obook_games::ratings::Method;
use std::io::{self, Write};
use std::path::PathBuf;

/// Rate the positions of the games in a database, and keep the ratings in its table ratings
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook rate store games.obook\n  \
    obook rate store games.obook --method expectation1 --min-games 16\n  \
    obook query games.obook \"SELECT method, value FROM ratings WHERE board = named('tiger')\"\n\n\
    Ratings go from 0 (lost) to 1 (won) for the side to move, and stand in a table of their own, in place of those that were there; a \
    book's scores stay what they are. Games that come in later do not renew them. obook undo takes them back.")]
pub(crate) struct Arguments {
    /// The database
    book: PathBuf,
    /// By which of the three evaluations
    #[arg(long, value_name = "METHOD", default_value = "all", value_parser = rating_methods())]
    method: &'static [Method],
    /// Keep ratings of positions that at least so many games reached
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..))]
    min_games: u64,
    #[command(flatten)]
    formula: Formula,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments {
        book,
        method,
        min_games,
        ..
    } = arguments;
    let progress = progress::on_terminal();
    let settings = arguments.formula.settings();
    let command = this_command();
    let stored = store_ratings(book, method, &settings, *min_games, &command, &progress)?;
    drop(progress);
    account(&stored, arguments.json, |stored, out| {
        Ok(describe(stored, *min_games, out)?)
    })
}

fn describe(stored: &StoredRatings, least: u64, out: &mut dyn Write) -> io::Result<()> {
    let StoredRatings {
        games,
        left_out,
        positions,
        too_few,
    } = stored;
    writeln!(out, "{positions} positions of {games} games rated")?;
    if *too_few > 0 {
        writeln!(
            out,
            "{too_few} positions were left out: fewer than {least} games reached them"
        )?;
    }
    match left_out {
        0 => Ok(()),
        _ => writeln!(
            out,
            "{left_out} games were left out: their results are not known"
        ),
    }
}
