//! `obook shogi games list`: games, the latest first.

use crate::context;
use crate::failure::Failure;
use crate::options::rows::{Look, Paging};
use crate::reports::table;
use crate::shogi::open;
use obook_shogi::database::games::{Summary, list};
use rusqlite::types::Value;
use std::path::PathBuf;

/// List games, the latest first
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi games list games.obook\n  \
    obook shogi games list games.obook --player rose --limit 50 --json\n\n\
    The result is 1 if Black won, 0 for a draw, and -1 if White won.")]
pub(crate) struct Arguments {
    /// A database with games
    book: PathBuf,
    /// Only games of this player; part of the name is enough
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Maximum number of games to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: u32,
    #[command(flatten)]
    look: Look,
    #[command(flatten)]
    paging: Paging,
}

const COLUMNS: [&str; 8] = [
    "game", "date", "event", "black", "white", "result", "ending", "moves",
];

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let store = open(&arguments.book, &context::quiet())?;
    let games = list(&store, arguments.player.as_deref(), arguments.limit)?;
    table(
        arguments.look,
        arguments.paging,
        COLUMNS,
        games.into_iter().map(row),
    )
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
