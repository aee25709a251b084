//! `ancestors(descendant)`, the positions whose links lead to a position, and `line_to(board)`, a line that leads to it.

use crate::arguments::given;
use crate::book::Book;
use crate::problem::Result;
use crate::table::{ColumnValue, Kind, Rows, TableFunction, Values};
use obook_functions::Book as _;
use obook_model::Position;
use obook_othello::{Board, CanonicalBoard, Line};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::collections::{BTreeSet, HashSet};
use std::vec::IntoIter;

/// The table `ancestors`.
#[derive(Clone)]
pub(crate) struct Ancestors;

/// A position whose links lead to the one asked about.
#[derive(Clone, Debug)]
pub(crate) struct Ancestor {
    /// The smallest number of moves from it to there, including passes.
    distance: u32,
    position: Position,
}

impl TableFunction for Ancestors {
    const NAME: &'static str = "ancestors";
    const COLUMNS: &'static [(&'static str, Kind)] = &[
        ("distance", Kind::Integer),
        ("value", Kind::Integer),
        ("level", Kind::Integer),
        ("empties", Kind::Integer),
        ("board", Kind::Key),
    ];
    const ARGUMENTS: &'static [&'static str] = &["descendant", "schema"];
    const ROWS: i64 = 1000;
    type Row = Ancestor;

    fn rows<'c>(
        &'c self,
        connection: &'c Connection,
        descendant: ValueRef<'_>,
        others: &Values,
    ) -> Result<Rows<'c, Ancestor>> {
        let book = Book::new(connection, others.get(1))?;
        let from = given(descendant)?.canonical();
        Ok(Box::new(Climbing {
            book,
            visited: HashSet::from([from]),
            reached: vec![from],
            distance: 0,
            waiting: Vec::new().into_iter(),
        }))
    }

    fn value(row: &Ancestor, column: usize) -> ColumnValue<'_> {
        match column {
            0 => row.distance.into(),
            1 => row.position.value.into(),
            2 => row.position.level.into(),
            3 => row.position.board.board().empties().into(),
            _ => row.position.board.into(),
        }
    }
}

/// Takes moves back, nearest ancestors first.
struct Climbing<'c> {
    book: Book<'c>,
    visited: HashSet<CanonicalBoard>,
    /// The positions at this distance, whose parents come next.
    reached: Vec<CanonicalBoard>,
    distance: u32,
    /// Those of them that are yet to be returned.
    waiting: IntoIter<Ancestor>,
}

impl Iterator for Climbing<'_> {
    type Item = Result<Ancestor>;

    fn next(&mut self) -> Option<Result<Ancestor>> {
        if self.waiting.len() == 0
            && let Err(problem) = self.climb()
        {
            return Some(Err(problem));
        }
        self.waiting.next().map(Ok)
    }
}

impl Climbing<'_> {
    /// Takes back one more move.
    fn climb(&mut self) -> Result<()> {
        let mut parents = BTreeSet::new();
        for child in std::mem::take(&mut self.reached) {
            let visited = |board: &CanonicalBoard| self.visited.contains(board);
            parents.extend(self.book.parents(child, visited)?);
        }
        self.distance += 1;
        let mut ancestors = Vec::new();
        for board in parents {
            self.visited.insert(board);
            if let Some(position) = self.book.numbers(board)? {
                self.reached.push(board);
                ancestors.push(Ancestor {
                    distance: self.distance,
                    position,
                });
            }
        }
        self.waiting = ancestors.into_iter();
        Ok(())
    }
}

/// The table `line_to`: one row, or none if no links lead to the position.
#[derive(Clone)]
pub(crate) struct LineTo;

impl TableFunction for LineTo {
    const NAME: &'static str = "line_to";
    const COLUMNS: &'static [(&'static str, Kind)] =
        &[("ply", Kind::Integer), ("line", Kind::Text)];
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
        let line = find(&book, given(board)?.canonical())?;
        Ok(Box::new(line.into_iter().map(Ok)))
    }

    fn value(row: &Line, column: usize) -> ColumnValue<'_> {
        match column {
            0 => (row.ply() as u32).into(),
            _ => ColumnValue::Text(row.to_string().into()),
        }
    }
}

/// Finds a line from the start position to a position of the book, along its links.
///
/// Takes moves back, path by path, until one reaches the start. No position is visited twice.
fn find(book: &Book<'_>, to: CanonicalBoard) -> Result<Option<Line>> {
    let start = Board::START.canonical();
    if book.numbers(to)?.is_none() {
        return Ok(None);
    }
    let mut visited = HashSet::from([to]);
    // The path from the position upwards, each with its untried parents.
    let mut way = vec![(to, book.parents(to, |_| false)?)];
    while let Some((board, untried)) = way.last_mut() {
        if *board == start {
            return Ok(Line::through(way.into_iter().rev().map(|(board, _)| board)));
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
