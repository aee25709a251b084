//! The rows of a change.

use super::{Delta, Increment};
use crate::{Change, Result};
use obook_graph::Differs;
use obook_graph::mapping::demands::record_lacks_leaf;
use obook_model::Position;
use obook_othello::CanonicalBoard;
use obook_store::{Lost, Missing};
use rayon::prelude::*;
use serde::Serialize;
use std::ops::AddAssign;

/// What a change comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Totals {
    /// Positions that the book did not have.
    pub added: u64,
    /// Positions of the book with other rows than before.
    pub changed: u64,
    /// Links that the book did not have.
    pub links: u64,
    /// Leaves whose move is a link now.
    pub leaves_lost: u64,
    /// Of the positions above, those that lack a leaf now.
    pub todo: u64,
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Totals) {
        self.added += other.added;
        self.changed += other.changed;
        self.links += other.links;
        self.leaves_lost += other.leaves_lost;
        self.todo += other.todo;
    }
}

impl Delta {
    fn differs(&self) -> Differs {
        let between = |old| Differs::between(old, &self.new);
        self.old.as_ref().map_or(Differs::ALL, between)
    }

    /// Whether it has to be looked at if the position lacks a leaf now.
    fn touches_leaf(&self, differs: Differs) -> bool {
        differs.links || differs.leaf || self.dropped.is_some()
    }

    fn totals(&self, differs: Differs) -> Totals {
        let Delta { old, new, dropped } = self;
        let links_before = old.as_ref().map_or(0, |old| old.links.len());
        Totals {
            added: u64::from(old.is_none()),
            changed: u64::from(old.is_some() && differs.any()),
            links: new.links.len().saturating_sub(links_before) as u64,
            leaves_lost: u64::from(dropped.is_some()),
            todo: u64::from(self.touches_leaf(differs) && record_lacks_leaf(new)),
        }
    }
}

impl Increment {
    /// What [`Increment::write`] would write.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for change in self.entries.values() {
            totals += change.totals(change.differs());
        }
        totals
    }

    /// The positions that were computed, as they shall be: all that change, and those where the way up ends.
    pub fn into_positions(self) -> impl Iterator<Item = Position> {
        self.entries.into_values().map(|change| change.new)
    }

    /// Writes what changes, in key order.
    ///
    /// # Errors
    /// [`Error::Sqlite`](crate::Error::Sqlite).
    pub fn write(&self, update: &Change<'_>) -> Result<Totals> {
        let mut boards: Vec<CanonicalBoard> = self.entries.keys().copied().collect();
        boards.par_sort_unstable();
        let mut totals = Totals::default();
        for board in boards {
            let change = &self.entries[&board];
            let Delta { old, new, dropped } = change;
            let differs = update.replace(old.as_ref(), new)?;
            let counts = change.totals(differs);
            if counts.todo > 0 {
                let lost = dropped.and_then(|leaf| Lost::of(leaf, new));
                update.put_todo(Missing { board, lost })?;
            } else if old.is_some() && change.touches_leaf(differs) {
                update.remove_todo(board)?;
            }
            totals += counts;
        }
        Ok(totals)
    }
}
