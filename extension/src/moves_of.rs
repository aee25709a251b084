//! `moves(board)`: the legal moves of a position, and what the book says about them.

use crate::board::Given;
use crate::book::Book;
use crate::column_value::ColumnValue;
use crate::problem::Result;
use crate::table::{Rows, TableFunction, Values};
use obook_model::{Leaf, Link};
use obook_othello::{Board, CanonicalBoard, Move};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::cmp::Reverse;

/// The table.
#[derive(Clone)]
pub(crate) struct MovesOf;

/// A legal move.
#[derive(Clone, Debug)]
pub(crate) struct KnownMove {
    /// In the orientation of the board that it was asked for.
    pub(crate) mv: Move,
    pub(crate) child: CanonicalBoard,
    pub(crate) kind: Option<Kind>,
    /// For the side that makes it.
    pub(crate) score: Option<i16>,
    /// Of the search behind the score.
    pub(crate) level: Option<u8>,
}

impl KnownMove {
    /// Finds the level of a link, which stands with the child.
    pub(crate) fn look_up_level(&mut self, book: &Book<'_>) -> Result<()> {
        if self.kind == Some(Kind::Link) {
            self.level = book.numbers(self.child)?.and_then(|numbers| numbers.level);
        }
        Ok(())
    }
}

/// Where a move leads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    /// To a position of the book.
    Link,
    /// Out of it; it was searched.
    Leaf,
}

impl Kind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Kind::Link => "link",
            Kind::Leaf => "leaf",
        }
    }
}

impl TableFunction for MovesOf {
    const NAME: &'static str = "moves";
    const COLUMNS: &'static [&'static str] = &[
        "move INTEGER",
        "square TEXT",
        "kind TEXT",
        "score INTEGER",
        "level INTEGER",
        "child BLOB",
    ];
    const ARGUMENTS: &'static [&'static str] = &["board", "schema"];
    const ROWS: i64 = 10;
    type Row = KnownMove;

    fn rows<'c>(
        &'c self,
        connection: &'c Connection,
        board: ValueRef<'_>,
        others: &Values,
    ) -> Result<Rows<'c, KnownMove>> {
        let book = Book::new(connection, others.get(1))?;
        let moves = known_moves(&book, Given::read(board)?.board)?;
        Ok(Box::new(moves.into_iter().map(Ok)))
    }

    fn value(row: &KnownMove, column: usize) -> ColumnValue<'_> {
        match column {
            0 => row.mv.code().into(),
            1 => row.mv.into(),
            2 => row.kind.map(Kind::name).into(),
            3 => row.score.into(),
            4 => row.level.into(),
            _ => row.child.into(),
        }
    }
}

/// The legal moves of a board, the best first: of equal ones links before the leaf, then in the order of their squares;
/// last those of which the book knows no score.
///
/// A book stores one of several moves that symmetry makes the same; here each has what is said of that one.
pub(crate) fn known_moves(book: &Book<'_>, board: Board) -> Result<Vec<KnownMove>> {
    let mut moves = scored_moves(book, board)?;
    for mv in &mut moves {
        mv.look_up_level(book)?;
    }
    Ok(moves)
}

fn value_of(book: &Book<'_>, board: CanonicalBoard) -> Result<Option<i16>> {
    Ok(book.numbers(board)?.and_then(|numbers| numbers.value))
}

/// As [`known_moves`], without the levels of links: those stand with the children, each of which would have to be looked up.
pub(crate) fn scored_moves(book: &Book<'_>, board: Board) -> Result<Vec<KnownMove>> {
    let canonical = board.canonical();
    let child_by = |mv| Some(canonical.board().play(mv)?.canonical());
    let links: Vec<(CanonicalBoard, Link)> = book
        .links(canonical)?
        .into_iter()
        .filter_map(|link| Some((child_by(link.mv)?, link)))
        .collect();
    let leaf: Option<(CanonicalBoard, Leaf)> = book
        .leaf(canonical)?
        .and_then(|leaf| Some((child_by(leaf.mv?)?, leaf)));
    let mut moves = Vec::new();
    for (mv, child) in board.children() {
        let child = child.canonical();
        let unknown = KnownMove {
            mv,
            child,
            kind: None,
            score: None,
            level: None,
        };
        let link = links.iter().find(|(to, _)| *to == child);
        moves.push(match (link, leaf.filter(|(to, _)| *to == child)) {
            (Some((_, link)), _) => KnownMove {
                kind: Some(Kind::Link),
                score: match link.score {
                    Some(score) => Some(score.into()),
                    None => value_of(book, child)?.map(|value| -value),
                },
                ..unknown
            },
            (None, Some((_, leaf))) => KnownMove {
                kind: Some(Kind::Leaf),
                score: Some(leaf.score.into()),
                level: leaf.level,
                ..unknown
            },
            (None, None) => unknown,
        });
    }
    moves.sort_by_key(|known| {
        let unknown = known.kind.is_none();
        (unknown, Reverse(known.score), known.kind, known.mv)
    });
    Ok(moves)
}
