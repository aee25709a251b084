//! Undo and redo. Undoing a change restores the rows that it overwrote; that is logged like any change, so that redo is
//! undoing once more.
//!
//! SQLite's session extension was tried instead of triggers. For 120 000 inserted rows of 40 000 positions its
//! changeset takes 8.2 MB (2.7 MB with zstd; this log: 2.1 MB), for 440 000 updated rows 32 MB (11.2 MB; 8.6 MB) and 72 MB
//! of memory, because it keeps every changed row until the end. It ignores tables without a primary key, and tables that
//! are rewritten as a whole would need this log anyway.

use super::log::{Log, LogSums};
use super::part::{self, Flaw, Part, RowChange, SEQUENCE, Shape, quoted};
use super::{PastChange, SchemaChange};
use crate::read::file_bytes;
use crate::schema::without_views;
use crate::{Error, Result, Store, history};
use obook_base::sqlite::{BulkInsert, all_rows};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, Row, Statement, Transaction, params_from_iter};
use serde::Serialize;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// A change that was undone or redone.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct HistoryStep {
    /// Its number in the history.
    pub id: i64,
    /// The command that made it.
    pub command: String,
    /// When: `YYYY-MM-DDThh:mm:ssZ`.
    pub time: String,
    /// The number of rows that were inserted, deleted or updated. What obook notes about the book itself counts only if nothing
    /// else changed.
    pub rows: u64,
    /// The tables, indexes, views and triggers that the undone change created and that stay, or that it dropped and that don't
    /// come back.
    pub schema: SchemaChange,
    /// The full-text, R-tree and other virtual tables of the database, which stay as they were.
    pub not_restored: Vec<String>,
}

impl Store {
    /// Undoes the last change that is in effect: restores the rows of every table as they were before, except for the history,
    /// which says that the change was undone; for tables of the learner; and for [virtual tables](HistoryStep::not_restored).
    /// The database must be open for writing.
    ///
    /// # Errors
    /// Returns [`Error::Unfit`] if there is no change or no log of it, or if another program has changed the same rows
    /// since; the database is then as it was.
    pub fn undo(&mut self) -> Result<HistoryStep> {
        self.quietly(|transaction| self.step(history::last(self)?, transaction))
    }

    /// As [`Store::undo`], if the last change that is in effect is the one with this number; otherwise `None`.
    ///
    /// # Errors
    /// As [`Store::undo`].
    pub fn undo_if_last(&mut self, change: i64) -> Result<Option<HistoryStep>> {
        self.quietly(|transaction| match self.read(history::in_effect)? {
            Some(last) if last == change => self.step(history::last(self)?, transaction).map(Some),
            _ => Ok(None),
        })
    }

    /// Redoes the change that was undone last: restores the rows of every table as they were before that, with the exceptions of
    /// [`Store::undo`]. The database must be open for writing.
    ///
    /// # Errors
    /// Returns [`Error::Unfit`] if no change was undone or another one was made since, and as [`Store::undo`]; the database is
    /// then as it was.
    pub fn redo(&mut self) -> Result<HistoryStep> {
        self.quietly(|transaction| self.step(history::next(self)?, transaction))
    }

    /// Calls `step` with a transaction. The connection becomes quiet before that begins, and stays so until it has ended.
    fn quietly<T>(&self, step: impl FnOnce(Transaction<'_>) -> Result<T>) -> Result<T> {
        let _quiet = Quiet::begin(&self.connection).map_err(self.failed("write"))?;
        step(self.begin()?)
    }

    /// Undoes a change or, if it was undone, redoes it.
    fn step(&self, change: PastChange, transaction: Transaction<'_>) -> Result<HistoryStep> {
        let path = self.path.clone();
        let failed = || Error::sqlite(&path, "write");
        let undo = change.undone.is_none();
        let before = history::in_effect(&transaction).map_err(failed())?;
        let log = Log::begin(self, false).map_err(failed())?;
        let (rows, left) = restore(self, &log, change.id)?;
        log.finish_counting(true).map_err(failed())?;
        history::set_undone(&transaction, change.id, undo).map_err(failed())?;
        if !log.touches_book() {
            history::carry_learning(&transaction, before).map_err(failed())?;
        }
        let layout = Arc::clone(&log.layout);
        let found = log.finish(change.id)?;
        left.check(&path, &found)?;
        if !undo {
            history::tidy(&transaction).map_err(failed())?;
        }
        history::tidy_undone(&transaction).map_err(failed())?;
        let not_restored = virtual_tables(&transaction).map_err(failed())?;
        self.end(transaction)?;
        let schema = match undo {
            true => SchemaChange::still(&change.counts, &layout.objects),
            false => SchemaChange::default(),
        };
        Ok(HistoryStep {
            schema,
            not_restored,
            id: change.id,
            command: change.command,
            time: change.time,
            rows,
        })
    }
}

fn virtual_tables(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    without_views(connection, |connection| {
        let sql = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'virtual' ORDER BY name";
        all_rows(connection, sql, [], |row| row.get(0))
    })
}

/// While it lives, a connection writes rows and nothing else: the log has what triggers and foreign keys did, and rows that a
/// CHECK forbids were there before.
struct Quiet<'c> {
    connection: &'c Connection,
    /// Settings, and whether they were on before.
    settings: [(DbConfig, bool); 2],
}

