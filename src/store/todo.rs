//! The table of positions that only a search can complete.

use super::Update;
use super::bulk::{BulkInsert, Cell};
use crate::Result;
use obook_othello::CanonicalBoard;

impl Update<'_> {
    /// Puts these positions, given in key order, in place of those that lacked a leaf; writes nothing where they are the
    /// same.
    ///
    /// # Errors
    /// [`Error::Sqlite`](crate::Error::Sqlite).
    pub fn replace_todo(&self, boards: &[CanonicalBoard]) -> Result<()> {
        let write = || {
            let mut known = self
                .connection()
                .prepare("SELECT board FROM todo ORDER BY board")?;
            let known = known.query_map([], |row| row.get::<_, Vec<u8>>(0))?;
            let known: Vec<Vec<u8>> = known.collect::<rusqlite::Result<_>>()?;
            let wanted = boards.iter().map(|board| board.to_key().to_vec());
            if wanted.eq(known) {
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
}
