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
        let mut visited = HashSet::from([from]);
        // The positions at this distance, whose parents come next.
        let (mut reached, mut distance) = (vec![from], 0);
        // Takes back one more move. Returns the positions reached by that, and their distance.
        let mut climb = move || -> Result<Vec<Self::Row>> {
            let mut ancestors = BTreeSet::new();
            for children in std::mem::take(&mut reached).chunks(PORTION) {
                let pass_over = |board: &CanonicalBoard| visited.contains(board);
                ancestors.extend(parents(&*book, children, pass_over)?);
            }
            visited.extend(&ancestors);
            distance += 1;
            let mut found = Vec::new();
            for portion in ancestors.into_iter().collect::<Vec<_>>().chunks(PORTION) {
                book.expect(portion)?;
                for board in portion {
                    let position = book.numbers(*board)?;
                    found.extend(position.map(|position| (distance, position)));
                }
            }
            reached = found.iter().map(|(_, it)| it.board).collect();
            Ok(found)
        };
        let ancestors = std::iter::from_fn(move || match climb() {
            Ok(found) if found.is_empty() => None,
            Ok(found) => Some(found.into_iter().map(Ok).collect()),
            Err(problem) => Some(vec![Err(problem)]),
        });
        Ok(Box::new(ancestors.flatten()))
    }
}

/// Positions whose parents are looked up together.
const PORTION: usize = 256;

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
        let to = Given::read(arguments.value(0))?.canonical();
        book.expect(&[to])?;
        if book.numbers(to)?.is_none() {
            return Ok(Box::new(std::iter::empty()));
        }
        let parents = |board| parents(&*book, &[board], |_| false);
        let line = Climber::default().line_to(to, parents)?;
        Ok(Box::new(line.into_iter().map(Ok)))
    }
}
