//! An Othello opening book as one SQLite database: opening, creating, reading and changing it, with its history, undo and
//! snapshots.
#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![allow(missing_docs)]

mod atomic;
mod busy;
mod change;
mod compact;
mod companions;
mod connect;
mod counts;
mod error;
mod fill;
mod fixed;
mod grades;
mod header;
mod history;
mod identity;
mod kind;
mod new;
mod overwrite;
mod read;
mod replace;
mod scan;
mod schema;
mod scratch;
mod size;
mod snapshot;
mod sources;
mod structure;
mod tables;
mod todo;
mod undo;
mod update;

pub use atomic::{AtomicFile, IfExists, spare};
pub use busy::set_busy_timeout;
pub use compact::Compacted;
pub use connect::changed_while_read;
pub use connect::without_book;
pub use counts::kept_positions;
pub use counts::{Counts, RowCounts};
pub use error::{Error, Result, indented};
pub use header::BookHeader;
pub use header::local_time;
pub use history::{Entry, LogState, PastChange};
pub use kind::{APPLICATION_ID, FileKind, is_sqlite};
pub use new::NewBook;
pub use read::unread;
pub use scan::ReadTransactions;
pub use scan::StoredPositions;
pub use schema::SCHEMA_VERSION;
pub use schema::view_names;
pub use scratch::remove_unfinished;
pub use snapshot::{Snapshot, restore};
pub use sources::Source;
pub use todo::{Lost, Missing};
pub use undo::HistoryStep;
pub use update::TableChange;
pub use update::{ChangeInParts, Update, rows_differ, searched_rows_differ};

use connect::{absolute, connect, unchanging};
use identity::FileIdentity;
use rusqlite::{Connection, MAIN_DB};
use scratch::Scratch;
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
    /// Where its file or its folder is write-protected (a read-only share, a mounted image, a file of another user) and no
    /// changes lie beside it, it is read as a file that nobody changes, without locks. Somebody who may write there, on
    /// another machine for instance, is not held back; what is read then may be old and new at once, or an error. Who has
    /// read asks [`changed_while_read`].
    ///
    /// # Errors
    /// [`Error::Io`] where there is no such file, [`Error::NotABook`] where it is no obook database,
    /// [`Error::Newer`] where a later obook made it, [`Error::Unfit`] where changes lie beside it that can't be read without
    /// writing there.
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

    /// A number that changes whenever any other connection, of this process or of another, has changed the file.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub fn version_of_others(&self) -> Result<i64> {
        let version = |row: &rusqlite::Row<'_>| row.get(0);
        let read = self
            .connection
            .pragma_query_value(None, "data_version", version);
        read.map_err(self.failed("read"))
    }

    /// Where the database is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name by which SQL attaches it to another connection of this library's.
    ///
    /// # Errors
    /// [`Error::Unfit`] where the name of the file is no UTF-8, which SQL needs.
    pub fn attached_as(&self) -> Result<String> {
        let is_protected = self.connection.is_readonly(MAIN_DB);
        if is_protected.map_err(self.failed("open"))? && companions::journal(&self.path).is_none() {
            return Ok(unchanging(&self.path));
        }
        let name = absolute(&self.path).into_os_string().into_string();
        name.map_err(|_| Error::unfit(&self.path, "the name is no UTF-8, which ATTACH needs"))
    }

    /// A database that `make` makes where it is told to, and that goes away with its store.
    pub fn temporary(make: impl FnOnce(&Path) -> Result<()>) -> Result<Store> {
        let temporary = std::env::temp_dir();
        let failed = Error::io(&temporary, "make a temporary database in");
        let folder = Scratch::within(&temporary).map_err(failed)?;
        let path = folder.path().join("book.obook");
        make(&path)?;
        Ok(Store {
            _folder: Some(folder),
            ..Store::open(&path)?
        })
    }

    fn failed(&self, doing: &'static str) -> impl FnOnce(rusqlite::Error) -> Error {
        Error::sqlite(&self.path, doing)
    }
}
