//! `moves(board)`, the legal moves of a position with what the book knows about them, `choose(board, rule, seed)`, one of them,
//! and `line(start)`, the best play from it.

use crate::arguments::{described, given, read_number};
use crate::book::Book;
use crate::problem::{Problem, Result};
use crate::table::{ColumnValue, Rows, TableFunction, Values};
use obook_functions::read_text;
use obook_model::{Chance, Leaf, Link, MoveRule};
use obook_othello::{Board, CanonicalBoard, Move};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::cmp::Reverse;

/// The table `moves`.
#[derive(Clone)]
pub(crate) struct MovesOf;

/// A legal move.
#[derive(Clone, Debug)]
pub(crate) struct KnownMove {
    /// In the orientation of the given board.
    pub(crate) mv: Move,
    pub(crate) child: CanonicalBoard,
    pub(crate) kind: Option<Kind>,
    /// For the side that plays it.
    pub(crate) score: Option<i16>,
    /// The level of the search behind the score.
    pub(crate) level: Option<u8>,
}

impl KnownMove {
    /// Looks up the level of a link, which is stored with the child.
    pub(crate) fn look_up_level(&mut self, book: &Book<'_>) -> Result<()> {
        if self.kind == Some(Kind::Link) {
            self.level = book.numbers(self.child)?.and_then(|numbers| numbers.level);
        }
        Ok(())
    }
}

/// The target of a move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    /// To a position in the book.
    Link,
    /// Out of the book; it has been searched.
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
        let moves = known_moves(&book, given(board)?.board)?;
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

/// The legal moves of a board, best first. Of equal ones links come before the leaf, then in the order of [`Board::place_of`].
/// Moves without a score come last.
///
/// Of symmetric moves a book stores only one; here each gets its data.
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

/// Like [`known_moves`], but without the levels of links, which would take one look-up per child.
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
    moves.sort_by_cached_key(|known| {
        let (unknown, place) = (known.kind.is_none(), board.place_of(known.mv));
        (unknown, Reverse(known.score), known.kind, place)
    });
    Ok(moves)
}

/// The table `choose`.
#[derive(Clone)]
pub(crate) struct Choose;

impl TableFunction for Choose {
    const NAME: &'static str = "choose";
    const COLUMNS: &'static [&'static str] = &[
        "move INTEGER",
        "square TEXT",
        "kind TEXT",
        "score INTEGER",
        "chance REAL",
        "child BLOB",
    ];
    const ARGUMENTS: &'static [&'static str] = &["board", "rule", "seed", "schema"];
    const ROWS: i64 = 1;
    type Row = Chance;

    fn rows<'c>(
        &'c self,
        connection: &'c Connection,
        board: ValueRef<'_>,
        others: &Values,
    ) -> Result<Rows<'c, Chance>> {
        let book = Book::new(connection, others.get(3))?;
        let board = given(board)?.board;
        let rule = match others.get(1) {
            None => MoveRule::default(),
            Some(ValueRef::Text(text)) => read_text(text)?.parse().map_err(Problem::new)?,
            Some(other) => {
                let found = described(other);
                return Err(Problem::new(format!(
                    "expected a rule such as 'loss:2', found {found}"
                )));
            }
        };
        let seed = others.get(2).map_or(Ok(0), |seed| {
            read_number::<i64>(seed, "a seed", i64::MIN..=i64::MAX)
        })?;
        let position = book.position(board.canonical())?;
        let chosen = position.and_then(|it| rule.choose(&it, board, seed.cast_unsigned()));
        Ok(Box::new(chosen.into_iter().map(Ok)))
    }

    fn value(row: &Chance, column: usize) -> ColumnValue<'_> {
        let kind = match row.is_leaf {
            true => Kind::Leaf,
            false => Kind::Link,
        };
        match column {
            0 => row.mv.code().into(),
            1 => row.mv.into(),
            2 => kind.name().into(),
            3 => row.score.into(),
            4 => row.chance.into(),
            _ => row.child.into(),
        }
    }
}

/// The table `line`.
#[derive(Clone)]
pub(crate) struct BestLine;

/// A move of the line.
#[derive(Debug)]
pub(crate) struct Step {
    /// From 1.
    ply: u32,
    /// All moves so far, in the orientation of the start, including the moves that lead to it if it was given by them.
    line: String,
    /// The position before the move, in that orientation.
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
        let start = given(start)?;
        let (mut board, mut line) = (start.board, start.line);
        let mut steps: Vec<Step> = Vec::new();
        loop {
            let best = known_moves(&book, board)?.into_iter().next();
            // The best move with a score, or any link.
            let Some(mut mv) = best.filter(|best| best.kind.is_some()) else {
                break;
            };
            mv.mv = board.conventional(mv.mv);
            line += &mv.mv.to_string();
            let after = board.play(mv.mv);
            // This ends, since every move places a disc or is a pass between two that do.
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
