//! Changing a database that is in use: everything in one transaction, so that it is either as before or complete.

use super::counts::Counting;
use super::fill::fill_table;
use super::overwrite::{overwrite_numbers, overwrite_scores};
use super::undo::Log;
use super::{
    BookHeader, Entry, LogState, Source, Store, busy, connect, history, schema, structure,
};
use crate::scratch::{folder_of, sweep};
use crate::{Error, Result};
use obook_graph::Differs;
use obook_graph::parallel::read_ahead;
use obook_model::Position;
use obook_othello::CanonicalBoard;
use obook_rows::{Cell, Table, encode, put};
use rusqlite::{Connection, MAIN_DB, Row, Transaction};
use std::path::Path;

/// Changes that are not yet made: dropped, they never were; [`Update::commit`] makes them all at once and enters them in
/// the book's history.
///
/// Readers see the database as before until then and are not held up.
#[derive(Debug)]
pub struct Update<'s> {
    transaction: Transaction<'s>,
    path: &'s Path,
    log: Log,
    counting: Counting,
    /// Rows that the connection had changed before: what it has changed since is the caller's.
    changes_before: u64,
    /// The number of the schema: changes of it are not logged.
    schema_before: i64,
}

/// A change that takes several transactions: its number in the history, once it has one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ChangeInParts(Option<i64>);

impl ChangeInParts {
    /// The number of the change in the history; `None`: nothing has changed so far.
    #[must_use]
    pub fn id(self) -> Option<i64> {
        self.0
    }
}

/// Pages that may wait in memory until they are written, in KiB.
const CACHE_KIB: i64 = 256 << 10;

/// Beyond this part of a table (one in …) it is written anew as a whole.
const WHOLE_TABLE: u64 = 8;

/// How many positions have other rows than before, and how many there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableChange {
    pub changed: u64,
    pub all: u64,
    /// Whether the table keeps its rows, and of positions only the derived numbers differ, of links only the scores.
    pub derived: bool,
}

impl TableChange {
    /// Whether so much changes that the whole table is written anew.
    pub fn is_large_part(self) -> bool {
        self.changed > self.all / WHOLE_TABLE
    }
}

/// Whether a position's rows in a table differ.
#[must_use]
pub fn rows_differ(differs: Differs, table: Table) -> bool {
    match table {
        Table::Positions => differs.numbers,
        Table::Links => differs.links,
        Table::Leaves => differs.leaf,
    }
}

/// Whether they differ in more than what follows from other rows. In a leaf nothing does.
#[must_use]
pub fn searched_rows_differ(differs: Differs, table: Table) -> bool {
    match table {
        Table::Positions => differs.level,
        Table::Links => differs.moves,
        Table::Leaves => differs.leaf,
    }
}

/// Writes what is derived into all rows of a table.
fn overwrite_table(
    connection: &Connection,
    path: &Path,
    table: Table,
    positions: impl Iterator<Item = Result<Position>> + Send,
) -> Result<()> {
    let mut unread = None;
    let positions = positions.map_while(|position| match position {
        Ok(position) => Some(position),
        Err(error) => {
            unread = Some(error);
            None
        }
    });
    let overwritten = match table {
        Table::Positions => overwrite_numbers(connection, positions),
        Table::Links => overwrite_scores(connection, positions),
        Table::Leaves => unreachable!("nothing in a leaf is derived"),
    };
    // Where not all came, the statement ends in an error too, but that is not the reason.
    match unread {
        Some(error) => Err(error),
        None => overwritten.map_err(Error::sqlite(path, "write")),
    }
}

impl Store {
    /// Opens a database for changing it. An older one is brought up to date with the first change.
    ///
    /// # Errors
    /// As [`Store::open`], and [`Error::Unfit`] where it is write-protected.
    pub fn open_for_writing(path: &Path) -> Result<Store> {
        let (connection, file) = connect(path)?;
        let is_protected = connection.is_readonly(MAIN_DB);
        if is_protected.map_err(Error::sqlite(path, "open"))? {
            let problem = "the file or its folder is write-protected; to change it, copy it to a folder of your own";
            return Err(Error::unfit(path, problem));
        }
        sweep(folder_of(path));
        // A copy that another tool made may have lost this mode; without it readers and the writer block each other. Where
        // such a copy is being read right now it stays as it is.
        let _ = connection.pragma_update(None, "journal_mode", "wal");
        // With few pages in memory, changes all over a book would go to the journal again and again.
        connection
            .pragma_update(None, "cache_size", -CACHE_KIB)
            .map_err(Error::sqlite(path, "open"))?;
        Ok(Store {
            connection,
            path: path.to_owned(),
            file,
            _folder: None,
        })
    }

