//! `obook rate store`: ratings stored beside the games.

use super::Formula;
use crate::options::values::rating_methods;
use crate::prelude::*;
use obook::games::{StoredRatings, store_ratings};
use obook_games::ratings::{Method, Settings};

/// Rate the positions of a database's games, and store the ratings
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook rate store games.obook\n  \
    obook rate store games.obook --method expectation1 --min-games 16\n  \
    obook query games.obook \"SELECT method, value FROM ratings WHERE board = named('tiger')\"\n\n\
    Ratings go from 0 (lost) to 1 (won) for the side to move. They replace the contents of table ratings; a book's scores don't \
    change. Games imported later don't update them. `obook undo` takes them back.")]
pub(crate) struct Arguments {
    /// A database with games
    #[arg(value_parser = changeable())]
    book: PathBuf,
    /// Evaluation to rate by
    #[arg(long, value_name = "METHOD", default_value = "all", value_parser = rating_methods())]
    method: &'static [Method],
    /// Rate positions that at least this many games reached
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..))]
    min_games: u64,
    #[command(flatten)]
    formula: Formula,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let open = |path: &Path, context: &Context| Ok(Book::open_for_writing(path, context)?);
    run_with(arguments, open, store_ratings)
}

/// The same for any game: `open` opens its database, and `store` rates the positions.
pub(crate) fn run_with<S, E: Into<Failure>>(
    arguments: &Arguments,
    open: impl FnOnce(&Path, &Context) -> Result<S, Failure>,
    store: impl FnOnce(&mut S, &[Method], &Settings, u64) -> Result<StoredRatings, E>,
) -> Result<(), Failure> {
    let (method, min_games) = (arguments.method, arguments.min_games);
    let context = context::shown();
    let settings = arguments.formula.settings();
    let mut database = open(&arguments.book, &context)?;
    let stored = store(&mut database, method, &settings, min_games).map_err(Into::into)?;
    // Progress ends before the report begins.
    drop((database, context));
    account(&stored, arguments.json, |stored, out| {
        let positions = count(stored.positions, "position[|s]");
        let games = count(stored.games, "game[|s]");
        writeln!(out, "{positions} from {games} rated")?;
        let least = count(min_games, "game[|s]");
        let too_few = format!("position[|s] skipped: reached by fewer than {least}");
        if_any(stored.too_few, &too_few, out)?;
        let left_out = "game[|s] skipped: without a known result";
        if_any(stored.left_out, left_out, out)
    })
}
