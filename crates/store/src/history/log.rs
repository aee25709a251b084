//! Logging a change while it is made.
//!
//! Triggers of the connection pass every row that any SQL inserts, deletes or updates to a function that logs it. For a table
//! that is rewritten as a whole that would take longer than the writing itself. There another thread, on a connection that
//! still sees the table as it was, logs all of it at the same time.

use super::part::{PartWriter, RowChange, RowSum, SEQUENCE, Shape, quoted};
use crate::files::folder_of;
use crate::schema::Schema;
use crate::{Error, Result, Store};
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, params};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use tempfile::SpooledTempFile;

/// The function that the triggers call with the place of the table, the [`RowChange`], and cells.
const FUNCTION: &str = "obook_log";
/// The function that the triggers call with the place of the table and the cells of a new row.
const NEW_ROW: &str = "obook_log_new";

/// The rows that a transaction has overwritten so far.
#[derive(Debug)]
pub(crate) struct Log {
    shapes: Arc<[Shape]>,
    rows: Arc<Mutex<Rows>>,
    wholes: RefCell<Vec<Whole>>,
    /// The counters of AUTOINCREMENT, which can't have triggers, as they were.
    sequence: Sequence,
    /// Whether the log of the same change has parts from an earlier transaction.
    continues: bool,
    path: PathBuf,
    schema: &'static Schema,
}

/// The log row by row.
#[derive(Debug)]
struct Rows {
    shapes: Arc<[Shape]>,
    row_sums: Vec<RowSum>,
    writer: PartWriter,
    spool: Spool,
    /// The amount that all steps so far have added to the sum of each table's rows.
    sums: Vec<u64>,
}

/// The findings of a finished log.
#[derive(Debug, Default)]
pub(crate) struct LogSums {
    /// The amount that was added to the sum of the rows of each table that was logged row by row.
    pub(crate) added: BTreeMap<String, u64>,
    /// The sum of the rows that each table had that was logged as a whole.
    pub(crate) before: BTreeMap<String, u64>,
}

/// The counters of AUTOINCREMENT as a part of the log, and the sum of their rows.
#[derive(Debug)]
struct Sequence {
    part: Vec<u8>,
    sum: u64,
}

impl Sequence {
    fn read(connection: &Connection) -> rusqlite::Result<Sequence> {
        let shape = Shape::of_sequence();
        let exists = connection.table_exists(Some("main"), SEQUENCE)?;
        let mut writer = PartWriter::new([shape.clone()].into());
        if exists {
            let select = format!("SELECT {} FROM main.{SEQUENCE}", shape.sql_columns(""));
            let mut select = connection.prepare(&select)?;
            let mut rows = select.query([])?;
            while let Some(row) = rows.next()? {
                writer.push(0, RowChange::Deleted, |cell| row.get_ref_unwrap(cell));
            }
        }
        Ok(Sequence {
            part: writer.take(),
            sum: if exists { shape.sum(connection)? } else { 0 },
        })
    }
}

/// A table that is logged as a whole.
#[derive(Debug)]
struct Whole {
    table: usize,
    thread: Option<JoinHandle<Result<(Spool, u64)>>>,
    given_up: Arc<AtomicBool>,
    /// The sum of the table's rows after the change, if it is known.
    after: Option<u64>,
}

impl Log {
    /// Begins to log what this connection changes, in the transaction that has just begun. `continues`: the same change has
    /// been logged in an earlier transaction.
    pub(crate) fn begin(
        connection: &Connection,
        store: &Store,
        continues: bool,
    ) -> rusqlite::Result<Log> {
        let shapes: Arc<[Shape]> = Shape::all(connection)?.into();
        let rows = Arc::new(Mutex::new(Rows {
            shapes: Arc::clone(&shapes),
            row_sums: shapes.iter().map(Shape::row_sum).collect(),
            writer: PartWriter::new(Arc::clone(&shapes)),
            spool: Spool::new(&store.path),
            sums: vec![0; shapes.len()],
        }));
        let flags = FunctionFlags::SQLITE_UTF8;
        let log = Arc::clone(&rows);
        let function = move |context: &Context<'_>| lock(&log).take(context);
        connection.create_scalar_function(FUNCTION, -1, flags, function)?;
        let log = Arc::clone(&rows);
        let function = move |context: &Context<'_>| lock(&log).take_new(context);
        connection.create_scalar_function(NEW_ROW, -1, flags, function)?;
        // Otherwise rows that INSERT OR REPLACE deletes would not be logged.
        connection.pragma_update(None, "recursive_triggers", true)?;
        for (table, shape) in shapes.iter().enumerate() {
            connection.execute_batch(&triggers(table, shape))?;
        }
        Ok(Log {
            shapes,
            rows,
            wholes: RefCell::default(),
            sequence: Sequence::read(connection)?,
            continues,
            path: store.path.clone(),
            schema: store.schema,
        })
    }