    /// Begins to change the database. Where another process is at it, waits: see [`set_busy_timeout`](crate::set_busy_timeout).
    ///
    /// # Errors
    /// [`Error::Sqlite`], and [`Error::Busy`] where the other process takes longer.
    pub fn update(&mut self) -> Result<Update<'_>> {
        let transaction = self.begin()?;
        let path = &self.path;
        let failed = || Error::sqlite(path, "write");
        Ok(Update {
            log: Log::begin(&transaction, path).map_err(failed())?,
            counting: Counting::begin(&transaction).map_err(failed())?,
            changes_before: transaction.total_changes(),
            schema_before: schema::cookie(&transaction).map_err(failed())?,
            transaction,
            path,
        })
    }

    /// Writes what is no part of the book, so that its history need not know of it.
    pub fn aside<R>(&mut self, write: impl FnOnce(&Connection) -> Result<R>) -> Result<R> {
        let transaction = self.begin()?;
        let written = write(&transaction)?;
        let committed = transaction.commit();
        committed.map_err(Error::sqlite(&self.path, "write"))?;
        Ok(written)
    }

    /// Begins to write, with the schema as it should be. A database of moderate size has to be sound.
    pub(crate) fn begin(&self) -> Result<Transaction<'_>> {
        let transaction = busy::begin(&self.connection, &self.path)?;
        // From now on it is not replaced.
        if !self.file.is_at(&self.path) {
            let problem =
                "another process has replaced or removed this database since it was opened";
            return Err(Error::unfit(&self.path, problem));
        }
        if self.file_bytes()? <= structure::CHECKED_BYTES {
            structure::check(&transaction, &self.path)?;
        }
        schema::migrate(&transaction, &self.path)?;
        Ok(transaction)
    }
}

