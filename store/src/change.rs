//! Changing a database while others read it: everything in one transaction, so that a change is complete or not there.

use crate::counts::Counting;
use crate::history::{self, Log, LogState, NewEntry, SchemaChange};
use crate::{BookHeader, Error, Result, Source, Store, schema};
use obook_base::sqlite::put;
use obook_graph::Differs;
use obook_model::{Link, Position};
use obook_othello::{CanonicalBoard, Move};
use obook_rows::{Cell, Table, encode};
use rusqlite::{Connection, Transaction};
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::LazyLock;

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
    pub(crate) log: Log,
    pub(crate) counting: Counting,
    /// Its number in the history, and whether that has an entry already.
    number: i64,
    continues: bool,
    /// Rows that the connection had changed before.
    changes_before: u64,
    /// The number of the schema: changes of it are not logged.
    schema_before: i64,
    objects_before: BTreeSet<String>,
}

/// Overwrites all columns but the first two, which never change.
static UPDATE_NUMBERS: LazyLock<String> = LazyLock::new(|| {
    let columns = (1..).zip(Table::Positions.columns()).skip(2);
    let set: Vec<String> = columns
        .map(|(place, column)| format!("{column} = ?{place}"))
        .collect();
    format!("UPDATE positions SET {} WHERE board = ?1", set.join(", "))
});
const UPDATE_LINK: &str = "UPDATE links SET score = ?3 WHERE board = ?1 AND move = ?2";
const DELETE_LINK: &str = "DELETE FROM links WHERE board = ? AND move = ?";

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
        let store = &*self;
        let transaction = store.begin()?;
        let begin = || {
            let (number, continues) = history::next_number(&transaction, last)?;
            Ok((
                Log::begin(&transaction, store, continues)?,
                Counting::begin(&transaction, store.schema)?,
                (number, continues),
                (
                    schema::cookie(&transaction)?,
                    schema::objects(&transaction)?,
                ),
            ))
        };
        let (log, counting, (number, continues), (schema_before, objects_before)) =
            begin().map_err(self.failed("write"))?;
        Ok(Change {
            log,
            counting,
            number,
            continues,
            changes_before: transaction.total_changes(),
            schema_before,
            objects_before,
            transaction,
            store,
        })
    }

    /// Writes what the history need not know of, because it isn't part of the book.
    ///
    /// # Errors
    /// As [`Store::change`], and any error of `write`.
    pub fn aside<R>(&mut self, write: impl FnOnce(&Connection) -> Result<R>) -> Result<R> {
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
    pub(crate) fn has_changes(&self) -> bool {
        self.transaction.total_changes() > self.changes_before
    }

    /// Logs a whole table as it was when the transaction began, while it is being written to. Call this before changing most
    /// of its rows, which are logged one by one otherwise.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the table can't be read.
    pub fn log_whole(&self, table: &str) -> Result<()> {
        self.log.whole(&self.transaction, table)
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
        let Change {
            transaction,
            store,
            log,
            counting,
            number,
            continues,
            schema_before,
            objects_before,
            ..
        } = self;
        let failed = || store.failed("write");
        let other_schema = schema::cookie(&transaction).map_err(failed())? != schema_before;
        if !has_changes && !other_schema {
            // Rolls back, and thereby ends the log.
            return Ok(None);
        }
        counting.finish(&transaction).map_err(failed())?;
        let schema = match other_schema {
            true => {
                let objects = schema::objects(&transaction).map_err(failed())?;
                SchemaChange::between(&objects_before, &objects)
            }
            false => SchemaChange::default(),
        };
        let entry = NewEntry {
            number,
            command: store.context.command(),
            counts: history::counts(counts, &schema),
        };
        if other_schema && !log.is_complete(&transaction).map_err(failed())? {
            log.stop(&transaction).map_err(failed())?;
            entry
                .insert(&transaction, LogState::None)
                .map_err(failed())?;
        } else {
            match continues {
                true => entry.renew(&transaction),
                false => entry.insert(&transaction, LogState::Kept),
            }
            .map_err(failed())?;
            let _ = log.finish(&transaction, number)?;
            history::tidy(&transaction).map_err(failed())?;
        }
        store.end(transaction)?;
        Ok(Some(number))
    }

    /// Turns an error of SQLite into one that names the database: for `map_err`.
    pub fn failed(&self) -> impl FnOnce(rusqlite::Error) -> Error {
        Error::sqlite(&self.store.path, "write")
    }
}

