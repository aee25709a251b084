//! `ancestors(descendant)`: the positions of the book from which its links lead to one.

use crate::board::Given;
use crate::book::Book;
use crate::column_value::ColumnValue;
use crate::problem::Result;
use crate::table::{Rows, TableFunction, Values};
use obook_model::Position;
use obook_othello::CanonicalBoard;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::collections::{BTreeSet, HashSet};
use std::vec::IntoIter;

/// The table.
#[derive(Clone)]
pub(crate) struct Ancestors;

/// A position from which links lead to the one that was asked for.
#[derive(Clone, Debug)]
pub(crate) struct Ancestor {
    /// The fewest moves from it to there, passes among them.
    distance: u32,
    position: Position,
}

impl TableFunction for Ancestors {
    const NAME: &'static str = "ancestors";
    const COLUMNS: &'static [&'static str] = &[
        "distance INTEGER",
        "value INTEGER",
        "level INTEGER",
        "empties INTEGER",
        "board BLOB",
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
        let from = Given::read(descendant)?.canonical();
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

/// A way up by taking moves back, the nearest ancestors first.
struct Climbing<'c> {
    book: Book<'c>,
    visited: HashSet<CanonicalBoard>,
    /// Positions at this distance, whose parents are the next ones.
    reached: Vec<CanonicalBoard>,
    distance: u32,
    /// Of those, what was not given yet.
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
    /// Goes one move further up.
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