impl Quiet<'_> {
    /// Foreign keys can't be switched inside a transaction.
    fn begin(connection: &Connection) -> rusqlite::Result<Quiet<'_>> {
        let now = |setting| connection.db_config(setting).map(|is_on| (setting, is_on));
        let settings = [
            now(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER)?,
            now(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY)?,
        ];
        let quiet = Quiet {
            connection,
            settings,
        };
        quiet.set(true)?;
        Ok(quiet)
    }

    fn set(&self, quiet: bool) -> rusqlite::Result<()> {
        let connection = self.connection;
        for (setting, before) in self.settings {
            connection.set_db_config(setting, before && !quiet)?;
        }
        connection.pragma_update(None, "ignore_check_constraints", quiet)
    }
}

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        // If even this fails, the next statement of the connection will report it.
        let _ = self.set(false);
    }
}

/// The tables in which obook and SQLite note something about the other ones.
const NOTES: [&str; 5] = ["book", "sources", "row_counts", "play_counts", SEQUENCE];

/// The most bytes of a row, as SQLite is compiled here.
const LONGEST_ROW: u64 = 1_000_000_000;

/// The state that a change left, by its log.
struct Left {
    /// The amount that it added to the sum of the rows of each table that was logged row by row; `None` if an earlier obook made the log.
    added: Option<BTreeMap<String, u64>>,
    /// The tables that were logged as a whole, and the sum of the rows of each, if it is known.
    wholes: BTreeMap<String, Option<u64>>,
}

impl Left {
    /// Refuses to overwrite what another program has changed since. If nothing was changed, undoing has taken back from the
    /// sums what the change added.
    fn check(&self, path: &Path, found: &LogSums) -> Result<()> {
        let Some(added) = &self.added else {
            return Ok(());
        };
        let is_changed = |(table, added): &(&String, &u64)| {
            let undone = found.added.get(*table).copied().unwrap_or(0);
            !self.wholes.contains_key(*table) && added.wrapping_add(undone) != 0
        };
        let is_other = |(table, sum): &(&String, &Option<u64>)| {
            // Rows may have been added to the table once it had been written.
            let later = added.get(*table).copied().unwrap_or(0);
            let before = found.before.get(*table).copied();
            let both = before.zip(**sum);
            both.is_some_and(|(before, sum)| before != sum.wrapping_add(later))
        };
        let changed = added.iter().find(is_changed).map(|(table, _)| table);
        match changed.or_else(|| Some(self.wholes.iter().find(is_other)?.0)) {
            Some(table) => Err(changed_since(path, table)),
            None => Ok(()),
        }
    }
}

