//! `line(start)`: the best play from a position to the end of the book.

use crate::board::Given;
use crate::book::Book;
use crate::column_value::ColumnValue;
use crate::moves_of::{Kind, KnownMove, known_moves};
use crate::problem::Result;
use crate::table::{Rows, TableFunction, Values};
use obook_othello::Board;
use rusqlite::Connection;
use rusqlite::types::ValueRef;

/// The table.
#[derive(Clone)]
pub(crate) struct BestLine;

/// A move of the line.
#[derive(Debug)]
pub(crate) struct Step {
    /// From 1.
    ply: u32,
    /// All moves so far, in the orientation of the start; those that lead to it too, where it was given by them.
    line: String,
    /// The position in which it is made, in that orientation.
    board: Board,
    mv: KnownMove,
}

impl TableFunction for BestLine {
    const NAME: &'static str = "line";
    const COLUMNS: &'static [&'static str] = &[
        "ply INTEGER",
        "square TEXT",
        "kind TEXT",
        "score INTEGER",
        "level INTEGER",
        "line TEXT",
        "board BLOB",
        "move INTEGER",
        "child BLOB",
    ];
    const ARGUMENTS: &'static [&'static str] = &["start", "schema"];
    const ROWS: i64 = 30;
    type Row = Step;

    fn rows<'c>(
        &'c self,
        connection: &'c Connection,
        start: ValueRef<'_>,
        others: &Values,
    ) -> Result<Rows<'c, Step>> {
        let book = Book::new(connection, others.get(1))?;
        let start = Given::read(start)?;
        let (mut board, mut line) = (start.board, start.line);
        let mut steps: Vec<Step> = Vec::new();
        loop {
            let best = known_moves(&book, board)?.into_iter().next();
            // The best of the moves that have a score, or any link.
            let Some(mv) = best.filter(|best| best.kind.is_some()) else {
                break;
            };
            line += &mv.mv.to_string();
            let after = board.play(mv.mv);
            // A game ends, since every move places a disc or is a pass between two that do.
            let child = after.filter(|_| mv.kind == Some(Kind::Link));
            steps.push(Step {
                ply: after.unwrap_or(board).ply() as u32,
                line: line.clone(),
                board,
                mv,
            });
            match child {
                Some(child) => board = child,
                None => break,
            }
        }
        Ok(Box::new(steps.into_iter().map(Ok)))
    }

    fn value(step: &Step, column: usize) -> ColumnValue<'_> {
        match column {
            0 => step.ply.into(),
            1 => step.mv.mv.into(),
            2 => step.mv.kind.map(Kind::name).into(),
            3 => step.mv.score.into(),
            4 => step.mv.level.into(),
            5 => step.line.as_str().into(),
            6 => step.board.canonical().into(),
            7 => step.board.canonicalize().1.play(step.mv.mv).code().into(),
            _ => step.mv.child.into(),
        }
    }
}
