//! `games_at(board)`: the games that went through a position.

use crate::arguments::schema_name;
use crate::board::Given;
use crate::column_value::ColumnValue;
use crate::problem::Result;
use crate::table::{Rows, TableFunction, Values};
use crate::which_games;
use obook_othello::{Move, Side, Symmetry};
use obook_rows::games::{Passage, through};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::iter;

/// The table.
#[derive(Clone)]
pub(crate) struct GamesAt;

/// Games that are looked up at once: who asks for the latest few waits for no more.
const PORTION: u32 = 64;

/// A game, and what turns its move to the board that was asked for.
pub(crate) struct At {
    passage: Passage,
    to_given: Symmetry,
}

impl TableFunction for GamesAt {
    const NAME: &'static str = "games_at";
    const COLUMNS: &'static [&'static str] = &[
        "game INTEGER",
        "date TEXT",
        "tournament TEXT",
        "black TEXT",
        "white TEXT",
        "score INTEGER",
        "turn TEXT",
        "move INTEGER",
        "square TEXT",
    ];
    const ARGUMENTS: &'static [&'static str] = which_games::ARGUMENTS;
    const ROWS: i64 = 100;
    type Row = At;

    fn rows<'c>(
        &'c self,
        connection: &'c Connection,
        board: ValueRef<'_>,
        others: &Values,
    ) -> Result<Rows<'c, At>> {
        let (canonical, symmetry) = Given::read(board)?.board.canonicalize();
        let to_given = symmetry.inverse();
        let schema = schema_name(others.get(1))?.map(str::to_owned);
        let condition = which_games::condition(others)?;
        let mut before = None;
        let mut portion = Vec::new().into_iter();
        Ok(Box::new(iter::from_fn(move || {
            if portion.as_slice().is_empty() {
                let schema = schema.as_deref();
                match through(connection, schema, canonical, &condition, before, PORTION) {
                    Ok(passages) => portion = passages.into_iter(),
                    Err(error) => return Some(Err(error.into())),
                }
            }
            let passage = portion.next()?;
            before = Some(passage.game.id);
            Some(Ok(At { passage, to_given }))
        })))
    }

    fn value(row: &At, column: usize) -> ColumnValue<'_> {
        let At { passage, to_given } = row;
        let mv: Option<Move> = passage.mv.map(|mv| to_given.play(mv));
        match column {
            0 => passage.game.id.number().into(),
            1 => passage.game.date.as_deref().into(),
            2 => passage.game.tournament.as_deref().into(),
            3 => passage.game.black.as_deref().into(),
            4 => passage.game.white.as_deref().into(),
            5 => passage.game.score.into(),
            6 => match passage.side {
                Side::Black => "black".into(),
                Side::White => "white".into(),
            },
            7 => mv.map(Move::code).into(),
            _ => mv.into(),
        }
    }
}
