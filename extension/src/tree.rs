//! `tree(root, depth, max_loss)`: the positions of the book that good play reaches.

use crate::arguments::read_number;
use crate::board::Given;
use crate::book::Book;
use crate::column_value::ColumnValue;
use crate::moves_of::{Kind, known_moves};
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
    /// Moves from the root, passes among them.
    moves: u32,
    /// Those moves, in the orientation of the root, after those that lead to it, where it was given by them.
    pub(crate) line: String,
    /// In that orientation too.
    pub(crate) board: Board,
    /// Discs that both sides gave up on the way.
    pub(crate) loss: i64,
    numbers: Position,
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
        Ok(Box::new(Growing::new(
            book,
            Given::read(root)?,
            depth,
            max_loss,
        )?))
    }

    fn value(node: &Node, column: usize) -> ColumnValue<'_> {
        let value = node.numbers.value;
        match column {
            0 => (node.board.ply() as u32).into(),
            1 => node.line.as_str().into(),
            2 => value.into(),
            3 if node.moves % 2 == 1 => value.map(|value| -value).into(),
            3 => value.into(),
            4 => node.loss.into(),
            5 => node.numbers.level.into(),
            6 => node.board.empties().into(),
            _ => node.board.canonical().into(),
        }
    }
}

/// The root, if the book holds it.
fn plant(book: &Book<'_>, root: Given) -> Result<VecDeque<Node>> {
    let numbers = book.numbers(root.canonical())?;
    let node = numbers.map(|numbers| Node {
        moves: 0,
        line: root.line,
        board: root.board,
        loss: 0,
        numbers,
    });
    Ok(node.into_iter().collect())
}

/// A tree on its way down, move by move, each position once among those that so many moves reach: all lines to a position
/// are equally long, unless there are passes in them.
pub(crate) struct Growing<'c> {
    book: Book<'c>,
    depth: u32,
    max_loss: i64,
    /// What is left of those that equally many moves reach, the best lines first.
    current: VecDeque<Node>,
    /// Those that one more reaches, as far as they are known.
    next: BTreeMap<CanonicalBoard, Node>,
}

impl Iterator for Growing<'_> {
    type Item = Result<Node>;

    fn next(&mut self) -> Option<Result<Node>> {
        if self.current.is_empty() {
            self.current = std::mem::take(&mut self.next).into_values().collect();
            let nodes = self.current.make_contiguous();
            nodes.sort_by(|a, b| (a.loss, &a.line).cmp(&(b.loss, &b.line)));
        }
        let node = self.current.pop_front()?;
        let grown = if node.moves < self.depth {
            self.children(&node)
        } else {
            Ok(())
        };
        Some(grown.map(|()| node))
    }
}

impl<'c> Growing<'c> {
    /// The positions that at most `depth` moves reach from the root, if the book holds it, and lines whose loss is at most
    /// `max_loss`.
    pub(crate) fn new(
        book: Book<'c>,
        root: Given,
        depth: u32,
        max_loss: i64,
    ) -> Result<Growing<'c>> {
        Ok(Growing {
            current: plant(&book, root)?,
            book,
            depth,
            max_loss,
            next: BTreeMap::new(),
        })
    }

    /// Adds the children of a node that are better reached from it than from those before.
    fn children(&mut self, node: &Node) -> Result<()> {
        let moves = known_moves(&self.book, node.board)?;
        let best = moves.iter().find_map(|mv| mv.score);
        for mv in moves.into_iter().filter(|mv| mv.kind == Some(Kind::Link)) {
            // A move without a score may be the best.
            let loss = node.loss
                + best
                    .zip(mv.score)
                    .map_or(0, |(best, score)| i64::from(best - score));
            let known = self.next.get(&mv.child);
            if loss > self.max_loss || known.is_some_and(|known| known.loss <= loss) {
                continue;
            }
            let (Some(board), Some(numbers)) = (node.board.play(mv.mv), mv.numbers) else {
                continue;
            };
            let child = Node {
                moves: node.moves + 1,
                line: format!("{}{}", node.line, mv.mv),
                board,
                loss,
                numbers,
            };
            self.next.insert(mv.child, child);
        }
        Ok(())
    }
}
