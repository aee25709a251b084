//! `tree(root, depth, max_loss)`: the positions of the book that good play reaches.

use crate::arguments::read_number;
use crate::board::Given;
use crate::book::Book;
use crate::column_value::ColumnValue;
use crate::moves_of::{Kind, KnownMove, scored_moves};
use crate::problem::Result;
use crate::table::{Rows, TableFunction, Values};
use obook_model::Position;
use obook_othello::{Board, CanonicalBoard};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::collections::{BTreeMap, VecDeque};

/// No game is longer: sixty discs, and a pass before each.
pub(crate) const LONGEST: u32 = 120;

/// The table.
#[derive(Clone)]
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
        &'c self,
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
        let tree = Growing::new(book, root, depth, max_loss);
        Ok(Box::new(tree.map(|grown| Ok(grown?.node))))
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

/// A position of the book with the moves that the book knows there; at the greatest depth with none.
pub(crate) struct Grown {
    pub(crate) node: Node,
    pub(crate) moves: Vec<Priced>,
}

/// A move, in the orientation of the root, with the discs that it gives up.
pub(crate) struct Priced {
    pub(crate) mv: KnownMove,
    pub(crate) cost: i64,
}

/// A tree on its way down, move by move, each position once among those that so many moves reach: all lines to a position
/// are equally long, unless there are passes in them.
///
/// Those that equally many moves reach are looked up together, in the order in which the tables hold them: one after another
/// by their lines, they would lie all over the file.
pub(crate) struct Growing<'c> {
    book: Book<'c>,
    depth: u32,
    max_loss: i64,
    /// What is left of those that equally many moves reach, the best lines first.
    current: VecDeque<Grown>,
    /// Those that one more reaches, as far as they are known.
    next: BTreeMap<CanonicalBoard, Reached>,
}

impl Iterator for Growing<'_> {
    type Item = Result<Grown>;

    fn next(&mut self) -> Option<Result<Grown>> {
        if self.current.is_empty() {
            match self.look_up() {
                Ok(current) => self.current = current,
                Err(problem) => return Some(Err(problem)),
            }
        }
        let grown = self.current.pop_front()?;
        for priced in &grown.moves {
            if priced.mv.kind == Some(Kind::Link) {
                self.follow(&grown.node.reached, priced);
            }
        }
        Some(Ok(grown))
    }
}

impl<'c> Growing<'c> {
    /// The positions that at most `depth` moves reach from the root, if the book holds it, and lines whose loss is at most
    /// `max_loss`.
    pub(crate) fn new(book: Book<'c>, root: Given, depth: u32, max_loss: i64) -> Growing<'c> {
        let canonical = root.canonical();
        let root = Reached {
            moves: 0,
            line: root.line,
            board: root.board,
            canonical,
            loss: 0,
        };
        Growing {
            book,
            depth,
            max_loss,
            current: VecDeque::new(),
            next: BTreeMap::from([(canonical, root)]),
        }
    }

    /// What the book says of the positions that come next, the best lines first. Not all need be there: a link may lead to
    /// nothing.
    fn look_up(&mut self) -> Result<VecDeque<Grown>> {
        let mut current = Vec::with_capacity(self.next.len());
        for reached in std::mem::take(&mut self.next).into_values() {
            if let Some(numbers) = self.book.numbers(reached.canonical)? {
                let moves = self.moves(&reached)?;
                let node = Node { reached, numbers };
                current.push(Grown { node, moves });
            }
        }
        current.sort_by(|a, b| {
            let (a, b) = (&a.node.reached, &b.node.reached);
            (a.loss, &a.line).cmp(&(b.loss, &b.line))
        });
        Ok(current.into())
    }

    /// The moves that the book knows of a position, unless they go too deep.
    fn moves(&self, from: &Reached) -> Result<Vec<Priced>> {
        if from.moves == self.depth {
            return Ok(Vec::new());
        }
        let moves = scored_moves(&self.book, from.board)?;
        let best = moves.iter().find_map(|mv| mv.score);
        let known = moves.into_iter().filter(|mv| mv.kind.is_some());
        let priced = known.map(|mv| Priced {
            // A move without a score may be the best.
            cost: (best.zip(mv.score)).map_or(0, |(best, score)| i64::from(best - score)),
            mv,
        });
        Ok(priced.collect())
    }

    /// Adds the child, unless too much is given up or it is as well reached from a position before.
    fn follow(&mut self, from: &Reached, Priced { mv: link, cost }: &Priced) {
        let loss = from.loss + cost;
        let known = self.next.get(&link.child);
        if loss > self.max_loss || known.is_some_and(|known| known.loss <= loss) {
            return;
        }
        let Some(board) = from.board.play(link.mv) else {
            return;
        };
        let child = Reached {
            moves: from.moves + 1,
            line: format!("{}{}", from.line, link.mv),
            board,
            canonical: link.child,
            loss,
        };
        self.next.insert(link.child, child);
    }
}