/// Restores the rows in the log of a change, logs that, and returns their number and what the change had left.
fn restore(store: &Store, log: &Log<'_>, change: i64) -> Result<(u64, Left)> {
    let (connection, path) = (&store.connection, &*store.path);
    let progress = store.context.progress();
    let failed = || Error::sqlite(path, "read");
    let sql = "SELECT part, whole FROM undo WHERE change = ? ORDER BY part";
    let part = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let parts: Vec<(i64, Option<String>)> =
        all_rows(connection, sql, [change], part).map_err(failed())?;
    let most = most_bytes(connection).map_err(failed())?;
    let read = |number: i64| {
        let part = read_part(connection, number, most);
        part.map_err(failed())?.map_err(|flaw| {
            let problem = match flaw {
                Flaw::Damaged => String::from("is damaged"),
                Flaw::TooLarge => format!("expands to more than {most} bytes, more than any change of this book can have overwritten"),
            };
            let problem = format!("table undo, part {number} {problem}: change {change} can't be undone or redone");
            Error::unfit(path, problem)
        })
    };
    // If a whole table was logged, single rows of it don't matter.
    let wholes: BTreeSet<&String> = parts.iter().flat_map(|(_, whole)| whole).collect();
    for whole in &wholes {
        log.whole(whole)?;
    }
    progress.step("restoring rows", Some(parts.len() as u64));
    let (mut notes, mut others) = (0, 0);
    let mut count = |table: &str, rows: u64| match NOTES.contains(&table) {
        true => notes += rows,
        false => others += rows,
    };
    let mut left = Left {
        added: Some(BTreeMap::new()),
        wholes: wholes.iter().map(|it| ((*it).clone(), None)).collect(),
    };
    for (number, _) in parts.iter().rev().filter(|(_, whole)| whole.is_none()) {
        let part = read(*number)?;
        step_back(connection, path, &part, &wholes, &mut count)?;
        left.added = left.added.zip(part.sums).map(|(mut added, sums)| {
            for (shape, sum) in part.shapes.into_iter().zip(sums) {
                let added = added.entry(shape.name).or_default();
                *added = added.wrapping_add(sum);
            }
            added
        });
        progress.advance(1);
    }
    // In the order of the log: inserted rows change the counters of AUTOINCREMENT, which come last there.
    let mut in_order: Vec<&String> = wholes.into_iter().collect();
    in_order
        .sort_by_cached_key(|table| parts.iter().position(|(_, it)| it.as_ref() == Some(*table)));
    for table in in_order {
        let sql = format!("DELETE FROM main.{}", quoted(table));
        let deleted = connection.execute(&sql, []);
        let deleted = deleted.map_err(Error::sqlite(path, "write"))? as u64;
        let (mut inserted, mut sum) = (0, 0_u64);
        for (number, _) in parts.iter().filter(|(_, it)| it.as_ref() == Some(table)) {
            let part = read(*number)?;
            inserted += fill(connection, &part).map_err(Error::sqlite(path, "write"))?;
            sum = sum.wrapping_add(part.rows_sum());
            if let Some([after]) = part.sums.as_deref() {
                left.wholes.insert(table.clone(), Some(*after));
            }
            progress.advance(1);
        }
        log.set_sum(table, sum);
        count(table, deleted.max(inserted));
    }
    // The number that users see.
    Ok((if others > 0 { others } else { notes }, left))
}

/// The most memory that a part of the log may take. One row may be larger than usual, but it must fit into the file.
fn most_bytes(connection: &Connection) -> rusqlite::Result<u64> {
    Ok(part::MOST + file_bytes(connection)?.min(LONGEST_ROW))
}

fn read_part(
    connection: &Connection,
    number: i64,
    most: u64,
) -> rusqlite::Result<Result<Part, Flaw>> {
    let sql = "SELECT data FROM undo WHERE part = ?";
    connection.query_row(sql, [number], |row| {
        Ok(Part::read(row.get_ref(0)?.as_blob()?, most))
    })
}

/// Drops the logs that `VACUUM` would make wrong: of changes of tables whose rows it renumbers, and of those that can only be
/// undone or redone after them.
pub(crate) fn drop_logs_of_renumbered(connection: &Connection, path: &Path) -> Result<()> {
    let drop = || -> rusqlite::Result<()> {
        let renumbered = renumbered(connection)?;
        if renumbered.is_empty() {
            return Ok(());
        }
        let most = most_bytes(connection)?;
        let concerns = |part: i64| -> rusqlite::Result<bool> {
            // A part that can't be read may concern any table.
            let Ok(part) = read_part(connection, part, most)? else {
                return Ok(true);
            };
            let mut steps = part.steps.iter();
            Ok(steps.any(|step| renumbered.contains(&part.shapes[step.table].name)))
        };
        let sql =
            "SELECT part, change, undone IS NOT NULL FROM undo JOIN history ON history.id = change";
        let part = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        let parts: Vec<(i64, i64, bool)> = all_rows(connection, sql, [], part)?;
        let (mut before, mut beyond) = (0, i64::MAX);
        for (part, change, is_undone) in parts {
            match concerns(part)? {
                true if is_undone => beyond = beyond.min(change - 1),
                true => before = before.max(change + 1),
                false => {}
            }
        }
        history::drop_before(connection, before)?;
        history::drop_beyond(connection, beyond)
    };
    drop().map_err(Error::sqlite(path, "write"))
}

