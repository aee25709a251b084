//! `obook shogi games list`: games in a table.

use crate::commands::games::list;
use crate::options::games::say_if_none_meets;
use crate::prelude::*;
use crate::reports::table;
use crate::shogi::open;
use crate::shogi::records::Shogi;
use obook_shogi::database::games::{self, Summary};
use rusqlite::types::Value;

pub(crate) type Arguments = list::Arguments<Shogi>;

const COLUMNS: [&str; 8] = [
    "game", "date", "event", "black", "white", "result", "ending", "moves",
];

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let store = open(&arguments.book, &context::quiet())?;
    let condition = arguments.which.condition();
    let games = games::list(&store, &condition, arguments.sort, arguments.limit)?;
    say_if_none_meets(games.is_empty(), &store);
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
