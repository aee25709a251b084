//! Changing a few positions of a large book: links and numbers are found anew for them and their ancestors alone.
//!
//! In a book that is fixed, what a change does not touch is right already. So the cost is in proportion to what changes
//! and what lies above it, and ends in the very rows that `obook fix` would have made of the whole book:
//!
//! 1. New positions are linked from both sides: their children are looked up, and their parents are found by taking moves
//!    back ([`Board::parents`](obook_othello::Board::parents)).
//! 2. Numbers are computed from few empties to many, passes after the rest of their layer. Where they come out as they
//!    were, the way up ends.
//! 3. Rows that differ are written.

mod climb;
mod key_filter;
mod link;
mod passes;
mod readers;
mod write;

pub use key_filter::KeyFilter;
pub use readers::{ReadPositions, Readers};
pub use write::Totals;

use crate::{BookHeader, Result};
use foldhash::{HashMap, HashSet};
use obook_graph::negamax;
use obook_model::RuleSet;
use obook_model::{Leaf, Position};
use obook_othello::CanonicalBoard;
use rayon::prelude::*;

/// A position that differs, as it was and as it shall be.
#[derive(Clone, Debug)]
pub struct Delta {
    /// `None` for a new one.
    pub old: Option<Position>,
    pub new: Position,
    /// The leaf whose move became a link.
    pub dropped: Option<Leaf>,
}

/// A change in the making. The database stays as it is until [`Increment::write`].
pub struct Increment {
    filter: KeyFilter,
    rules: negamax::Scoring,
    entries: HashMap<CanonicalBoard, Delta>,
    /// Positions of the book that were read and have not changed so far.
    loaded: HashMap<CanonicalBoard, Position>,
    /// The same, known without links and leaf.
    numbers: HashMap<CanonicalBoard, Position>,
}

impl Increment {
    /// Links and computes what these changes, each for another board, amount to; `None` where more than `most` positions
    /// of the book change with them. `filter` was made for these changes, or for more; `book` sees the book as it is before
    /// them. It has to be fixed.
    ///
    /// # Errors
    /// Where the database can't be read.
    pub fn new(
        book: &mut dyn ReadPositions,
        filter: KeyFilter,
        header: &BookHeader,
        changes: impl IntoIterator<Item = Delta>,
        most: u64,
    ) -> Result<Option<Increment>> {
        let restore = header.rules != RuleSet::Edax;
        Increment::restoring_passes(restore, book, filter, header, changes, most)
    }

    /// As [`Increment::new`], where `restore` says whether pass positions are put in that new positions call for: by default,
    /// unless the book holds every pass position itself, as Edax's do.
    pub fn restoring_passes(
        restore: bool,
        book: &mut dyn ReadPositions,
        filter: KeyFilter,
        header: &BookHeader,
        changes: impl IntoIterator<Item = Delta>,
        most: u64,
    ) -> Result<Option<Increment>> {
        let entries: HashMap<_, _> = changes
            .into_iter()
            .map(|entry| (entry.new.board, entry))
            .collect();
        entries.keys().for_each(|board| filter.add(*board));
        let mut increment = Increment {
            filter,
            rules: header.negamax_rules(),
            entries,
            loaded: HashMap::default(),
            numbers: HashMap::default(),
        };
        if restore {
            increment.restore_passes(book)?;
        }
        increment.link(book)?;
        let is_done = increment.climb(book, most)?;
        Ok(is_done.then_some(increment))
    }

    /// Boards that the book does not hold so far, in key order.
    fn new_boards(&self) -> Vec<CanonicalBoard> {
        let new = self.entries.values().filter(|entry| entry.old.is_none());
        let mut new: Vec<CanonicalBoard> = new.map(|entry| entry.new.board).collect();
        new.par_sort_unstable();
        new
    }

    /// The positions of the book from which a move leads to one of `boards`, in key order. Those that change are among
    /// the entries, the others are loaded.
    fn parents(
        &mut self,
        book: &mut dyn ReadPositions,
        boards: &[CanonicalBoard],
    ) -> Result<Vec<CanonicalBoard>> {
        let before = |board: &CanonicalBoard| {
            let parents = board.board().parents();
            parents
                .map(|(_, parent)| parent.canonical())
                .filter(|parent| self.filter.may_hold(*parent))
                .collect::<Vec<_>>()
        };
        let mut parents: Vec<CanonicalBoard> = boards.par_iter().flat_map_iter(before).collect();
        parents.par_sort_unstable();
        parents.dedup();
        self.load(book, &parents)?;
        parents.retain(|board| self.entries.contains_key(board) || self.loaded.contains_key(board));
        Ok(parents)
    }

    /// Reads those of the boards, given in key order, that the book has and that are not known so far.
    fn load(&mut self, book: &mut dyn ReadPositions, boards: &[CanonicalBoard]) -> Result<()> {
        let unknown = |board: &&CanonicalBoard| {
            !self.entries.contains_key(board) && !self.loaded.contains_key(board)
        };
        let unknown: Vec<CanonicalBoard> = boards.iter().filter(unknown).copied().collect();
        let found = book.positions(&unknown)?;
        let found = found.into_iter().map(|position| (position.board, position));
        self.loaded.extend(found);
        Ok(())
    }

    /// The same for boards in any order, of which only the numbers are needed.
    fn load_numbers(
        &mut self,
        book: &mut dyn ReadPositions,
        boards: impl Iterator<Item = CanonicalBoard>,
    ) -> Result<()> {
        let is_known = |board: &CanonicalBoard| {
            self.entries.contains_key(board)
                || self.loaded.contains_key(board)
                || self.numbers.contains_key(board)
        };
        let unknown: HashSet<CanonicalBoard> = boards.filter(|it| !is_known(it)).collect();
        let mut unknown: Vec<CanonicalBoard> = unknown.into_iter().collect();
        unknown.par_sort_unstable();
        let found = book.numbers(&unknown)?;
        let found = found.into_iter().map(|position| (position.board, position));
        self.numbers.extend(found);
        Ok(())
    }

    /// What the book will say of a board, as far as it is computed; links and leaf may be missing.
    fn position(&self, board: CanonicalBoard) -> Option<&Position> {
        match self.entries.get(&board) {
            Some(entry) => Some(&entry.new),
            None => self.loaded.get(&board).or_else(|| self.numbers.get(&board)),
        }
    }

    /// Lets a position of the book that was loaded change.
    fn entry(&mut self, board: CanonicalBoard) -> &mut Delta {
        self.entries.entry(board).or_insert_with(|| {
            let position = &self.loaded[&board];
            Delta {
                old: Some(position.clone()),
                new: position.clone(),
                dropped: None,
            }
        })
    }
}
