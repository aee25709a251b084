//! `tree(root, depth, max_loss)`: the positions of the book that good play reaches.

use crate::arguments::read_number;
use crate::board::Given;
use crate::book::Book;
use crate::column_value::ColumnValue;
use crate::moves_of::{Kind, scored_moves};
use crate::problem::Result;
use crate::table::{Rows, TableFunction, Values};
use obook_converters::Position;
use obook_othello::{Board, CanonicalBoard};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::collections::{BTreeMap, VecDeque};

/// No game is longer: sixty discs, and a pass before each.
pub(crate) const LONGEST: u32 = 120;

/// The table.
pub(crate) struct Tree;

/// A position, by the line on which the two sides together give up least; of those the first by its squares.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) reached: Reached,
    numbers: Position,
}

/// The line to a position that the book may hold.
#[derive(Clone, Debug)]
pub(crate) struct Reached {
    /// Moves from the root, passes among them.
    moves: u32,
    /// Those moves, in the orientation of the root, after those that lead to it, where it was given by them.
    pub(crate) line: String,
    /// In that orientation too.
    pub(crate) board: Board,
    canonical: CanonicalBoard,
    /// Discs that both sides gave up on the way.
    pub(crate) loss: i64,
}

impl TableFunction for Tree {
    const NAME: &'static str = "tree";
    const COLUMNS: &'static [&'static str] = &[
        "ply INTEGER",
        "line TEXT",
        "value INTEGER",
        "score INTEGER",
        "loss INTEGER",
        "level INTEGER",
        "empties INTEGER",
        "board BLOB",
    ];
    const ARGUMENTS: &'static [&'static str] = &["root", "depth", "max_loss", "schema"];
    const ROWS: i64 = 1000;
    type Row = Node;

    fn rows<'c>(
        connection: &'c Connection,
        root: ValueRef<'_>,
        others: &Values,
    ) -> Result<Rows<'c, Node>> {
        let depth = (others.get(1)).map_or(Ok(LONGEST), |it| {
            read_number(it, "a depth", 0..=i64::from(LONGEST))
        })?;
        let most = 0..=i64::from(u32::MAX);
        let max_loss =
            (others.get(2)).map_or(Ok(i64::MAX), |it| read_number(it, "a loss in discs", most))?;
        let book = Book::new(connection, others.get(3))?;
        let root = Given::read(root)?;
        Ok(Box::new(Growing::new(book, root, depth, max_loss)))
    }

    fn value(node: &Node, column: usize) -> ColumnValue<'_> {
        let Node { reached, numbers } = node;
        let value = numbers.value;
        match column {
            0 => (reached.board.ply() as u32).into(),
            1 => reached.line.as_str().into(),
            2 => value.into(),
            3 if reached.moves % 2 == 1 => value.map(|value| -value).into(),
            3 => value.into(),
            4 => reached.loss.into(),
            5 => numbers.level.into(),
            6 => reached.board.empties().into(),
            _ => reached.canonical.into(),
        }
    }
}

/// A tree on its way down, move by move, each position once among those that so many moves reach: all lines to a position
/// are equally long, unless there are passes in them.
pub(crate) struct Growing<'c> {
    book: Book<'c>,
    depth: u32,
    max_loss: i64,
    /// What is left of those that equally many moves reach, the best lines first.
    current: VecDeque<Reached>,
    /// Those that one more reaches, as far as they are known.
    next: BTreeMap<CanonicalBoard, Reached>,
}

impl Iterator for Growing<'_> {
    type Item = Result<Node>;

    fn next(&mut self) -> Option<Result<Node>> {
        loop {
            if self.current.is_empty() {
                self.current = std::mem::take(&mut self.next).into_values().collect();
                let reached = self.current.make_contiguous();
                reached.sort_by(|a, b| (a.loss, &a.line).cmp(&(b.loss, &b.line)));
            }
            let reached = self.current.pop_front()?;
            // However many links lead to it, it is looked up once.
            match self.book.numbers(reached.canonical) {
                // A link may lead to nothing.
                Ok(None) => {}
                Ok(Some(numbers)) => {
                    let grown = self.grow(&reached);
                    return Some(grown.map(|()| Node { reached, numbers }));
                }
                Err(problem) => return Some(Err(problem)),
            }
        }
    }
}

impl<'c> Growing<'c> {
    /// The positions that at most `depth` moves reach from the root, if the book holds it, and lines whose loss is at most
    /// `max_loss`.
    pub(crate) fn new(book: Book<'c>, root: Given, depth: u32, max_loss: i64) -> Growing<'c> {
        let root = Reached {
            moves: 0,
            canonical: root.canonical(),
            line: root.line,
            board: root.board,
            loss: 0,
        };
        Growing {
            book,
            depth,
            max_loss,
            current: VecDeque::from([root]),
            next: BTreeMap::new(),
        }
    }

    /// Adds the children of a position that are better reached from it than from those before.
    fn grow(&mut self, from: &Reached) -> Result<()> {
        if from.moves == self.depth {
            return Ok(());
        }
        let moves = scored_moves(&self.book, from.board)?;
        let best = moves.iter().find_map(|mv| mv.score);
        for mv in moves.into_iter().filter(|mv| mv.kind == Some(Kind::Link)) {
            // A move without a score may be the best.
            let loss = from.loss
                + best
                    .zip(mv.score)
                    .map_or(0, |(best, score)| i64::from(best - score));
            let known = self.next.get(&mv.child);
            if loss > self.max_loss || known.is_some_and(|known| known.loss <= loss) {
                continue;
            }
            let Some(board) = from.board.play(mv.mv) else {
                continue;
            };
            let child = Reached {
                moves: from.moves + 1,
                line: format!("{}{}", from.line, mv.mv),
                board,
                canonical: mv.child,
                loss,
            };
            self.next.insert(mv.child, child);
        }
        Ok(())
    }
}
