//! `line_to(board)`: moves from the start position that lead to a position through the book.

use crate::board::Given;
use crate::book::Book;
use crate::column_value::ColumnValue;
use crate::problem::Result;
use crate::table::{Rows, TableFunction, Values};
use obook_othello::{Board, CanonicalBoard, Line, Move};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::collections::HashSet;

/// The table: one row, or none where no links lead to the position.
#[derive(Clone)]
pub(crate) struct LineTo;

/// People begin with f5: of the four first moves, which lead to the same position, it is the one to write.
const FIRST_MOVE: u8 = 37;

impl TableFunction for LineTo {
    const NAME: &'static str = "line_to";
    const COLUMNS: &'static [&'static str] = &["ply INTEGER", "line TEXT"];
    const ARGUMENTS: &'static [&'static str] = &["board", "schema"];
    const ROWS: i64 = 1;
    type Row = Line;

    fn rows<'c>(
        &'c self,
        connection: &'c Connection,
        board: ValueRef<'_>,
        others: &Values,
    ) -> Result<Rows<'c, Line>> {
        let book = Book::new(connection, others.get(1))?;
        let line = find(&book, Given::read(board)?.canonical())?;
        Ok(Box::new(line.into_iter().map(Ok)))
    }

    fn value(row: &Line, column: usize) -> ColumnValue<'_> {
        match column {
            0 => (row.ply() as u32).into(),
            _ => ColumnValue::Text(row.to_string().into()),
        }
    }
}

/// A line from the start position to a position of the book, along its links.
///
/// Moves are taken back, one way up after another until one comes to the start; no position is visited twice.
fn find(book: &Book<'_>, to: CanonicalBoard) -> Result<Option<Line>> {
    let start = Board::START.canonical();
    if book.numbers(to)?.is_none() {
        return Ok(None);
    }
    let mut visited = HashSet::from([to]);
    // From the position up: each with its parents that were not tried yet.
    let mut way = vec![(to, book.parents(to, |_| false)?)];
    while let Some((board, untried)) = way.last_mut() {
        if *board == start {
            let boards: Vec<CanonicalBoard> = way.into_iter().map(|(board, _)| board).collect();
            return Ok(Some(down(&boards)));
        }
        match untried.pop() {
            Some(parent) if visited.insert(parent) => {
                let above = book.parents(parent, |board| visited.contains(board))?;
                way.push((parent, above));
            }
            Some(_) => {}
            None => {
                way.pop();
            }
        }
    }
    Ok(None)
}

/// The moves through these positions, the last of which is the start, in an orientation in which they can be typed.
fn down(boards: &[CanonicalBoard]) -> Line {
    let mut line = Line::new();
    for child in boards.iter().rev().skip(1) {
        let at = line.board();
        let leads = |mv: &Move| at.play(*mv).map(Board::canonical) == Some(*child);
        let moves = at.moves().filter(leads);
        let mv = moves.max_by_key(|mv| mv.code() == FIRST_MOVE);
        line.push(mv.expect("each is a parent of the one before it"))
            .expect("legal moves were tried");
    }
    line
}
