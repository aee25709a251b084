//! Changing a database while others read it: everything in one transaction, so that a change is complete or not there.

use crate::counts::Tally;
use crate::history::{self, Log, LogState, SchemaChange};
use crate::{Error, Result, Store, schema};
use rusqlite::{Connection, Transaction};
use serde::Serialize;

/// A change in the making. [`Change::commit`] makes it visible as a whole and enters it in the book's history; if it is
/// dropped, nothing has happened.
///
/// Readers see the database as it was before until then, and don't wait.
///
/// Several operations can share a change: all methods take `&self`.
#[derive(Debug)]
pub struct Change<'s> {
    pub(crate) transaction: Transaction<'s>,
    pub(crate) store: &'s Store,
    pub(crate) log: Log<'s>,
    /// Its number in the history, and whether that has an entry already.
    number: i64,
    continues: bool,
    /// Rows that the connection had changed before.
    changes_before: u64,
}

impl Store {
    /// Begins a change. The database must be open for writing. If another process is writing, this waits as long as the
    /// [`Context`](crate::Context) says.
    ///
    /// # Errors
    /// Returns [`Error::Busy`] if the other process takes longer, [`Error::Corrupt`] if a small database is damaged, and
    /// [`Error::Sqlite`] if it can't be written.
    pub fn change(&mut self) -> Result<Change<'_>> {
        self.continue_change(None)
    }

    /// Begins the next part of a change that takes several transactions; `last` is what committing the last part returned.
    /// All parts are one change in the history, with the counts of the last part, unless something else comes between.
    ///
    /// # Errors
    /// As [`Store::change`].
    pub fn continue_change(&mut self, last: Option<i64>) -> Result<Change<'_>> {
        self.begin_change(last)
    }

    /// As [`Store::continue_change`], for types that hold a store and lend it together with the change. They see to it that there is one
    /// at a time.
    ///
    /// # Errors
    /// As [`Store::change`].
    pub fn begin_change(&self, last: Option<i64>) -> Result<Change<'_>> {
        let transaction = self.begin()?;
        let next = history::next_number(&transaction, last);
        let (number, continues) = next.map_err(self.failed("write"))?;
        let log = Log::begin(self, continues).map_err(self.failed("write"))?;
        Ok(Change {
            log,
            number,
            continues,
            changes_before: transaction.total_changes(),
            transaction,
            store: self,
        })
    }

    /// Whether links and numbers are known to follow from the leaves. Changes of such a book must keep it so, or call
    /// [`Change::forget_fixed`].
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be read.
    pub fn is_fixed(&self) -> Result<bool> {
        self.ask("SELECT count(*) > 0 FROM book WHERE fixed = 1", [])
    }

    /// Writes what the history need not know of, because it isn't part of the book.
    ///
    /// # Errors
    /// As [`Store::change`], and any error of `write`.
    pub fn aside<R, E: From<Error>>(
        &mut self,
        write: impl FnOnce(&Connection) -> Result<R, E>,
    ) -> Result<R, E> {
        let transaction = self.begin()?;
        let written = write(&transaction)?;
        self.end(transaction)?;
        Ok(written)
    }
}

