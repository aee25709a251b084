//! A new database: it appears under its name only when it is complete.

use super::counts::{Counts, RowCounts};
use super::fill::fill;
use super::{BookHeader, Entry, LogState, Source, replace, schema};
use crate::{AtomicFile, Error, FileKind, IfExists, Result};
use obook_model::Position;
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// A database in the making.
///
/// It is filled beside its final name without a journal, because until [`NewBook::commit`] it can't be seen: what
/// fails leaves nothing behind.
#[derive(Debug)]
pub struct NewBook {
    connection: Connection,
    /// What it was filled with.
    counts: RefCell<Option<Counts>>,
    file: AtomicFile,
    path: PathBuf,
}

impl NewBook {
    /// Starts a database that is to be at `path`.
    ///
    /// # Errors
    /// As [`AtomicFile::create`], and [`Error::Leftover`] where something is left there of a database that is gone, unless
    /// it is to be replaced.
    pub fn create(path: &Path, if_exists: IfExists) -> Result<NewBook> {
        let file = AtomicFile::create(path, FileKind::Database, if_exists)?;
        if if_exists == IfExists::Refuse {
            replace::refuse_leftovers(file.target())?;
        }
        let failed = || Error::sqlite(path, "create");
        let connection = Connection::open(file.temporary_path()).map_err(failed())?;
        connection
            .execute_batch(
                "PRAGMA journal_mode = OFF;
                 PRAGMA synchronous = OFF;
                 PRAGMA locking_mode = EXCLUSIVE;
                 PRAGMA cache_size = -65536;",
            )
            .map_err(failed())?;
        schema::create(&connection)
            .and_then(|()| {
                connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
            })
            .map_err(failed())?;
        Ok(NewBook {
            connection,
            counts: RefCell::default(),
            file,
            path: path.to_owned(),
        })
    }

    /// The connection, for rows that come as they are.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Writes every position. `walk` is called once a table and must give the same positions in key order each time.
    ///
    /// # Errors
    /// [`Error::Sqlite`], and whatever the walk gives.
    pub fn fill<I>(&self, walk: impl FnMut() -> Result<I>) -> Result<RowCounts>
    where
        I: Iterator<Item = Result<Position>> + Send,
    {
        let failed = || Error::sqlite(&self.path, "write");
        let transaction = self.connection.unchecked_transaction().map_err(failed())?;
        let written = fill(&transaction, &self.path, walk)?;
        transaction.commit().map_err(failed())?;
        let rows = written.rows();
        self.counts.replace(Some(written));
        Ok(rows)
    }

    /// Writes what the book says about itself.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub fn set_header(&self, header: &BookHeader) -> Result<()> {
        header
            .write(&self.connection)
            .map_err(Error::sqlite(&self.path, "write"))
    }

    /// Remembers a file that was taken in.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub fn add_source(&self, source: &Source) -> Result<()> {
        source
            .insert(&self.connection)
            .map_err(Error::sqlite(&self.path, "write"))
    }

    /// Enters how the book came about as the first change in its history, puts the database on the disk and gives it its
    /// name.
    ///
    /// # Errors
    /// [`Error::Sqlite`], and as [`AtomicFile::commit`].
    pub fn commit(self, entry: &Entry) -> Result<()> {
        let NewBook {
            connection,
            counts,
            file,
            path,
        } = self;
        let failed = || Error::sqlite(&path, "write");
        // What fails is said where a transaction ends.
        let insert = || {
            let transaction = connection.unchecked_transaction()?;
            match counts.take() {
                Some(counts) => counts.write(&transaction)?,
                None => Counts::write_anew(&transaction)?,
            }
            entry.insert(&transaction, LogState::None)?;
            transaction.commit()
        };
        insert().map_err(failed())?;
        // From now on readers must not wait for writers, nor the other way round.
        connection
            .execute_batch("PRAGMA locking_mode = NORMAL")
            .and_then(|()| replace::finish(connection))
            .map_err(failed())?;
        replace::put(file)
    }
}
