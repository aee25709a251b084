//! The rows of a change.

use super::{Delta, Increment};
use crate::graph::mapping::demands::record_lacks_leaf;
use crate::store::{Lost, Missing};
use crate::{Result, Update};
use obook_othello::CanonicalBoard;
use rayon::prelude::*;
use serde::Serialize;

/// What a change came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub(crate) struct Written {
    /// Positions that the book did not have.
    pub(crate) added: u64,
    /// Positions of the book with other rows than before.
    pub(crate) changed: u64,
    /// Links that the book did not have.
    pub(crate) links: u64,
    /// Leaves whose move is a link now.
    pub(crate) leaves_lost: u64,
    /// Of the positions above, those that lack a leaf now.
    pub(crate) todo: u64,
}

impl Increment {
    /// Writes what changes, in key order.
    ///
    /// # Errors
    /// [`Error::Sqlite`](crate::Error::Sqlite).
    pub(crate) fn write(&self, update: &Update<'_>) -> Result<Written> {
        let mut boards: Vec<CanonicalBoard> = self.entries.keys().copied().collect();
        boards.par_sort_unstable();
        let mut written = Written::default();
        for board in boards {
            let Delta { old, new, dropped } = &self.entries[&board];
            let differs = update.change(old.as_ref(), new)?;
            let links_before = old.as_ref().map_or(0, |old| old.links.len());
            written.added += u64::from(old.is_none());
            written.changed += u64::from(old.is_some() && differs.any());
            written.links += new.links.len().saturating_sub(links_before) as u64;
            written.leaves_lost += u64::from(dropped.is_some());
            if !differs.links && !differs.leaf && dropped.is_none() {
                continue;
            }
            if record_lacks_leaf(new) {
                written.todo += 1;
                let lost = dropped.and_then(|leaf| Lost::of(leaf, new));
                update.put_todo(Missing { board, lost })?;
            } else if old.is_some() {
                update.remove_todo(board)?;
            }
        }
        Ok(written)
    }
}
