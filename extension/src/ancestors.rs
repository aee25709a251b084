//! `ancestors(descendant)`: the positions of the book from which its links lead to one.

use crate::board::Given;
use crate::book::{Book, Numbers};
use crate::cell::Cell;
use crate::problem::Result;
use crate::table::{Rows, TableFunction, Values};
use obook_othello::{Board, CanonicalBoard};
use rusqlite::Connection;
use std::collections::{BTreeSet, HashSet};

/// The table.
pub(crate) struct Ancestors;

/// A position from which links lead to the one that was asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ancestor {
    /// The fewest moves from it to there, passes among them.
    distance: u32,
    board: CanonicalBoard,
    numbers: Numbers,
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
    const REQUIRED: usize = 1;
    const ROWS: i64 = 1000;
    type Row = Ancestor;

    fn rows(connection: &Connection, arguments: &Values) -> Result<Rows<Ancestor>> {
        let Some(descendant) = arguments.get(0) else {
            return Ok(Box::new(std::iter::empty()));
        };
        let book = Book::new(connection, arguments.get(1))?;
        let ancestors = climb(&book, Given::read(descendant)?.canonical())?;
        Ok(Box::new(ancestors.into_iter().map(Ok)))
    }

    fn value(row: &Ancestor, column: usize) -> Cell<'_> {
        match column {
            0 => row.distance.into(),
            1 => row.numbers.value.into(),
            2 => row.numbers.level.into(),
            3 => row.board.board().empties().into(),
            _ => row.board.into(),
        }
    }
}

/// All ancestors, the nearest first, by taking moves back: a book has no index from child to parent.
fn climb(book: &Book<'_>, from: CanonicalBoard) -> Result<Vec<Ancestor>> {
    let mut ancestors = Vec::new();
    let mut met = HashSet::from([from]);
    let mut reached = vec![from];
    for distance in 1.. {
        let mut parents = BTreeSet::new();
        for child in &reached {
            // In some orientation of the child each parent is met; one is enough, since parents turn with the child.
            let boards = child.board().parents().map(|(_, board)| board.canonical());
            for parent in boards.collect::<BTreeSet<_>>() {
                if !met.contains(&parent) && leads_to(book, parent, *child)? {
                    parents.insert(parent);
                }
            }
        }
        met.extend(&parents);
        reached.clear();
        for board in parents {
            if let Some(numbers) = book.position(board)? {
                reached.push(board);
                ancestors.push(Ancestor {
                    distance,
                    board,
                    numbers,
                });
            }
        }
        if reached.is_empty() {
            break;
        }
    }
    Ok(ancestors)
}

/// Whether the book has a link from one position to the other.
fn leads_to(book: &Book<'_>, parent: CanonicalBoard, child: CanonicalBoard) -> Result<bool> {
    let leads = |link: &crate::book::Link| {
        let to = parent.board().play(link.mv);
        to.map(Board::canonical) == Some(child)
    };
    Ok(book.links(parent)?.iter().any(leads))
}