    /// Logs all rows that `table` had before the transaction, instead of single rows from now on.
    pub(crate) fn whole(&self, connection: &Connection, table: &str) -> Result<()> {
        // A whole table has to be logged as it was before the whole change.
        if self.continues {
            return Ok(());
        }
        let Some(table) = self.shapes.iter().position(|shape| shape.name == table) else {
            return Ok(());
        };
        let is_logged = |whole: &&mut Whole| whole.table == table;
        let dropped = || {
            // Its rows before that don't matter.
            lock(&self.rows).forget_sum(table);
            let dropped = drop_triggers(connection, &self.shapes[table]);
            dropped.map_err(Error::sqlite(&self.path, "write"))
        };
        if let Some(whole) = self.wholes.borrow_mut().iter_mut().find(is_logged) {
            whole.after = None;
            return dropped();
        }
        if !is_wal(connection, &self.path)? {
            return Ok(());
        }
        let given_up = Arc::new(AtomicBool::new(false));
        let reader = TableReader {
            table,
            shapes: Arc::clone(&self.shapes),
            path: self.path.clone(),
            given_up: Arc::clone(&given_up),
        };
        let snapshot = Store::open_checked(self.schema, &self.path, &crate::Context::default())?;
        snapshot
            .connection()
            .execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema;")
            .map_err(Error::sqlite(&self.path, "read"))?;
        let thread = Some(std::thread::spawn(move || {
            reader.read(snapshot.connection())
        }));
        self.wholes.borrow_mut().push(Whole {
            table,
            thread,
            given_up,
            after: None,
        });
        dropped()
    }

    /// Notes the sum of the rows of a whole table, which has just been written and has these columns. Changes from now on add
    /// to it.
    pub(crate) fn wrote_whole(
        &self,
        connection: &Connection,
        table: &str,
        columns: &[&str],
        sum: u64,
    ) -> rusqlite::Result<()> {
        let mut wholes = self.wholes.borrow_mut();
        let is_it = |whole: &&mut Whole| self.shapes[whole.table].name == table;
        if let Some(whole) = wholes.iter_mut().find(is_it) {
            let shape = &self.shapes[whole.table];
            // The sum lacks columns that others added.
            if shape.columns == columns {
                whole.after = Some(sum);
                connection.execute_batch(&triggers(whole.table, shape))?;
            }
        }
        Ok(())
    }

    /// Notes the sum of the rows that a table logged as a whole will have.
    pub(crate) fn set_sum(&self, table: &str, sum: u64) {
        let mut wholes = self.wholes.borrow_mut();
        let whole = wholes
            .iter_mut()
            .find(|whole| self.shapes[whole.table].name == table);
        if let Some(whole) = whole {
            whole.after = Some(sum);
        }
    }

