//! The table of positions that only a search can complete.

use super::Update;
use super::bulk::{BulkInsert, Cell};
use crate::Result;
use obook_othello::CanonicalBoard;

impl Update<'_> {
    /// Puts these positions, given in key order, in place of those that lacked a leaf.
    ///
    /// # Errors
    /// [`Error::Sqlite`](crate::Error::Sqlite).
    pub fn replace_todo(&self, boards: impl IntoIterator<Item = CanonicalBoard>) -> Result<()> {
        let write = || {
            self.connection().execute_batch("DELETE FROM todo")?;
            let mut table = BulkInsert::new(self.connection(), "INSERT INTO todo (board, reason)")?;
            for board in boards {
                table.push([board.into(), Cell::Text("leaf")])?;
            }
            table.finish()
        };
        write().map_err(self.failed())
    }
}
