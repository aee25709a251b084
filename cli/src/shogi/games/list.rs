//! `obook shogi games list`: games in a table.

use crate::context;
use crate::failure::Failure;
use crate::options::games::{Filter, say_none_meets};
use crate::options::rows::Listing;
use crate::options::values::choice;
use crate::reports::table;
use crate::shogi::open;
use crate::shogi::records::Shogi;
use obook_shogi::database::games::{Order, Summary, list};
use rusqlite::types::Value;
use std::path::PathBuf;

/// List games
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi games list games.obook\n  \
    obook shogi games list games.obook --player rose --limit 50 --json\n  \
    obook shogi games list games.obook --kind mate --since 2020 --sort longest\n\n\
    The result is 1 if Black won, 0 for a draw, and -1 if White won.")]
pub(crate) struct Arguments {
    /// A database with games
    book: PathBuf,
    /// Maximum number of games to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: u32,
    /// Order of the list
    #[arg(long, value_name = "ORDER", value_parser = choice(&ORDERS), default_value = "latest")]
    sort: Order,
    #[command(flatten)]
    listing: Listing,
    #[command(flatten)]
    which: Filter<Shogi>,
}

const ORDERS: [(&str, Order, &str); 3] = [
    ("latest", Order::Latest, "The latest first"),
    ("earliest", Order::Earliest, "The earliest first"),
    ("longest", Order::Longest, "Those with the most moves first"),
];

const COLUMNS: [&str; 8] = [
    "game", "date", "event", "black", "white", "result", "ending", "moves",
];

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let store = open(&arguments.book, &context::quiet())?;
    let condition = arguments.which.condition();
    let games = list(&store, &condition, arguments.sort, arguments.limit)?;
    if games.is_empty() {
        say_none_meets(store.path(), store.connection());
    }
    table(arguments.listing, COLUMNS, games.into_iter().map(row))
}

fn row(game: Summary) -> [Value; 8] {
    [
        game.game.into(),
        game.date.into(),
        game.event.into(),
        game.black.into(),
        game.white.into(),
        game.result.into(),
        game.ending.into(),
        game.moves.cast_signed().into(),
    ]
}