/// The common part of all changes: the store and its transaction.
impl Change<'_> {
    /// The store that is changed.
    #[must_use]
    pub fn store(&self) -> &Store {
        self.store
    }

    /// The connection, inside the transaction, for changes that this crate has no method for.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.transaction
    }

    /// The number that this change has in the history once it is committed.
    #[must_use]
    pub fn number(&self) -> i64 {
        self.number
    }

    /// Whether any row has been changed so far.
    #[must_use]
    pub fn has_changes(&self) -> bool {
        self.transaction.total_changes() > self.changes_before
    }

    /// Logs whole tables as they were when the transaction began, while they are being written to. Call this before changing most
    /// of their rows, which are logged one by one otherwise. They aren't counted either until [`Change::wrote_whole`].
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if a table can't be read.
    pub fn log_whole(&self, tables: &[&str]) -> Result<()> {
        tables.iter().try_for_each(|table| self.log.whole(table))
    }

    /// Notes the rows of a whole table, which has just been written and has these columns: the sum of the rows, and their numbers, or
    /// `None` if these are as before.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be written.
    pub fn wrote_whole(
        &self,
        table: &str,
        columns: &[&str],
        sum: u64,
        tally: Option<Tally>,
    ) -> Result<()> {
        let noted = self.log.wrote_whole(table, columns, sum, tally);
        noted.map_err(self.failed())
    }

    /// Makes the change visible, and enters it in the book's history under the command of the store's context, with `counts`,
    /// the main numbers of the command's report: a value that serializes to an object, or `&()`. Returns its number, or `None` if
    /// nothing was changed: then the history stays as it is.
    ///
    /// [`Store::undo`] takes the change back, except for tables, indexes, views and triggers that it created: these stay. A
    /// change that dropped or altered a table can't be taken back.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be written; it is then as before.
    ///
    /// # Panics
    /// If `counts` can't be written as JSON.
    pub fn commit(self, counts: &impl Serialize) -> Result<Option<i64>> {
        let has_changes = self.has_changes();
        let (store, log, number) = (self.store, self.log, self.number);
        let transaction = &self.transaction;
        let failed = || store.failed("write");
        let cookie = schema::cookie(transaction, "main").map_err(failed())?;
        // Changes of the schema are not logged.
        let other_schema = cookie != log.layout.cookie;
        if !has_changes && !other_schema {
            // Rolls back.
            return Ok(None);
        }
        // Else the next opening would add these rows outside the history, and undo would find them in its way.
        let _ = (store.schema.rows)(transaction);
        let is_complete = !other_schema || log.is_complete().map_err(failed())?;
        log.finish_counting(is_complete).map_err(failed())?;
        let mut schema = SchemaChange::default();
        if other_schema {
            let objects = schema::objects(transaction).map_err(failed())?;
            schema = SchemaChange::between(&log.layout.objects, &objects);
        }
        let counts = history::counts(counts, &schema);
        let before = history::in_effect(transaction).map_err(failed())?;
        let enter = |log| {
            let command = store.context.command();
            history::enter(transaction, number, command, &counts, log)
        };
        if !is_complete {
            drop(log);
            enter(LogState::None).map_err(failed())?;
        } else {
            match self.continues {
                true => history::set_counts(transaction, number, &counts),
                false => enter(LogState::Kept),
            }
            .map_err(failed())?;
            let touches_book = log.touches_book();
            let _ = log.finish(number)?;
            if !touches_book {
                history::carry_learning(transaction, before).map_err(failed())?;
            }
            history::tidy(transaction).map_err(failed())?;
        }
        store.end(self.transaction)?;
        Ok(Some(number))
    }

    /// Turns an error of SQLite into one that names the database: for `map_err`.
    pub fn failed(&self) -> impl FnOnce(rusqlite::Error) -> Error {
        Error::sqlite(&self.store.path, "write")
    }

    /// Records that links and numbers follow from the leaves by the book's rules.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be written.
    pub fn mark_fixed(&self) -> Result<()> {
        self.set("UPDATE book SET fixed = 1 WHERE fixed IS NOT 1", [])
    }

    /// The opposite of [`Change::mark_fixed`], for changes that may leave anything wrong.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be written.
    pub fn forget_fixed(&self) -> Result<()> {
        self.set("UPDATE book SET fixed = NULL WHERE fixed IS NOT NULL", [])
    }

    /// Runs a statement that writes. It stays prepared, so it can be run for many rows.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be written.
    pub fn set(&self, sql: &str, params: impl rusqlite::Params) -> Result<()> {
        let statement = self.connection().prepare_cached(sql);
        let updated = statement.and_then(|mut statement| statement.execute(params));
        updated.map(drop).map_err(self.failed())
    }
}
