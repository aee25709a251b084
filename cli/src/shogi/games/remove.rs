//! `obook shogi games remove`: games out of a database.

use crate::context;
use crate::failure::Failure;
use crate::output::account;
use crate::shogi::open_for_writing;
use crate::words::count;
use obook_shogi::database::games::{RemovedGames, list, remove};
use std::path::PathBuf;

/// Remove games from a database
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi games remove games.obook 17 18\n  \
    obook shogi games remove games.obook --player rose\n\n\
    `obook shogi games list` shows the numbers. `obook undo` brings the games back.")]
pub(crate) struct Arguments {
    /// A database with games
    book: PathBuf,
    /// Numbers of games
    #[arg(value_name = "GAME", required_unless_present = "player")]
    numbers: Vec<i64>,
    /// All games of this player; part of the name is enough
    #[arg(long, value_name = "NAME", conflicts_with = "numbers")]
    player: Option<String>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut store = open_for_writing(&arguments.book, &context::shown())?;
    let of_player = match &arguments.player {
        Some(player) => list(&store, Some(player), u32::MAX)?,
        None => Vec::new(),
    };
    let numbers = of_player.iter().map(|game| game.game);
    let numbers: Vec<i64> = numbers.chain(arguments.numbers.iter().copied()).collect();
    let removed = remove(&mut store, &numbers)?;
    account(&removed, arguments.json, |removed, out| {
        let RemovedGames { games, positions } = *removed;
        Ok(writeln!(
            out,
            "{} with {} removed",
            count(games, "game", "games"),
            count(positions, "position", "positions")
        )?)
    })
}
