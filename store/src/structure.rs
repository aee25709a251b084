//! That the pages of a database hang together: what SQLite calls corrupt.
//!
//! Swapped pages keep every size and count, yet a look-up by key no longer finds what a walk shows, and a change of such a
//! book deletes what it only fails to find. `PRAGMA integrity_check` sees it: every page belongs to one tree, keys ascend
//! within and between pages, cells have the types of their columns; `quick_check` overlooks the order of keys. Whoever
//! reads a whole book runs it beside the reading, on a thread of its own. With a million positions (106 MB) it takes 0.35 s
//! on a core, where `fix` takes 0.8 to 2 s and `export` 1.1 s.
//!
//! A change of a few positions can't wait for that in a large book, so it is checked first only up to
//! [`CHECKED_BYTES`], which takes some 0.1 s at most. In a larger one such a change relies on what it reads: that
//! SQLite can read it, that the rows make sense, and that each link leads to a position.

use super::Store;
use crate::{Error, Result};
use rusqlite::{Connection, ErrorCode, InterruptHandle};
use std::path::Path;
use std::thread::{self, JoinHandle};

/// Databases up to this size are checked before any change.
pub(crate) const CHECKED_BYTES: u64 = 32 << 20;

/// A check that runs beside the work that relies on it.
pub struct StructureCheck {
    thread: Option<JoinHandle<Result<()>>>,
    stop: InterruptHandle,
}

impl StructureCheck {
    /// Begins to check what `store` sees.
    pub(crate) fn begin(store: Store) -> StructureCheck {
        StructureCheck {
            stop: store.connection.get_interrupt_handle(),
            thread: Some(thread::spawn(move || check(&store.connection, &store.path))),
        }
    }

    /// Waits for the outcome.
    ///
    /// # Errors
    /// [`Error::Corrupt`], and [`Error::Sqlite`] where the check itself fails.
    pub fn end(mut self) -> Result<()> {
        let outcome = self.thread.take().map(JoinHandle::join);
        match outcome.expect("it is waited for once") {
            Ok(outcome) => outcome,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

/// Nobody wants to know any more.
impl Drop for StructureCheck {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.stop.interrupt();
        }
    }
}

/// Refuses a database whose pages do not hang together.
///
/// # Errors
/// [`Error::Corrupt`], and [`Error::Sqlite`] where the check itself fails.
pub(crate) fn check(connection: &Connection, path: &Path) -> Result<()> {
    // A row that breaks a rule of its table is no damage of pages: `fix` mends it.
    let name = "ignore_check_constraints";
    let ask = || {
        let before: bool = connection.pragma_query_value(None, name, |row| row.get(0))?;
        connection.pragma_update(None, name, true)?;
        let ask = "PRAGMA integrity_check(1)";
        let said = connection.query_row(ask, [], |row| row.get::<_, String>(0));
        connection.pragma_update(None, name, before)?;
        said
    };
    let found = match ask() {
        Ok(said) if said == "ok" => return Ok(()),
        Ok(said) => said.lines().collect::<Vec<_>>().join(" "),
        Err(error) if is_corrupt(&error) => error.to_string(),
        Err(error) => return Err(Error::sqlite(path, "check")(error)),
    };
    Err(Error::Corrupt {
        path: path.to_owned(),
        found,
    })
}

/// Whether SQLite could not read pages for what stands in them.
fn is_corrupt(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
    )
}
