//! `obook shogi games remove`: games out of a database.

use crate::commands::games::remove::is_by_number;
use crate::context;
use crate::failure::Failure;
use crate::options::games::{Filter, say_none_meets};
use crate::output::account;
use crate::shogi::open_for_writing;
use crate::shogi::records::Shogi;
use crate::words::count;
use obook_shogi::database::games::{Condition, Order, RemovedGames, list, remove};
use std::path::PathBuf;

/// Remove games from a database
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi games remove games.obook 17 18\n  \
    obook shogi games remove games.obook --player rose --until 2019\n\n\
    `obook shogi games list` shows the numbers, and has the same conditions. `obook undo` brings the games back.")]
pub(crate) struct Arguments {
    /// A database with games
    book: PathBuf,
    /// Numbers of games
    #[arg(value_name = "GAME")]
    numbers: Vec<i64>,
    /// Write JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Filter<Shogi>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { book, numbers, .. } = arguments;
    let condition = arguments.which.condition();
    let by_number = is_by_number(book, numbers, condition != Condition::default())?;
    let mut store = open_for_writing(book, &context::shown())?;
    let numbers = match by_number {
        true => numbers.clone(),
        false => {
            let found = list(&store, &condition, Order::Latest, u32::MAX)?;
            found.into_iter().map(|game| game.game).collect()
        }
    };
    if numbers.is_empty() {
        say_none_meets(store.path(), store.connection());
    }
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
