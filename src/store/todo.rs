//! The table of positions that only a search can complete.

use super::Update;
use super::bulk::{BulkInsert, Cell};
use crate::Result;
use obook_othello::CanonicalBoard;

impl Update<'_> {
    /// Puts these positions, given in key order, in place of those that lacked a leaf; writes only if that changes
    /// anything.
    ///
    /// # Errors
    /// [`Error::Sqlite`](crate::Error::Sqlite).
    pub fn replace_todo(&self, boards: &[CanonicalBoard]) -> Result<()> {
        let write = || {
            if self.has_todo(boards)? {
                return Ok(());
            }
            self.connection().execute_batch("DELETE FROM todo")?;
            let mut table = BulkInsert::new(self.connection(), "INSERT INTO todo (board, reason)")?;
            for board in boards {
                table.push([(*board).into(), Cell::Text("leaf")])?;
            }
            table.finish()
        };
        write().map_err(self.failed())
    }

    /// Whether just these positions lack a leaf so far.
    fn has_todo(&self, boards: &[CanonicalBoard]) -> rusqlite::Result<bool> {
        let sql = "SELECT board FROM todo WHERE reason = 'leaf' ORDER BY board";
        let mut statement = self.connection().prepare(sql)?;
        let mut rows = statement.query([])?;
        for board in boards {
            match rows.next()? {
                Some(row) if row.get_ref(0)?.as_bytes()? == board.to_key() => {}
                _ => return Ok(false),
            }
        }
        Ok(rows.next()?.is_none())
    }
}
