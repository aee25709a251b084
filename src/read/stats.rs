//! Counts over a whole book, as in Edax's `book info` and `book stats`.

use obook_othello::Position;
use serde::Serialize;
use std::collections::BTreeMap;

/// Counts over a book, gathered position by position.
///
/// ```
/// use obook::read::stats::Summary;
/// use obook_othello::{Board, Engine, Position};
/// let mut summary = Summary::default();
/// summary.add(&Position::new(Board::START.canonical(), Engine::Edax));
/// assert_eq!(summary.positions, 1);
/// assert_eq!(summary.stages[&60].terminal, 1);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// Positions in the book.
    pub positions: u64,
    /// Moves to positions of the book.
    pub links: u64,
    /// Leaves with a move, so not the final scores of finished games.
    pub leaves: u64,
    /// Positions by level, except those without a level.
    pub levels: BTreeMap<u8, u64>,
    /// Counts by number of empty squares.
    pub stages: BTreeMap<u32, Stage>,
    /// Positions by value, except those without a value.
    pub values: BTreeMap<i16, u64>,
}

/// Counts over the positions with the same number of empty squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Stage {
    /// Positions.
    pub positions: u64,
    /// Links.
    pub links: u64,
    /// Leaves with a move.
    pub leaves: u64,
    /// Positions without a link.
    pub terminal: u64,
}

impl Summary {
    /// Counts one more position.
    pub fn add(&mut self, position: &Position) {
        let links = position.links.len() as u64;
        let leaves = u64::from(position.leaf.is_some_and(|leaf| leaf.mv.is_some()));
        self.positions += 1;
        self.links += links;
        self.leaves += leaves;
        if let Some(level) = position.level {
            *self.levels.entry(level).or_default() += 1;
        }
        if let Some(value) = position.value {
            *self.values.entry(value).or_default() += 1;
        }
        let empties = position.board.board().empties();
        let stage = self.stages.entry(empties).or_default();
        stage.positions += 1;
        stage.links += links;
        stage.leaves += leaves;
        stage.terminal += u64::from(links == 0);
    }
}
