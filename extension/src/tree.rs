//! `tree(root, depth, max_loss)`: the positions of the book that good play reaches.

use crate::arguments::read_number;
use crate::board::Given;
use crate::book::{Book, Numbers};
use crate::cell::Cell;
use crate::moves_of::{Kind, known_moves};
use crate::problem::Result;
use crate::table::{Rows, TableFunction, Values};
use obook_othello::{Board, CanonicalBoard};
use rusqlite::Connection;
use std::collections::BTreeMap;

/// The table.
pub(crate) struct Tree;

/// A position, by the line on which the two sides together give up least; of those the first by its squares.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Moves from the root, passes among them.
    ply: u32,
    /// Those moves, in the orientation of the root, after those that lead to it, where it was given by them.
    line: String,
    /// In that orientation too.
    board: Board,
    /// Discs that both sides gave up on the way.
    loss: i64,
    numbers: Numbers,
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
    const REQUIRED: usize = 1;
    const ROWS: i64 = 1000;
    type Row = Node;

    fn rows(connection: &Connection, arguments: &Values) -> Result<Rows<Node>> {
        let Some(root) = arguments.get(0) else {
            return Ok(Box::new(std::iter::empty()));
        };
        let depth = arguments
            .get(1)
            .map(|depth| read_number(depth, "a depth", 0..=120));
        let max_loss = arguments.get(2);
        let max_loss =
            max_loss.map(|loss| read_number(loss, "a loss in discs", 0..=i64::from(u32::MAX)));
        let tree = Growing {
            book: Book::new(connection, arguments.get(3))?,
            // No game is longer: sixty discs, and a pass before each.
            depth: depth.transpose()?.unwrap_or(120),
            max_loss: max_loss.transpose()?.unwrap_or(i64::MAX),
        };
        let nodes = tree.grow(Given::read(root)?)?;
        Ok(Box::new(nodes.into_iter().map(Ok)))
    }

    fn value(node: &Node, column: usize) -> Cell<'_> {
        let value = node.numbers.value;
        match column {
            0 => node.ply.into(),
            1 => node.line.as_str().into(),
            2 => value.into(),
            3 if node.ply % 2 == 1 => value.map(|value| -value).into(),
            3 => value.into(),
            4 => node.loss.into(),
            5 => node.numbers.level.into(),
            6 => node.board.empties().into(),
            _ => node.board.canonical().into(),
        }
    }
}

/// A tree on its way down.
struct Growing<'c> {
    book: Book<'c>,
    depth: u32,
    max_loss: i64,
}

impl Growing<'_> {
    /// Ply by ply, each position once in its ply: all lines to a position are equally long, unless there are passes in them.
    fn grow(&self, root: Given) -> Result<Vec<Node>> {
        let mut nodes = Vec::new();
        let Some(numbers) = self.book.position(root.canonical())? else {
            return Ok(nodes);
        };
        let mut ply = vec![Node {
            ply: 0,
            line: root.line,
            board: root.board,
            loss: 0,
            numbers,
        }];
        while !ply.is_empty() {
            let mut next = BTreeMap::new();
            if ply[0].ply < self.depth {
                for node in &ply {
                    self.children(node, &mut next)?;
                }
            }
            nodes.append(&mut ply);
            ply.extend(next.into_values());
            ply.sort_by(|a, b| (a.loss, &a.line).cmp(&(b.loss, &b.line)));
        }
        Ok(nodes)
    }

    /// Adds the children of a node that are better reached from it than from those before.
    fn children(&self, node: &Node, next: &mut BTreeMap<CanonicalBoard, Node>) -> Result<()> {
        let moves = known_moves(&self.book, node.board)?;
        let best = moves.iter().find_map(|mv| mv.score);
        for mv in moves.iter().filter(|mv| mv.kind == Some(Kind::Link)) {
            // A move whose score nobody knows may be the best.
            let loss = node.loss + best.zip(mv.score).map_or(0, |(best, score)| best - score);
            if loss > self.max_loss || next.get(&mv.child).is_some_and(|known| known.loss <= loss) {
                continue;
            }
            let (Some(board), Some(numbers)) =
                (node.board.play(mv.mv), self.book.position(mv.child)?)
            else {
                continue;
            };
            let child = Node {
                ply: node.ply + 1,
                line: format!("{}{}", node.line, mv.mv),
                board,
                loss,
                numbers,
            };
            next.insert(mv.child, child);
        }
        Ok(())
    }
}
