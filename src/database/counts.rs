//! The numbers of rows.

use super::Store;
use crate::Result;
use obook_sql::rows::Table;

/// The numbers of rows in a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct RowCounts {
    /// Rows of `positions`.
    pub positions: u64,
    /// Rows of `links`.
    pub links: u64,
    /// Rows of `leaves` with a move.
    pub leaves: u64,
}

impl RowCounts {
    pub(super) fn of(counts: &obook_store::Counts) -> RowCounts {
        let [positions, links, leaves] = Table::ALL.map(|table| counts.rows(table.name()));
        RowCounts {
            positions,
            links,
            leaves,
        }
    }
}

/// The numbers of rows in a book, by level. They include rows that make no sense or belong to no position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counts(obook_store::Counts);

impl Counts {
    /// The numbers of rows, by table.
    #[must_use]
    pub fn rows(&self) -> RowCounts {
        RowCounts::of(&self.0)
    }

    /// The numbers of positions, by level. Positions without a level are left out.
    pub fn levels(&self) -> impl Iterator<Item = (i64, u64)> + '_ {
        self.0.levels(Table::Positions.name())
    }
}

impl Store {
    /// The [numbers of rows](obook_store::Store::counts).
    ///
    /// # Errors
    /// As [`obook_store::Store::counts`].
    pub fn counts(&self) -> Result<Counts> {
        Ok(Counts(self.0.counts()?))
    }
}
