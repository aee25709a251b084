//! `frontier(root, max_loss)` and `worst(root, max_loss)`: moves that matter because they lie near best play.
//!
//! Both go down the lines from a root on which both sides together give up at most `max_loss` discs, as `tree` does.

use crate::arguments::read_number;
use crate::board::Given;
use crate::book::Book;
use crate::column_value::ColumnValue;
use crate::moves_of::{Kind, KnownMove, known_moves};
use crate::problem::Result;
use crate::table::{Rows, TableFunction, Values};
use crate::tree::{Growing, LONGEST};
use obook_othello::Board;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::cmp::Reverse;

/// Where lines begin where nothing is said: the four first moves lead to the same position, and people play f5.
const FIRST_MOVE: &str = "f5";
/// What both sides together may give up where nothing is said, in discs.
const MAX_LOSS: i64 = 2;
const COLUMNS: &[&str] = &[
    "ply INTEGER",
    "line TEXT",
    "square TEXT",
    "kind TEXT",
    "score INTEGER",
    "cost INTEGER",
    "loss INTEGER",
    "level INTEGER",
    "board BLOB",
];
const ARGUMENTS: &[&str] = &["root", "max_loss", "schema"];
const ROWS: i64 = 1000;

/// The leaves that such lines reach, the move out of the book counted: where the book should grow first.
pub(crate) struct Frontier;

/// The moves from positions on such lines that give up most: what must not be played.
pub(crate) struct Worst;

/// A move near best play.
#[derive(Clone, Debug)]
pub(crate) struct NearMove {
    /// The moves that lead to it, and itself.
    line: String,
    /// Where it is made.
    board: Board,
    mv: KnownMove,
    /// For the side that makes it.
    score: i16,
    /// Discs that it gives up.
    cost: i64,
    /// Those with what was given up before it.
    loss: i64,
}

impl NearMove {
    fn value(&self, column: usize) -> ColumnValue<'_> {
        match column {
            0 => (self.board.play(self.mv.mv).unwrap_or(self.board).ply() as u32).into(),
            1 => self.line.as_str().into(),
            2 => self.mv.mv.into(),
            3 => self.mv.kind.map(Kind::name).into(),
            4 => Some(self.score).into(),
            5 => self.cost.into(),
            6 => self.loss.into(),
            7 => self.mv.level.into(),
            _ => self.board.canonical().into(),
        }
    }
}

/// The moves with a score of all positions that lines from the root reach with a loss of at most `max_loss`.
fn near_moves(
    connection: &Connection,
    root: ValueRef<'_>,
    others: &Values,
    mut takes: impl FnMut(&NearMove, i64) -> bool,
) -> Result<Vec<NearMove>> {
    let max_loss = others.get(1).map_or(Ok(MAX_LOSS), |it| {
        read_number(it, "a loss in discs", 0..=i64::from(u32::MAX))
    })?;
    let book = Book::new(connection, others.get(2))?;
    let lines = Growing::new(
        Book::new(connection, others.get(2))?,
        Given::read(root)?,
        LONGEST,
        max_loss,
    );
    let mut found = Vec::new();
    for node in lines {
        let node = node?.reached;
        let moves = known_moves(&book, node.board)?;
        let best = moves.iter().find_map(|mv| mv.score);
        for mv in moves {
            let (Some(_), Some(score), Some(best)) = (mv.kind, mv.score, best) else {
                continue;
            };
            let cost = i64::from(best - score);
            let near = NearMove {
                line: format!("{}{}", node.line, mv.mv),
                board: node.board,
                mv,
                score,
                cost,
                loss: node.loss + cost,
            };
            if takes(&near, max_loss) {
                found.push(near);
            }
        }
    }
    Ok(found)
}

impl TableFunction for Frontier {
    const NAME: &'static str = "frontier";
    const COLUMNS: &'static [&'static str] = COLUMNS;
    const ARGUMENTS: &'static [&'static str] = ARGUMENTS;
    const FIRST: Option<&'static str> = Some(FIRST_MOVE);
    const ROWS: i64 = ROWS;
    type Row = NearMove;

    fn rows<'c>(
        connection: &'c Connection,
        root: ValueRef<'_>,
        others: &Values,
    ) -> Result<Rows<'c, NearMove>> {
        let mut leaves = near_moves(connection, root, others, |mv, max_loss| {
            mv.mv.kind == Some(Kind::Leaf) && mv.loss <= max_loss
        })?;
        // Stable: of equal ones the earlier come first, as the lines go down.
        leaves.sort_by_key(|leaf| leaf.loss);
        Ok(Box::new(leaves.into_iter().map(Ok)))
    }

    fn value(row: &NearMove, column: usize) -> ColumnValue<'_> {
        row.value(column)
    }
}

impl TableFunction for Worst {
    const NAME: &'static str = "worst";
    const COLUMNS: &'static [&'static str] = COLUMNS;
    const ARGUMENTS: &'static [&'static str] = ARGUMENTS;
    const FIRST: Option<&'static str> = Some(FIRST_MOVE);
    const ROWS: i64 = ROWS;
    type Row = NearMove;

    fn rows<'c>(
        connection: &'c Connection,
        root: ValueRef<'_>,
        others: &Values,
    ) -> Result<Rows<'c, NearMove>> {
        let mut moves = near_moves(connection, root, others, |mv, _| mv.cost > 0)?;
        moves.sort_by_key(|mv| (Reverse(mv.cost), mv.loss));
        Ok(Box::new(moves.into_iter().map(Ok)))
    }

    fn value(row: &NearMove, column: usize) -> ColumnValue<'_> {
        row.value(column)
    }
}
