//! Changing a database that is in use: everything in one transaction, so that it is either as before or complete.

use super::bulk::Cell;
use super::fill::{Written, fill};
use super::{BookHeader, Source, Store, connect, rows, schema};
use crate::{Error, Result};
use obook_converters::Position;
use obook_othello::CanonicalBoard;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::path::Path;
use std::time::Duration;

/// How long a writer waits for another one to finish.
const PATIENCE: Duration = Duration::from_secs(60);

/// Changes that are not yet made: dropped, they never were; [`Update::commit`] makes them all at once.
///
/// Readers see the database as before until then and are not held up.
#[derive(Debug)]
pub struct Update<'s> {
    transaction: Transaction<'s>,
    path: &'s Path,
}

impl Store {
    /// Opens a database for changing it, and brings an older one up to date.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_for_writing(path: &Path) -> Result<Store> {
        let connection = connect(path)?;
        let mut store = Store {
            connection,
            path: path.to_owned(),
            _folder: None,
        };
        let failed = || Error::sqlite(path, "open");
        store.connection.busy_timeout(PATIENCE).map_err(failed())?;
        let update = store.update()?;
        schema::migrate(&update.transaction, path)?;
        update.commit()?;
        Ok(store)
    }

    /// Begins to change the database. Where another process is at it, waits for a minute.
    ///
    /// # Errors
    /// [`Error::Sqlite`], also where the other process takes longer.
    pub fn update(&mut self) -> Result<Update<'_>> {
        let path = &self.path;
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(Error::sqlite(
                path,
                "begin to write (is another process writing?)",
            ))?;
        Ok(Update { transaction, path })
    }
}

impl Update<'_> {
    /// Puts a position in, with its links and its leaf, in place of what the book had for its board.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub fn put(&self, position: &Position) -> Result<()> {
        self.remove(position.board)?;
        self.insert(rows::INSERT_POSITION, rows::position(position))?;
        for link in rows::links(position) {
            self.insert(rows::INSERT_LINK, link)?;
        }
        match rows::leaf(position) {
            Some(leaf) => self.insert(rows::INSERT_LEAF, leaf),
            None => Ok(()),
        }
    }

    /// Takes a position out, with its links and its leaf. Links that lead to it stay.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub fn remove(&self, board: CanonicalBoard) -> Result<()> {
        for table in ["positions", "links", "leaves"] {
            self.transaction
                .prepare_cached(&format!("DELETE FROM {table} WHERE board = ?"))
                .and_then(|mut delete| delete.execute([board.to_key()]))
                .map_err(self.failed())?;
        }
        Ok(())
    }

    fn insert<const COLUMNS: usize>(&self, insert: &str, row: [Cell; COLUMNS]) -> Result<()> {
        let places = ["?"; COLUMNS].join(",");
        self.transaction
            .prepare_cached(&format!("{insert} VALUES ({places})"))
            .and_then(|mut insert| insert.execute(rusqlite::params_from_iter(row)))
            .map_err(self.failed())?;
        Ok(())
    }

    /// Puts a whole book in place of what was there. `walk` is called once a table and must give the same positions in
    /// key order each time.
    ///
    /// # Errors
    /// [`Error::Sqlite`], and whatever the walk gives.
    pub fn replace_all<I>(&self, walk: impl FnMut() -> Result<I>) -> Result<Written>
    where
        I: Iterator<Item = Result<Position>> + Send,
    {
        self.transaction
            .execute_batch("DELETE FROM positions; DELETE FROM links; DELETE FROM leaves;")
            .map_err(self.failed())?;
        fill(&self.transaction, self.path, walk)
    }

    /// Writes what the book says about itself.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub fn set_header(&self, header: &BookHeader) -> Result<()> {
        header.write(&self.transaction).map_err(self.failed())
    }

    /// Remembers a file that was taken in.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub fn add_source(&self, source: &Source) -> Result<()> {
        source.insert(&self.transaction).map_err(self.failed())
    }

    /// The connection, inside the transaction, for changes that have no method here.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.transaction
    }

    /// Makes all changes at once.
    ///
    /// # Errors
    /// [`Error::Sqlite`]; the database is then as before.
    pub fn commit(self) -> Result<()> {
        let Update { transaction, path } = self;
        transaction.commit().map_err(Error::sqlite(path, "write"))
    }

    pub(super) fn failed(&self) -> impl FnOnce(rusqlite::Error) -> Error {
        Error::sqlite(self.path, "write")
    }
}
