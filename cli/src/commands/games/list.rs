//! `obook games list`: games, the latest first.

use crate::context;
use crate::failure::Failure;
use crate::options::games::{WhichGames, say_none_meets};
use crate::options::rows::{Look, Paging};
use crate::reports::table;
use obook::games::{Summary, list};
use obook::{Error, Store};
use rusqlite::types::Value;
use std::path::PathBuf;

/// List games, the latest first
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook games list games.obook\n  \
    obook games list games.obook --player tastet --since 2000 --limit 50\n  \
    obook games list games.obook --black rose --won-by white --json")]
pub(crate) struct Arguments {
    /// A database with games
    book: PathBuf,
    /// Maximum number of games to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: u32,
    #[command(flatten)]
    look: Look,
    #[command(flatten)]
    paging: Paging,
    #[command(flatten)]
    which: WhichGames,
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
    let store = Store::open(&arguments.book, &context::quiet())?;
    let condition = arguments.which.condition();
    let games = list(store.connection(), None, &condition, None, arguments.limit)
        .map_err(Error::sqlite(store.path(), "read"))?;
    if games.is_empty() {
        say_none_meets(store.path());
    }
    let rows = games.into_iter().map(row);
    table(arguments.look, arguments.paging, COLUMNS, rows)
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
