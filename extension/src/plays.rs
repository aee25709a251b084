//! `plays(board)`: what was played in a position, and how the games ended.

use crate::arguments::schema_name;
use crate::board::Given;
use crate::column_value::ColumnValue;
use crate::problem::Result;
use crate::table::{Rows, TableFunction, Values};
use crate::which_games;
use obook_othello::{Board, CanonicalBoard, Move};
use obook_rows::games::{Play, plays};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

/// The table.
#[derive(Clone)]
pub(crate) struct Plays;

/// A move that was played.
pub(crate) struct Played {
    /// In the orientation of the board that it was asked for.
    mv: Move,
    play: Play,
    child: Option<CanonicalBoard>,
}

impl TableFunction for Plays {
    const NAME: &'static str = "plays";
    const COLUMNS: &'static [&'static str] = &[
        "move INTEGER",
        "square TEXT",
        "games INTEGER",
        "wins INTEGER",
        "draws INTEGER",
        "losses INTEGER",
        "mean REAL",
        "first_year INTEGER",
        "last_year INTEGER",
        "child BLOB",
    ];
    const ARGUMENTS: &'static [&'static str] = which_games::ARGUMENTS;
    const ROWS: i64 = 4;
    type Row = Played;

    fn rows<'c>(
        &'c self,
        connection: &'c Connection,
        board: ValueRef<'_>,
        others: &Values,
    ) -> Result<Rows<'c, Played>> {
        let given = Given::read(board)?.board;
        let schema = schema_name(others.get(1))?;
        let condition = which_games::condition(others)?;
        let played = plays(connection, schema, given.canonical(), &condition)?;
        Ok(Box::new(
            played.into_iter().map(move |play| Ok(turned(play, given))),
        ))
    }

    fn value(row: &Played, column: usize) -> ColumnValue<'_> {
        let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX).into();
        match column {
            0 => row.mv.code().into(),
            1 => row.mv.into(),
            2 => count(row.play.games),
            3 => count(row.play.wins),
            4 => count(row.play.draws),
            5 => count(row.play.losses),
            6 => row.play.mean.into(),
            7 => row.play.first_year.map(i64::from).into(),
            8 => row.play.last_year.map(i64::from).into(),
            _ => row.child.into(),
        }
    }
}

fn turned(play: Play, board: Board) -> Played {
    Played {
        mv: play.on(board),
        child: board
            .canonical()
            .board()
            .play(play.mv)
            .map(Board::canonical),
        play,
    }
}
