//! Giving room back to the disk: what changes have freed stays in the file until later ones use it.

use super::{Store, busy, structure};
use crate::Result;
use serde::Serialize;

/// How large a database was before it was compacted, and is now, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Compacted {
    /// Bytes of all pages before.
    pub before: u64,
    /// Bytes of all pages now.
    pub after: u64,
}

impl Store {
    /// Writes the database anew without the room that is free in it: for as long as it takes, other processes can read it and
    /// not write. Its contents, its history and what it takes to undo are as before. The database must be open for writing.
    ///
    /// While it works there is a second copy among the temporary files and a third beside the database. Where somebody reads
    /// it meanwhile, the file shrinks when they have ended.
    ///
    /// # Errors
    /// [`Error::Corrupt`](crate::Error::Corrupt) where its pages don't hang together, [`Error::Busy`](crate::Error::Busy) where another process writes for longer than
    /// is waited for, [`Error::Sqlite`](crate::Error::Sqlite); the database is then as it was.
    pub fn compact(&mut self) -> Result<Compacted> {
        let transaction = self.begin()?;
        // What is not found in a damaged database would not be copied.
        structure::check(&transaction, &self.path)?;
        let before = self.file_bytes()?;
        transaction.commit().map_err(self.failed("write"))?;
        busy::wait(&self.connection, &self.path, "compact", || {
            self.connection.execute_batch("VACUUM")
        })?;
        let after = self.file_bytes()?;
        Ok(Compacted { before, after })
    }
}
