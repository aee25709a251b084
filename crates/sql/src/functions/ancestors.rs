//! `ancestors(descendant)`, the positions whose links lead to a position, and `line_to(board)`, a line that leads to it.

use crate::functions::arguments::Given;
use crate::functions::book::Book;
use crate::functions::climber::Climber;
use obook_base::sql::ColumnType::{Integer, Key, Text};
use obook_base::sql::{Arguments, Column, Result, RowsOf, Table};
use obook_othello::{CanonicalBoard, Line, Link, Position};
use std::collections::{BTreeSet, HashSet};

/// The table `ancestors`.
#[derive(Clone, Copy, Debug)]
pub struct Ancestors;

impl Table for Ancestors {
    const COLUMNS: &'static [Column<Self::Row>] = &[
        ("distance", Integer, |(distance, _)| (*distance).into()),
        ("value", Integer, |(_, position)| position.value.into()),
        ("level", Integer, |(_, position)| position.level.into()),
        ("empties", Integer, |(_, position)| {
            position.board.board().empties().into()
        }),
        ("board", Key, |(_, position)| position.board.to_key().into()),
    ];
    const ARGUMENTS: &'static [&'static str] = &["descendant", "schema"];
    const ROWS: i64 = 1000;
    type Source<'s> = Box<dyn Book + 's>;
    /// The smallest number of moves from a position to the one asked about, including passes, and the position.
    type Row = (u32, Position);

    fn rows<'s>(&'s self, book: Self::Source<'s>, arguments: Arguments<'_>) -> RowsOf<'s, Self> {
        let from = Given::read(arguments.value(0))?.canonical();
        let mut climbing = Climbing {
            book,
            visited: HashSet::from([from]),
            reached: vec![from],
            distance: 0,
        };
        let ancestors = std::iter::from_fn(move || match climbing.climb() {
            Ok(found) if found.is_empty() => None,
            Ok(found) => Some(found.into_iter().map(Ok).collect()),
            Err(problem) => Some(vec![Err(problem)]),
        });
        Ok(Box::new(ancestors.flatten()))
    }
}

/// Takes moves back, nearest ancestors first.
struct Climbing<'s> {
    book: Box<dyn Book + 's>,
    visited: HashSet<CanonicalBoard>,
    /// The positions at this distance, whose parents come next.
    reached: Vec<CanonicalBoard>,
    distance: u32,
}

/// Positions whose parents are looked up together.
const PORTION: usize = 256;

impl Climbing<'_> {
    /// Takes back one more move. Returns the positions reached by that, and their distance.
    fn climb(&mut self) -> Result<Vec<(u32, Position)>> {
        let mut ancestors = BTreeSet::new();
        for children in std::mem::take(&mut self.reached).chunks(PORTION) {
            let pass_over = |board: &CanonicalBoard| self.visited.contains(board);
            ancestors.extend(parents(&*self.book, children, pass_over)?);
        }
        self.visited.extend(&ancestors);
        self.reached = ancestors.into_iter().collect();
        self.distance += 1;
        let mut found = Vec::new();
        for portion in self.reached.chunks(PORTION) {
            self.book.expect(portion)?;
            for board in portion {
                let position = self.book.numbers(*board)?;
                found.extend(position.map(|position| (self.distance, position)));
            }
        }
        self.reached = found.iter().map(|(_, it)| it.board).collect();
        Ok(found)
    }
}

/// The positions with a link to one of these, except those to pass over, by key for each of them. A book has no index from child
/// to parent, so every position that a move could come from is looked up.
fn parents(
    book: &dyn Book,
    children: &[CanonicalBoard],
    pass_over: impl Fn(&CanonicalBoard) -> bool,
) -> Result<Vec<CanonicalBoard>> {
    let candidates = children
        .iter()
        .flat_map(|child| child.parents().into_iter().map(|board| (board, *child)));
    let candidates: Vec<(CanonicalBoard, CanonicalBoard)> =
        candidates.filter(|(board, _)| !pass_over(board)).collect();
    let boards: Vec<CanonicalBoard> = candidates.iter().map(|(board, _)| *board).collect();
    book.expect(&boards)?;
    let mut parents = Vec::new();
    for (board, child) in candidates {
        let leads_here = |link: &Link| board.child(link.mv) == Some(child);
        let position = book.position(board)?;
        if position.is_some_and(|it| it.links.iter().any(leads_here)) {
            parents.push(board);
        }
    }
    Ok(parents)
}

/// The table `line_to`: one row, or none if no links lead to the position.
#[derive(Clone, Copy, Debug)]
pub struct LineTo;

impl Table for LineTo {
    const COLUMNS: &'static [Column<Line>] = &[
        ("ply", Integer, |line| (line.ply() as u32).into()),
        ("line", Text, |line| line.to_string().into()),
    ];
    const ARGUMENTS: &'static [&'static str] = &["board", "schema"];
    const ROWS: i64 = 1;
    type Source<'s> = Box<dyn Book + 's>;
    type Row = Line;

    fn rows<'s>(&'s self, book: Self::Source<'s>, arguments: Arguments<'_>) -> RowsOf<'s, Self> {
        let line = find(&*book, Given::read(arguments.value(0))?.canonical())?;
        Ok(Box::new(line.into_iter().map(Ok)))
    }
}

/// Finds a line from the start position to a position of the book, along its links.
fn find(book: &dyn Book, to: CanonicalBoard) -> Result<Option<Line>> {
    book.expect(&[to])?;
    if book.numbers(to)?.is_none() {
        return Ok(None);
    }
    Climber::default().line_to(to, |board| parents(book, &[board], |_| false))
}