    /// Whether every table that existed when logging began still exists, unaltered, and all changes of its rows were logged.
    pub(crate) fn is_complete(&self, connection: &Connection) -> rusqlite::Result<bool> {
        let now = Shape::all(connection)?;
        // A table that was dropped has lost its triggers, and a new one of the same name has none.
        let mut triggers = connection.prepare(
            "SELECT count(*) FROM temp.sqlite_schema WHERE type = 'trigger' AND name = ?",
        )?;
        let wholes = self.wholes.borrow();
        for (table, shape) in self.shapes.iter().enumerate() {
            let is_whole = wholes.iter().any(|whole| whole.table == table);
            let name = trigger_name(&shape.name, RowChange::Deleted);
            let is_watched = || triggers.query_row([name], |row| Ok(row.get::<_, i64>(0)? == 1));
            if !now.contains(shape) || !is_whole && !is_watched()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Stops logging and writes the log of this change into the database. A table that the change created was empty before.
    pub(crate) fn finish(self, connection: &Connection, change: i64) -> Result<LogSums> {
        let failed = || Error::sqlite(&self.path, "write");
        self.stop(connection).map_err(failed())?;
        let mut insert = connection
            .prepare("INSERT INTO undo (change, whole, data) VALUES (?, ?, ?)")
            .map_err(failed())?;
        let mut write = |whole: Option<&str>, part: &[u8]| {
            let inserted = insert.execute(params![change, whole, part]);
            inserted.map(drop).map_err(failed())
        };
        let with_sum = |shape: &Shape, sum: u64| {
            let mut writer = PartWriter::new([shape.clone()].into());
            writer.add_to_sum(0, sum);
            writer.take()
        };
        let mut found = LogSums::default();
        for whole in self.wholes.take() {
            let shape = &self.shapes[whole.table];
            let after = whole.after;
            let (spool, before) = whole.join()?;
            spool.each(|part| write(Some(&shape.name), part))?;
            if let Some(after) = after {
                write(Some(&shape.name), &with_sum(shape, after))?;
            }
            found.before.insert(shape.name.clone(), before);
        }
        let mut rows = lock(&self.rows);
        rows.end(&self.path)?.each(|part| write(None, part))?;
        for (shape, added) in self.shapes.iter().zip(&rows.sums) {
            found.added.insert(shape.name.clone(), *added);
        }
        if self.continues {
            return Ok(found);
        }
        let is_known = |shape: &Shape| self.shapes.iter().any(|known| known.name == shape.name);
        for shape in Shape::all(connection).map_err(failed())? {
            if !is_known(&shape) {
                let sum = shape.sum(connection).map_err(failed())?;
                write(Some(&shape.name), &with_sum(&shape, sum))?;
            }
        }
        let sequence = Sequence::read(connection).map_err(failed())?;
        if sequence.sum != self.sequence.sum {
            write(Some(SEQUENCE), &self.sequence.part)?;
            write(
                Some(SEQUENCE),
                &with_sum(&Shape::of_sequence(), sequence.sum),
            )?;
        }
        found.before.insert(SEQUENCE.to_owned(), self.sequence.sum);
        Ok(found)
    }

    /// Stops logging.
    pub(crate) fn stop(&self, connection: &Connection) -> rusqlite::Result<()> {
        self.shapes
            .iter()
            .try_for_each(|shape| drop_triggers(connection, shape))
    }
}

fn lock(rows: &Mutex<Rows>) -> MutexGuard<'_, Rows> {
    rows.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The triggers that log changes of a table.
fn triggers(table: usize, shape: &Shape) -> String {
    let trigger = |event: &str, kind: RowChange, cells: &str| {
        format!(
            "CREATE TEMP TRIGGER {} AFTER {event} ON main.{} BEGIN SELECT {FUNCTION}({table}, {}, {cells}); END;",
            quoted(&trigger_name(&shape.name, kind)),
            shape.sql_name(),
            kind as usize,
        )
    };
    let (key, old) = (shape.sql_key("NEW."), shape.sql_columns("OLD."));
    let new = format!("); SELECT {NEW_ROW}({table}, {}", shape.sql_columns("NEW."));
    [
        trigger("INSERT", RowChange::Inserted, &format!("{key}{new}")),
        trigger("DELETE", RowChange::Deleted, &old),
        trigger("UPDATE", RowChange::Updated, &format!("{key}, {old}{new}")),
    ]
    .concat()
}

fn drop_triggers(connection: &Connection, shape: &Shape) -> rusqlite::Result<()> {
    RowChange::ALL.iter().try_for_each(|kind| {
        let name = quoted(&trigger_name(&shape.name, *kind));
        connection.execute_batch(&format!("DROP TRIGGER IF EXISTS temp.{name}"))
    })
}

fn trigger_name(table: &str, kind: RowChange) -> String {
    format!("obook_log {table} {kind:?}")
}

/// Whether readers of a database see it as it was before the writer began.
fn is_wal(connection: &Connection, path: &Path) -> Result<bool> {
    connection
        .pragma_query_value(None, "journal_mode", |row| {
            Ok(row.get_ref(0)?.as_bytes()? == b"wal")
        })
        .map_err(Error::sqlite(path, "read"))
}

impl Rows {
    /// Takes a row from a trigger.
    fn take(&mut self, context: &Context<'_>) -> rusqlite::Result<Option<i64>> {
        let (table, kind) = (context.get::<u16>(0)?, context.get::<u8>(1)?);
        let kind = RowChange::ALL.get(usize::from(kind));
        let is_row = |kind| self.writer.cells(table.into(), kind) == context.len().checked_sub(2);
        // Any SQL can call the function with any arguments.
        let Some(&kind) = kind.filter(|kind| is_row(**kind)) else {
            return Err(rusqlite::Error::InvalidQuery);
        };
        self.writer
            .push(table.into(), kind, |cell| context.get_raw(cell + 2));
        if kind != RowChange::Inserted {
            let shape = &self.shapes[usize::from(table)];
            let first = context.len() - shape.columns.len();
            let cells = (first..context.len()).map(|cell| context.get_raw(cell));
            let sum = self.row_sums[usize::from(table)].of(cells);
            self.add_to_sum(table.into(), sum.wrapping_neg());
        }
        if self.writer.is_full() {
            let part = self.writer.take();
            self.spool
                .push(&part)
                .map_err(|error| rusqlite::Error::UserFunctionError(Box::new(error)))?;
        }
        Ok(None)
    }

    /// Takes a new row from a trigger.
    fn take_new(&mut self, context: &Context<'_>) -> rusqlite::Result<Option<i64>> {
        let table = usize::from(context.get::<u16>(0)?);
        let shape = self.shapes.get(table);
        if shape.is_none_or(|shape| shape.columns.len() + 1 != context.len()) {
            return Err(rusqlite::Error::InvalidQuery);
        }
        let sum = self.row_sums[table].of((1..context.len()).map(|cell| context.get_raw(cell)));
        self.add_to_sum(table, sum);
        Ok(None)
    }

    fn forget_sum(&mut self, table: usize) {
        if let Some(sum) = self.sums.get(table).filter(|sum| **sum != 0) {
            self.add_to_sum(table, sum.wrapping_neg());
        }
    }

    fn add_to_sum(&mut self, table: usize, more: u64) {
        self.writer.add_to_sum(table, more);
        self.sums[table] = self.sums[table].wrapping_add(more);
    }

    /// Returns all parts, and leaves none here.
    fn end(&mut self, path: &Path) -> Result<Spool> {
        if !self.writer.is_empty() {
            let part = self.writer.take();
            self.spool.push(&part)?;
        }
        Ok(std::mem::replace(&mut self.spool, Spool::new(path)))
    }
}

impl Whole {
    fn join(mut self) -> Result<(Spool, u64)> {
        let thread = self.thread.take().expect("joined once");
        thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

impl Drop for Whole {
    /// Ends the thread if the change is given up.
    fn drop(&mut self) {
        self.given_up.store(true, Ordering::Relaxed);
    }
}

/// The thread that reads a whole table.
struct TableReader {
    table: usize,
    shapes: Arc<[Shape]>,
    path: PathBuf,
    given_up: Arc<AtomicBool>,
}

impl TableReader {
    /// Logs every row as if it had been deleted, and returns the sum of all. Even an empty table has one part.
    fn read(&self, snapshot: &Connection) -> Result<(Spool, u64)> {
        let failed = || Error::sqlite(&self.path, "read");
        let shape = &self.shapes[self.table];
        let select = format!("SELECT {} FROM {}", shape.sql_columns(""), shape.sql_name());
        let mut statement = snapshot.prepare(&select).map_err(failed())?;
        let mut rows = statement.query([]).map_err(failed())?;
        let mut writer = PartWriter::new(Arc::clone(&self.shapes));
        let mut spool = Spool::new(&self.path);
        let row_sum = shape.row_sum();
        let mut sum = 0_u64;
        while let Some(row) = rows.next().map_err(failed())? {
            // SQLite takes most of the time, so each cell is read once.
            let cells = (0..shape.columns.len()).map(|cell| row.get_ref_unwrap(cell));
            let cells: SmallVec<[ValueRef<'_>; 16]> = cells.collect();
            sum = sum.wrapping_add(row_sum.of(cells.iter().copied()));
            writer.push(self.table, RowChange::Deleted, |cell| cells[cell]);
            if writer.is_full() {
                spool.push(&writer.take())?;
                if self.given_up.load(Ordering::Relaxed) {
                    break;
                }
            }
        }
        spool.push(&writer.take())?;
        Ok((spool, sum))
    }
}

/// Bytes that are kept in memory; beyond that, the log waits in a nameless file beside the book.
const MEMORY: usize = 1 << 22;
/// For error messages: can't …
const DOING: &str = "write the undo log beside it";

/// Parts of the log on their way into the database: SQLite has one writer, which is busy with the change itself.
#[derive(Debug)]
pub(crate) struct Spool {
    file: SpooledTempFile,
    lengths: Vec<usize>,
    path: PathBuf,
}

impl Spool {
    /// An empty spool for the book at `path`.
    pub(crate) fn new(path: &Path) -> Spool {
        Spool {
            file: tempfile::spooled_tempfile_in(MEMORY, folder_of(path)),
            lengths: Vec::new(),
            path: path.to_owned(),
        }
    }

    pub(crate) fn push(&mut self, part: &[u8]) -> Result<()> {
        self.lengths.push(part.len());
        self.file
            .write_all(part)
            .map_err(Error::io(&self.path, DOING))
    }

    /// Calls `show` with each part, in the order in which they came.
    pub(crate) fn each(self, mut show: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let Spool {
            mut file,
            lengths,
            path,
        } = self;
        let failed = || Error::io(&path, DOING);
        file.seek(SeekFrom::Start(0)).map_err(failed())?;
        let mut part = Vec::new();
        for length in lengths {
            part.resize(length, 0);
            file.read_exact(&mut part).map_err(failed())?;
            show(&part)?;
        }
        Ok(())
    }
}
