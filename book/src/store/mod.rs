//! The SQLite database: opening, creating, reading and writing a book.

mod busy;
mod change;
mod fill;
mod fixed;
mod grades;
mod header;
mod history;
mod identity;
mod new;
mod overwrite;
mod read;
mod replace;
mod scan;
mod schema;
mod size;
mod snapshot;
mod sources;
mod structure;
mod tables;
mod todo;
mod undo;
mod update;

pub use busy::set_busy_timeout;
pub use fill::RowCounts;
pub use header::BookHeader;
pub(crate) use header::local_time;
pub use history::{Entry, LogState, PastChange};
pub use new::NewBook;
pub(crate) use read::unread;
pub(crate) use scan::ReadTransactions;
pub use scan::StoredPositions;
pub use schema::view_names;
pub use schema::{APPLICATION_ID, SCHEMA_VERSION, is_sqlite};
pub use snapshot::{Snapshot, restore};
pub use sources::Source;
pub use todo::{Lost, Missing};
pub use undo::Undone;
pub(crate) use update::TableChange;
pub use update::Update;

use crate::scratch::Scratch;
use crate::{Error, Result};
use identity::FileIdentity;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};

/// An open obook database.
///
/// Opening reads a page or two: it takes the same few milliseconds whatever the size of the book.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
    /// What was opened, which another process may have replaced since.
    file: FileIdentity,
    /// The folder of a temporary database, which goes away with it.
    _folder: Option<Scratch>,
}

impl Store {
    /// Opens a database for reading. The connection refuses to write.
    ///
    /// # Errors
    /// [`Error::Io`] where there is no such file, [`Error::NotABook`] where it is no obook database,
    /// [`Error::Newer`] where a later obook made it.
    pub fn open(path: &Path) -> Result<Store> {
        let (connection, file) = connect(path)?;
        let query_only = "forbid writing to";
        connection
            .pragma_update(None, "query_only", true)
            .map_err(Error::sqlite(path, query_only))?;
        Ok(Store {
            connection,
            path: path.to_owned(),
            file,
            _folder: None,
        })
    }

    /// The connection, for questions that this library doesn't ask itself.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// As [`Store::connection`], for those that install hooks.
    pub fn connection_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// Where the database is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes `folder`, in which the database is, together with this store.
    pub(crate) fn in_folder(self, folder: Scratch) -> Store {
        Store {
            _folder: Some(folder),
            ..self
        }
    }

    fn failed(&self, doing: &'static str) -> impl FnOnce(rusqlite::Error) -> Error {
        Error::sqlite(&self.path, doing)
    }
}

/// Connects and checks that this is an obook database of a version that we know. Where it is replaced meanwhile, the new
/// one counts: of the old one SQLite would find the new one's files beside it.
fn connect(path: &Path) -> Result<(Connection, FileIdentity)> {
    loop {
        // SQLite's own message for a missing file or a folder says neither.
        let file = FileIdentity::of(path).map_err(Error::io(path, "open"))?;
        // A database in WAL mode needs write access even for reading, so that the last reader can tidy up; where the file
        // is write-protected, SQLite falls back to reading by itself.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection =
            Connection::open_with_flags(path, flags).map_err(Error::sqlite(path, "open"))?;
        connection
            .busy_timeout(std::time::Duration::from_secs(5))
            .and_then(|()| distrust(&connection))
            .and_then(|()| obook_extension::register(&connection))
            .map_err(Error::sqlite(path, "open"))?;
        let checked = schema::check(&connection, path);
        // From its first look on, a connection in WAL mode keeps others from replacing the file.
        if file.is_at(path) {
            return checked.map(|()| (connection, file));
        }
    }
}

/// A database may come from anywhere: what its schema brings along calls no function that could do more than compute, and
/// its triggers sleep. Those of the connection itself, which log changes, do not.
fn distrust(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.pragma_update(None, "cell_size_check", true)
}