impl Update<'_> {
    /// Puts a position in, with its links and its leaf, in place of what the book had for its board.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub fn put(&self, position: &Position) -> Result<()> {
        Table::ALL
            .iter()
            .try_for_each(|table| self.put_rows(*table, position))
    }

    /// Takes a position out, with its links and its leaf. Links that lead to it stay.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub fn remove(&self, board: CanonicalBoard) -> Result<()> {
        Table::ALL
            .iter()
            .try_for_each(|table| self.delete(*table, board))
    }

    /// How many rows a table has.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
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

    /// Puts a position's rows in place of those that a table had for its board.
    pub(crate) fn put_rows(&self, table: Table, position: &Position) -> Result<()> {
        self.delete(table, position.board)?;
        self.add_rows(table, position)
    }

    /// Puts the rows of a new position in; what the table may have for them makes room.
    pub(crate) fn add_rows(&self, table: Table, position: &Position) -> Result<()> {
        match table {
            Table::Positions => self.insert(table, encode::position(position)),
            Table::Links => encode::links(position).try_for_each(|link| self.insert(table, link)),
            Table::Leaves => encode::leaf(position).map_or(Ok(()), |leaf| self.insert(table, leaf)),
        }
    }

    pub(crate) fn insert<const COLUMNS: usize>(
        &self,
        table: Table,
        row: [Cell; COLUMNS],
    ) -> Result<()> {
        put(&self.transaction, table, row).map_err(self.failed())
    }

    /// Runs a statement with these cells in the places ?1, ?2 … that it names.
    pub(crate) fn execute<const CELLS: usize>(
        &self,
        sql: &str,
        cells: [Cell; CELLS],
    ) -> Result<()> {
        self.transaction
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute(rusqlite::params_from_iter(cells)))
            .map(drop)
            .map_err(self.failed())
    }

    /// Puts rows in place of those that a table had for these positions. Where that is a large part of the table, all rows
    /// are overwritten or the whole table is written anew, which is several times as fast; `all` gives every position in
    /// key order for that, `changed` those whose rows differ.
    ///
    /// # Errors
    /// [`Error::Sqlite`], and whatever comes in place of a position.
    pub fn replace_rows(
        &self,
        table: Table,
        count: TableChange,
        all: impl Iterator<Item = Result<Position>> + Send,
        changed: impl Iterator<Item = Result<Position>> + Send,
    ) -> Result<()> {
        let (connection, path) = (self.connection(), self.path);
        if count.is_large_part() {
            let name = table.name();
            self.log_whole(name)?;
            if count.derived {
                return overwrite_table(connection, path, table, all);
            }
            self.counting
                .forget(connection, table)
                .and_then(|()| connection.execute_batch(&format!("DELETE FROM {name}")))
                .map_err(self.failed())?;
            let tally = fill_table(connection, path, table, all)?;
            let known = self.counting.know(connection, table, tally);
            return known.map_err(self.failed());
        }
        read_ahead(changed, |changed| {
            for position in changed {
                self.put_rows(table, &position?)?;
            }
            Ok(())
        })
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

    /// Says that the book may no longer hold what was taken in, for changes that take positions out or put other numbers
    /// in. Where nothing has changed so far, nothing is said.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub fn forget_sources(&self) -> Result<()> {
        if !self.has_changes() {
            return Ok(());
        }
        self.connection()
            .execute(
                "UPDATE sources SET current = NULL WHERE current IS NOT NULL",
                [],
            )
            .map(drop)
            .map_err(self.failed())
    }

    /// The connection, inside the transaction, for changes that have no method here.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.transaction
    }

    /// Where the database is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.path
    }

    /// Logs the whole table as it was when the transaction began, beside the writing: for those who are about to change
    /// most of its rows, which are logged one by one otherwise.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub fn log_whole(&self, table: &str) -> Result<()> {
        self.log.whole(&self.transaction, table)
    }

    /// Whether any row was changed so far.
    pub(crate) fn has_changes(&self) -> bool {
        self.transaction.total_changes() > self.changes_before
    }

    /// Makes all changes at once, as one change in the book's history that [`Store::undo`] takes back. Where there are none,
    /// the history stays as it is. Tables, indexes, views and triggers that were created stay when it is taken back; a
    /// change that dropped or altered a table can't be.
    ///
    /// # Errors
    /// [`Error::Sqlite`]; the database is then as before.
    pub fn commit(self, entry: &Entry) -> Result<()> {
        self.commit_part(entry, &mut ChangeInParts::default())
    }

    /// As [`Update::commit`], of a change that takes several transactions: all of them are one change in the history, with the
    /// counts of the last, as long as nothing else comes between.
    ///
    /// # Errors
    /// [`Error::Sqlite`]; the database is then as before this part.
    pub fn commit_part(self, entry: &Entry, change: &mut ChangeInParts) -> Result<()> {
        let Update {
            transaction,
            path,
            log,
            counting,
            changes_before,
            schema_before,
        } = self;
        let failed = || Error::sqlite(path, "write");
        let other_schema = schema::cookie(&transaction).map_err(failed())? != schema_before;
        let has_changes = transaction.total_changes() > changes_before;
        if has_changes {
            counting.finish(&transaction)
        } else {
            counting.cancel(&transaction)
        }
        .map_err(failed())?;
        if other_schema && !log.is_complete(&transaction).map_err(failed())? {
            log.stop(&transaction).map_err(failed())?;
            entry
                .insert(&transaction, LogState::None)
                .map_err(failed())?;
        } else if other_schema || has_changes {
            // What is known of a table as a whole is how it was before the whole change.
            let goes_on = change.0.filter(|_| !log.has_wholes());
            let id = entry.insert_or_renew(&transaction, goes_on);
            let id = id.map_err(failed())?;
            log.finish(&transaction, id)?;
            history::tidy(&transaction).map_err(failed())?;
            transaction.commit().map_err(failed())?;
            change.0 = Some(id);
            return Ok(());
        }
        transaction.commit().map_err(failed())
    }

    /// The number in the history that a part of this change will have.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub fn number_of(&self, change: ChangeInParts) -> Result<i64> {
        let sql = "SELECT ifnull(max(id), 0),
                          ifnull(max(id) FILTER (WHERE undone IS NULL AND log = 'kept'), 0) FROM history";
        let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let read = self.transaction.query_row(sql, [], row);
        let (last, holds): (i64, i64) = read.map_err(self.failed())?;
        let goes_on = change.0.is_some_and(|id| id == last && id == holds);
        Ok(if goes_on { last } else { last + 1 })
    }

    pub fn failed(&self) -> impl FnOnce(rusqlite::Error) -> Error {
        Error::sqlite(self.path, "write")
    }
}
