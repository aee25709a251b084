//! `obook games list`: games in a table.

use crate::options::games::{Filter, Othello, Recorded, say_if_none_meets};
use crate::options::values::choice;
use crate::prelude::*;
use crate::reports::table;
use obook::games::{Summary, list};
use rusqlite::types::Value;

/// List games
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook games list games.obook\n  \
    obook games list games.obook --player tastet --since 2000 --limit 50\n  \
    obook games list games.obook --black rose --won-by white --json\n  \
    obook games list games.obook --opening tiger --rated 2000 --sort score")]
pub(crate) struct Arguments<G: Recorded = Othello> {
    /// A database with games
    pub(crate) book: PathBuf,
    /// Maximum number of games to list
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: u32,
    /// Order of the list
    #[arg(long, value_name = "ORDER", value_parser = choice(G::ORDERS), default_value = "latest")]
    pub(crate) sort: G::Order,
    #[command(flatten)]
    pub(crate) listing: Listing,
    #[command(flatten)]
    pub(crate) which: Filter<G>,
}

const COLUMNS: [&str; 7] = [
    "game",
    "date",
    "tournament",
    "black",
    "white",
    "score",
    "discs",
];

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let store = Book::open(&arguments.book, &context::quiet())?.into_database()?;
    let condition = arguments.which.condition();
    let (order, limit) = (arguments.sort, arguments.limit);
    let games = store.read(|it| list(it, &condition, order, None, limit))?;
    say_if_none_meets(games.is_empty(), &store);
    let rows = games.into_iter().map(row);
    table(arguments.listing, COLUMNS, rows)
}

fn row(game: Summary) -> [Value; 7] {
    [
        game.id.number().into(),
        game.date.into(),
        game.tournament.into(),
        game.black.into(),
        game.white.into(),
        game.score.into(),
        game.score.map(discs).into(),
    ]
}

/// The discs of both sides, with empty squares counted for the winner.
pub(super) fn discs(score: i8) -> String {
    let score = i16::from(score);
    format!("{}-{}", (64 + score) / 2, (64 - score) / 2)
}
