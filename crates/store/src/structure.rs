//! Checking the structure of a database for damage that SQLite calls corrupt.
//!
//! If two pages are swapped, all sizes and counts stay the same, but lookups by key miss rows that a walk shows, and a change
//! deletes rows that it only fails to find. `PRAGMA integrity_check` finds that: it checks that every page belongs to one tree,
//! that keys ascend within and between pages, and that cells have the types of their columns; `quick_check` doesn't check the
//! order of keys. Operations that read a whole book run it at the same time, on a thread of its own. For a million
//! positions (106 MB) it takes 0.35 s on one core, while `fix` takes 0.8 to 2 s and `export` 1.1 s. An operation that only reads
//! checks only the tables that it reads: games beside the book may be a hundred times as large.
//!
//! A change of a few positions in a large book can't wait for that, so the first change by a handle, and each one after
//! another process has written, checks only databases up to [`CHECKED_BYTES`], which takes 0.1 s at most. In a larger one
//! such a change relies on what it reads: that SQLite can read it, that the rows make sense, and that each link leads to a
//! position.

use crate::counts::{Counted, Counts};
use crate::schema::Schema;
use crate::{Error, Result, Store};
use obook_base::returned;
use rusqlite::{Connection, ErrorCode, InterruptHandle};
use std::path::Path;
use std::thread::{self, JoinHandle};

/// Databases up to this size are checked before they are changed.
pub(crate) const CHECKED_BYTES: u64 = 32 << 20;

/// A check that runs at the same time as the work that relies on it.
pub struct StructureCheck(Checked);

enum Checked {
    /// It is running.
    Running(JoinHandle<Result<()>>, InterruptHandle),
    /// It has ended.
    Done(Result<()>),
}

impl StructureCheck {
    /// Begins to check the state that `store` sees.
    pub(crate) fn begin(store: Store, scope: Scope) -> StructureCheck {
        let stop = store.connection.get_interrupt_handle();
        let check = thread::spawn(move || check(&store.connection, &store.path, scope));
        StructureCheck(Checked::Running(check, stop))
    }

    /// Checks the state that `store` sees, now.
    pub(crate) fn of(store: &Store, scope: Scope) -> StructureCheck {
        StructureCheck(Checked::Done(check(&store.connection, &store.path, scope)))
    }

    /// Waits for the result.
    ///
    /// # Errors
    /// Returns [`Error::Corrupt`] if the database is damaged, and [`Error::Sqlite`] if the check itself fails.
    pub fn end(mut self) -> Result<()> {
        match std::mem::replace(&mut self.0, Checked::Done(Ok(()))) {
            Checked::Done(outcome) => outcome,
            Checked::Running(check, _) => returned(check.join()),
        }
    }
}

/// Stops a check whose result isn't needed.
impl Drop for StructureCheck {
    fn drop(&mut self) {
        if let Checked::Running(_, stop) = &self.0 {
            stop.interrupt();
        }
    }
}

/// The part of a database to check.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scope {
    /// All pages, also free ones: whoever writes needs them.
    Whole,
    /// The tables whose rows this schema counts, which are those of positions, with a user's indexes on them. Another table may have their pages, but then rows are
    /// missing: unless they are as many as table `row_counts` says, everything is checked.
    Counted(&'static Schema),
}

impl Scope {
    /// The statements that check it. Each returns `ok` or a fault.
    fn statements(self, connection: &Connection) -> Vec<String> {
        match self {
            Scope::Counted(schema) if Counts::agree(connection, schema).unwrap_or(false) => {
                let check = |it: &Counted| format!("PRAGMA main.integrity_check({})", it.table);
                schema.counted.iter().map(check).collect()
            }
            Scope::Counted(_) | Scope::Whole => vec!["PRAGMA integrity_check(1)".to_owned()],
        }
    }
}

/// Refuses a database that is damaged within the scope.
pub(crate) fn check(connection: &Connection, path: &Path, scope: Scope) -> Result<()> {
    // A row that violates a constraint isn't damage in this sense: `fix` repairs it.
    let name = "ignore_check_constraints";
    let ask = || {
        let before: bool = connection.pragma_query_value(None, name, |row| row.get(0))?;
        connection.pragma_update(None, name, true)?;
        let mut asked = scope.statements(connection).into_iter().map(|ask| {
            let said = connection.query_row(&ask, [], |row| row.get::<_, String>(0));
            said.map(|said| (said != "ok").then_some(said))
        });
        let found = asked.find_map(Result::transpose).transpose();
        connection.pragma_update(None, name, before)?;
        found
    };
    let found = match ask() {
        Ok(None) => return Ok(()),
        // The first fault, after a line that names the database.
        Ok(Some(said)) => said.lines().take(2).collect::<Vec<_>>().join(" "),
        Err(error) if is_corrupt(&error) => error.to_string(),
        Err(error) => return Err(Error::sqlite(path, "check")(error)),
    };
    Err(Error::Corrupt {
        path: path.to_owned(),
        found,
    })
}

/// Whether SQLite could not read pages because of their contents.
#[must_use]
pub fn is_corrupt(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
    )
}