/// Positions.
impl Change<'_> {
    /// Writes a position with its links and its leaf, in place of what the book had for its board.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be written.
    pub fn put(&self, position: &Position) -> Result<()> {
        Table::ALL
            .iter()
            .try_for_each(|table| self.put_rows(*table, position))
    }

    /// Removes a position with its links and its leaf. Links that lead to it stay.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be written.
    pub fn remove(&self, board: CanonicalBoard) -> Result<()> {
        Table::ALL
            .iter()
            .try_for_each(|table| self.delete(*table, board))
    }

    /// Writes a position in place of `old`, which is what the book has for its board so far; only cells that differ are written.
    /// Returns what differs.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be written.
    pub fn replace(&self, old: Option<&Position>, new: &Position) -> Result<Differs> {
        let Some(old) = old else {
            Table::ALL
                .iter()
                .try_for_each(|table| self.add_rows(*table, new))?;
            return Ok(Differs::ALL);
        };
        let differs = Differs::between(old, new);
        if differs.numbers {
            // The number of empty squares (?2) follows from the board.
            self.execute(&UPDATE_NUMBERS, encode::position(new))?;
        }
        if differs.links {
            self.replace_links(old, new)?;
        }
        if differs.leaf {
            self.put_rows(Table::Leaves, new)?;
        }
        Ok(differs)
    }

    fn replace_links(&self, old: &Position, new: &Position) -> Result<()> {
        let is_in = |position: &Position, mv: Move| position.links.iter().any(|link| link.mv == mv);
        for Link { mv, .. } in old.links.iter().filter(|link| !is_in(new, link.mv)) {
            let mv = Cell::Integer(mv.code().into());
            self.execute(DELETE_LINK, [old.board.into(), mv])?;
        }
        for link in &new.links {
            let row = encode::link(new.board, *link);
            match old.links.iter().find(|before| before.mv == link.mv) {
                Some(before) if before == link => {}
                Some(_) => self.execute(UPDATE_LINK, row)?,
                None => self.insert(Table::Links, row)?,
            }
        }
        Ok(())
    }

    /// The number of rows in a table.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the table can't be read.
    pub fn count(&self, table: Table) -> Result<u64> {
        let sql = format!("SELECT count(*) FROM {}", table.name());
        self.transaction
            .query_row(&sql, [], |row| row.get::<_, i64>(0))
            .map(i64::cast_unsigned)
            .map_err(self.failed())
    }

    fn delete(&self, table: Table, board: CanonicalBoard) -> Result<()> {
        self.transaction
            .prepare_cached(&format!("DELETE FROM {} WHERE board = ?", table.name()))
            .and_then(|mut delete| delete.execute([board.to_key()]))
            .map(drop)
            .map_err(self.failed())
    }

    /// Writes a position's rows in place of those that a table had for its board.
    pub(crate) fn put_rows(&self, table: Table, position: &Position) -> Result<()> {
        self.delete(table, position.board)?;
        self.add_rows(table, position)
    }

    /// Inserts a position's rows, in place of any with the same key.
    fn add_rows(&self, table: Table, position: &Position) -> Result<()> {
        match table {
            Table::Positions => self.insert(table, encode::position(position)),
            Table::Links => encode::links(position).try_for_each(|link| self.insert(table, link)),
            Table::Leaves => encode::leaf(position).map_or(Ok(()), |leaf| self.insert(table, leaf)),
        }
    }

    fn insert<const COLUMNS: usize>(&self, table: Table, row: [Cell; COLUMNS]) -> Result<()> {
        put(&self.transaction, table.name(), table.columns(), row).map_err(self.failed())
    }

    /// Runs a statement with these values for its parameters ?1, ?2 …
    fn execute<const CELLS: usize>(&self, sql: &str, cells: [Cell; CELLS]) -> Result<()> {
        self.transaction
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute(rusqlite::params_from_iter(cells)))
            .map(drop)
            .map_err(self.failed())
    }
}

/// The header.
impl Change<'_> {
    /// Writes the book's settings.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be written.
    pub fn set_header(&self, header: &BookHeader) -> Result<()> {
        header.write(&self.transaction).map_err(self.failed())
    }

    /// Records that a file was imported.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be written.
    pub fn add_source(&self, source: &Source) -> Result<()> {
        source.insert(&self.transaction).map_err(self.failed())
    }

    /// Records that the book may no longer hold what was imported. For changes that remove positions or overwrite numbers; if
    /// nothing has been changed so far, this does nothing.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be written.
    pub fn forget_sources(&self) -> Result<()> {
        match self.has_changes() {
            true => self.set(
                "UPDATE sources SET current = NULL WHERE current IS NOT NULL",
                [],
            ),
            false => Ok(()),
        }
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

    /// Records the value of a repetition in the numbers as they are now, in discs from −64 to 64 for the side that makes it.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be written.
    pub fn set_repetition(&self, worth: i8) -> Result<()> {
        let worth = Some(worth).filter(|worth| *worth != 0);
        let sql = "UPDATE book SET repetition = ?1 WHERE repetition IS NOT ?1";
        self.set(sql, [worth])
    }

    fn set(&self, sql: &str, params: impl rusqlite::Params) -> Result<()> {
        let updated = self.connection().execute(sql, params);
        updated.map(drop).map_err(self.failed())
    }
}