/// The tables whose rows `VACUUM` may renumber: those without an alias for the row number, unless their rows are numbered from 1
/// without gaps. An alias is a primary key without an index.
fn renumbered(connection: &Connection) -> rusqlite::Result<BTreeSet<String>> {
    without_views(connection, |connection| {
        let sql = "SELECT name FROM pragma_table_list AS t
                   WHERE schema = 'main' AND type = 'table' AND NOT wr AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                     AND (NOT EXISTS (SELECT 1 FROM pragma_table_info(t.name, 'main') WHERE pk > 0)
                          OR EXISTS (SELECT 1 FROM pragma_index_list(t.name, 'main') WHERE origin = 'pk'))";
        let tables: Vec<String> = all_rows(connection, sql, [], |row| row.get(0))?;
        let mut renumbered = BTreeSet::new();
        for table in tables {
            let sql = format!(
                "SELECT count(*) = 0 OR min(_rowid_) = 1 AND max(_rowid_) = count(*) FROM main.{}",
                quoted(&table)
            );
            if !connection.query_row(&sql, [], |row| row.get::<_, bool>(0))? {
                renumbered.insert(table);
            }
        }
        Ok(renumbered)
    })
}

/// Reverts the steps of a part, the last one first, and counts the rows of each table.
fn step_back(
    connection: &Connection,
    path: &Path,
    part: &Part,
    wholes: &BTreeSet<&String>,
    mut count: impl FnMut(&str, u64),
) -> Result<()> {
    let mut statements: BTreeMap<(usize, usize), Statement<'_>> = BTreeMap::new();
    for step in part.steps.iter().rev() {
        let shape = &part.shapes[step.table];
        if wholes.contains(&shape.name) {
            continue;
        }
        let statement = match statements.entry((step.table, step.kind as usize)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let statement = connection.prepare(&opposite(shape, step.kind));
                new.insert(statement.map_err(Error::sqlite(path, "write"))?)
            }
        };
        match statement.execute(params_from_iter(part.cells(*step))) {
            Ok(1) => count(&shape.name, 1),
            Err(error) if error.sqlite_error_code() != Some(ErrorCode::ConstraintViolation) => {
                return Err(Error::sqlite(path, "write")(error));
            }
            _ => return Err(changed_since(path, &shape.name)),
        }
    }
    Ok(())
}

fn changed_since(path: &Path, table: &str) -> Error {
    Error::unfit(
        path,
        format!("another program has changed rows of table {table} since; they can't be restored"),
    )
}

/// The statement that reverts a step; its parameters are the cells of the step.
fn opposite(shape: &Shape, kind: RowChange) -> String {
    let table = shape.sql_name();
    match kind {
        RowChange::Inserted => {
            let key = shape.sql_pairs(&shape.key, 1, " AND ");
            format!("DELETE FROM main.{table} WHERE {key}")
        }
        RowChange::Deleted => {
            let places = vec!["?"; shape.columns.len()].join(",");
            format!("{} ({places})", insert_into(shape))
        }
        RowChange::Updated => {
            let all: Vec<usize> = (0..shape.columns.len()).collect();
            let old = shape.sql_pairs(&all, shape.key.len() + 1, ", ");
            let key = shape.sql_pairs(&shape.key, 1, " AND ");
            format!("UPDATE main.{table} SET {old} WHERE {key}")
        }
    }
}

fn insert_into(shape: &Shape) -> String {
    let (table, columns) = (shape.sql_name(), shape.sql_columns(""));
    format!("INSERT INTO main.{table} ({columns}) VALUES")
}

/// Inserts all rows of a part into their tables.
fn fill(connection: &Connection, part: &Part) -> rusqlite::Result<u64> {
    for steps in part.steps.chunk_by(|one, other| one.table == other.table) {
        let shape = &part.shapes[steps[0].table];
        let columns = shape.columns.len();
        let mut rows = BulkInsert::around(connection, &insert_into(shape), "", columns)?;
        for step in steps {
            rows.push(part.cells(*step))?;
        }
        rows.finish()?;
    }
    Ok(part.steps.len() as u64)
}
