//! Logging a change while it is made.
//!
//! Triggers of the connection pass every row that any SQL inserts, deletes or updates to a function that logs and counts it. For a table
//! that is rewritten as a whole that would take longer than the writing itself. There another thread, on a connection that
//! still sees the table as it was, logs all of it at the same time.

use super::part::{PartWriter, RowChange, SEQUENCE, Shape};
use super::recorder::{Layout, drop_triggers, triggers, triggers_of};
use crate::counts::{self, Counting, Tally};
use crate::new::journal_mode;
use crate::schema;
use crate::{Error, Result, Store};
use obook_base::{folder_of, locked, returned};
use rusqlite::functions::Context;
use rusqlite::{Connection, params};
use std::cell::{RefCell, RefMut};
use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use tempfile::SpooledTempFile;

/// The tables that make up a book. Beside them are games, grades and a user's own tables.
const BOOK: [&str; 6] = ["book", "engines", "positions", "links", "leaves", "todo"];

/// The rows that a transaction has overwritten so far.
#[derive(Debug)]
pub(crate) struct Log<'s> {
    store: &'s Store,
    /// The tables as they were at the beginning.
    pub(crate) layout: Arc<Layout>,
    wholes: RefCell<Vec<Whole>>,
    /// The [counters](sequence) of AUTOINCREMENT, which can't have triggers, as they were.
    sequence: (Vec<u8>, u64),
    /// Whether the log of the same change has parts from an earlier transaction.
    continues: bool,
}

/// The log row by row.
#[derive(Debug)]
pub(super) struct Rows {
    layout: Arc<Layout>,
    writer: PartWriter,
    spool: Spool,
    /// The amount that all steps so far have added to the sum of each table's rows.
    sums: Vec<u64>,
    counting: Counting,
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
fn sequence(connection: &Connection) -> rusqlite::Result<(Vec<u8>, u64)> {
    let shape = Shape::of_sequence();
    let mut writer = PartWriter::new([shape.clone()].into());
    let sum = match connection.table_exists(Some("main"), SEQUENCE)? {
        true => shape.each_row(connection, |cells| {
            writer.push(0, RowChange::Deleted, |cell| cells[cell]);
            true
        })?,
        false => 0,
    };
    Ok((writer.take(), sum))
}

/// A table that is logged as a whole.
#[derive(Debug)]
struct Whole {
    table: usize,
    thread: JoinHandle<Result<(Spool, u64)>>,
    /// The thread ends when this is dropped.
    _wanted: Arc<()>,
    /// The sum of the table's rows after the change, if it is known.
    after: Option<u64>,
    /// The numbers of its rows when they were seen last.
    tally: Option<Tally>,
}

impl<'s> Log<'s> {
    /// Begins to log what the store's connection changes, in the transaction that has just begun. `continues`: the same change has
    /// been logged in an earlier transaction.
    pub(crate) fn begin(store: &'s Store, continues: bool) -> rusqlite::Result<Log<'s>> {
        let (recorder, connection) = (&store.recorder, &store.connection);
        recorder.register(connection)?;
        // Otherwise rows that INSERT OR REPLACE deletes would not be logged.
        let name = "recursive_triggers";
        if !connection.pragma_query_value(None, name, |row| row.get(0))? {
            connection.pragma_update(None, name, true)?;
        }
        let layout = recorder.layout(connection, store.schema)?;
        recorder.watch(connection, &layout)?;
        let watched = layout.counts_are_watched;
        let counting = Counting::begin(connection, store.schema, watched)?;
        let log = Log {
            store,
            wholes: RefCell::default(),
            sequence: sequence(connection)?,
            continues,
            layout: Arc::clone(&layout),
        };
        *locked(&recorder.rows) = Some(Rows {
            writer: PartWriter::new(Arc::clone(&layout.shapes)),
            spool: Spool::new(&store.path),
            sums: vec![0; layout.shapes.len()],
            counting,
            layout,
        });
        Ok(log)
    }

    /// Does something with the rows logged so far.
    fn with_rows<T>(&self, work: impl FnOnce(&mut Rows) -> T) -> T {
        let mut rows = locked(&self.store.recorder.rows);
        work(rows.as_mut().expect("a change is being made"))
    }

    /// A table that is logged as a whole.
    fn logged_whole(&self, table: &str) -> Option<RefMut<'_, Whole>> {
        let is_it = |whole: &&mut Whole| self.layout.shapes[whole.table].name == table;
        let wholes = self.wholes.borrow_mut();
        RefMut::filter_map(wholes, |wholes| wholes.iter_mut().find(is_it)).ok()
    }

    /// Logs all rows that `table` had before the transaction, instead of single rows from now on, which nobody counts either.
    pub(crate) fn whole(&self, table: &str) -> Result<()> {
        let (store, connection) = (self.store, &self.store.connection);
        // A whole table has to be logged as it was before the whole change.
        if self.continues {
            return Ok(());
        }
        let shapes = &self.layout.shapes;
        let Some(table) = shapes.iter().position(|shape| shape.name == table) else {
            return Ok(());
        };
        let dropped = |whole: &mut Whole| {
            whole.after = None;
            whole.tally = self.with_rows(|rows| rows.forget(table));
            let dropped = drop_triggers(connection, &shapes[table]);
            dropped.map_err(store.failed("write"))
        };
        let mut wholes = self.wholes.borrow_mut();
        if let Some(whole) = wholes.iter_mut().find(|whole| whole.table == table) {
            return dropped(whole);
        }
        // In other modes, readers don't see the table as it was before the writer began.
        if journal_mode(connection).map_err(store.failed("read"))? != "wal" {
            return Ok(());
        }
        let wanted = Arc::new(());
        let (shapes_there, still) = (Arc::clone(shapes), Arc::downgrade(&wanted));
        let snapshot = store.begin_reading()?;
        let thread = std::thread::spawn(move || {
            let read = read_whole(&snapshot, &shapes_there, table, &still);
            snapshot.end_reading();
            read
        });
        let mut whole = Whole {
            table,
            thread,
            _wanted: wanted,
            after: None,
            tally: None,
        };
        let dropped = dropped(&mut whole);
        wholes.push(whole);
        dropped
    }

    /// Notes the sum of the rows of a whole table, which has just been written and has these columns, and their numbers; `None`: these
    /// are as before. Changes from now on add to it.
    pub(crate) fn wrote_whole(
        &self,
        table: &str,
        columns: &[&str],
        sum: u64,
        tally: Option<Tally>,
    ) -> rusqlite::Result<()> {
        let Some(mut whole) = self.logged_whole(table) else {
            return Ok(());
        };
        let shape = &self.layout.shapes[whole.table];
        // The sum lacks columns that others added.
        whole.after = (shape.columns == columns).then_some(sum);
        let tally = tally.or_else(|| whole.tally.take());
        if let Some(row) = self.layout.counted[whole.table] {
            self.with_rows(|rows| *rows.counting.known(row) = tally);
        }
        for (_, sql) in triggers(whole.table, shape) {
            let connection = &self.store.connection;
            connection.execute_batch(&format!("CREATE TEMP TRIGGER {sql}"))?;
        }
        Ok(())
    }

    /// Notes the sum of the rows that a table logged as a whole will have.
    pub(crate) fn set_sum(&self, table: &str, sum: u64) {
        if let Some(mut whole) = self.logged_whole(table) {
            whole.after = Some(sum);
        }
    }

    /// Whether rows of the book itself were changed so far.
    pub(crate) fn touches_book(&self) -> bool {
        let wholes = self.wholes.borrow();
        self.with_rows(|rows| {
            let mut tables = self.layout.shapes.iter().zip(&rows.sums).enumerate();
            tables.any(|(table, (shape, sum))| {
                let is_whole = || wholes.iter().any(|whole| whole.table == table);
                BOOK.contains(&&*shape.name) && (*sum != 0 || is_whole())
            })
        })
    }

    /// Whether every table that existed when logging began still exists, unaltered, and all changes of its rows were logged.
    pub(crate) fn is_complete(&self) -> rusqlite::Result<bool> {
        let connection = &self.store.connection;
        let now = Shape::all(connection)?;
        // A table that was dropped has lost its triggers, and a new one of the same name has none.
        let found = triggers_of(connection)?;
        let wholes = self.wholes.borrow();
        let mut shapes = self.layout.shapes.iter().enumerate();
        Ok(shapes.all(|(table, shape)| {
            let is_whole = || wholes.iter().any(|whole| whole.table == table);
            let is_watched = || triggers(table, shape).all(|it| found.contains(&it));
            now.contains(shape) && (is_whole() || is_watched())
        }))
    }

    /// Writes the numbers of rows into the database. `is_complete`: whether every change of rows was seen.
    pub(crate) fn finish_counting(&self, is_complete: bool) -> rusqlite::Result<()> {
        let connection = &self.store.connection;
        let mut counting = self.with_rows(|rows| rows.counting.clone());
        if !is_complete {
            counting.forget_all();
        }
        let is_same = schema::cookie(connection, "main")? == self.layout.cookie;
        let watched = match is_same {
            true => self.layout.counts_are_watched,
            false => counts::are_watched(connection, self.store.schema)?,
        };
        counting.finish(connection, watched)
    }

    /// Stops logging and writes the log of this change into the database. A table that the change created was empty before.
    pub(crate) fn finish(self, change: i64) -> Result<LogSums> {
        let (store, connection) = (self.store, &self.store.connection);
        let failed = || store.failed("write");
        let rows = locked(&store.recorder.rows).take();
        let mut rows = rows.expect("a change is being made");
        let shapes = &self.layout.shapes;
        let insert = connection.prepare("INSERT INTO undo (change, whole, data) VALUES (?, ?, ?)");
        let mut insert = insert.map_err(failed())?;
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
            let shape = &shapes[whole.table];
            let after = whole.after;
            let (spool, before) = returned(whole.thread.join())?;
            spool.each(|part| write(Some(&shape.name), part))?;
            if let Some(after) = after {
                write(Some(&shape.name), &with_sum(shape, after))?;
            }
            found.before.insert(shape.name.clone(), before);
        }
        if !rows.writer.is_empty() {
            rows.spool.push(&rows.writer.take())?;
        }
        rows.spool.each(|part| write(None, part))?;
        for (shape, added) in shapes.iter().zip(&rows.sums) {
            found.added.insert(shape.name.clone(), *added);
        }
        if self.continues {
            return Ok(found);
        }
        if schema::cookie(connection, "main").map_err(failed())? != self.layout.cookie {
            for shape in Shape::all(connection).map_err(failed())? {
                if shapes.iter().all(|known| known.name != shape.name) {
                    let sum = shape.each_row(connection, |_| true).map_err(failed())?;
                    write(Some(&shape.name), &with_sum(&shape, sum))?;
                }
            }
        }
        let (part, before) = &self.sequence;
        let (_, now) = sequence(connection).map_err(failed())?;
        if now != *before {
            write(Some(SEQUENCE), part)?;
            write(Some(SEQUENCE), &with_sum(&Shape::of_sequence(), now))?;
        }
        found.before.insert(SEQUENCE.to_owned(), *before);
        Ok(found)
    }
}

impl Drop for Log<'_> {
    /// Stops logging.
    fn drop(&mut self) {
        *locked(&self.store.recorder.rows) = None;
    }
}

impl Rows {
    /// Takes a row from a trigger.
    pub(super) fn take(&mut self, context: &Context<'_>) -> rusqlite::Result<Option<i64>> {
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
            let table = usize::from(table);
            let first = context.len() - self.layout.shapes[table].columns.len();
            self.count(table, context, first, -1);
        }
        if self.writer.is_full() {
            let pushed = self.spool.push(&self.writer.take());
            pushed.map_err(|error| rusqlite::Error::UserFunctionError(Box::new(error)))?;
        }
        Ok(None)
    }

    /// Takes a new row from a trigger.
    pub(super) fn take_new(&mut self, context: &Context<'_>) -> rusqlite::Result<Option<i64>> {
        let table = usize::from(context.get::<u16>(0)?);
        let shape = self.layout.shapes.get(table);
        if shape.is_none_or(|shape| shape.columns.len() + 1 != context.len()) {
            return Err(rusqlite::Error::InvalidQuery);
        }
        self.count(table, context, 1, 1);
        Ok(None)
    }

    /// Takes note of the row whose cells begin at argument `first`, which came (1) or went (−1).
    fn count(&mut self, table: usize, context: &Context<'_>, first: usize, more: i64) {
        let cells = (first..context.len()).map(|cell| context.get_raw(cell));
        let sum = self.layout.row_sums[table].of(cells);
        self.add_to_sum(table, sum.wrapping_mul(more.cast_unsigned()));
        if let Some(row) = self.layout.counted[table] {
            let cell = |cell| context.get_raw(first + cell);
            self.counting.add(row, cell, more);
        }
    }

    /// Forgets what was added to the rows of a table, which doesn't matter if all of them are logged, and how many there are. Returns
    /// that.
    fn forget(&mut self, table: usize) -> Option<Tally> {
        if let Some(sum) = self.sums.get(table).filter(|sum| **sum != 0) {
            self.add_to_sum(table, sum.wrapping_neg());
        }
        self.counting.known(self.layout.counted[table]?).take()
    }

    fn add_to_sum(&mut self, table: usize, more: u64) {
        self.writer.add_to_sum(table, more);
        self.sums[table] = self.sums[table].wrapping_add(more);
    }
}

/// Logs every row of a table as if it had been deleted, and returns the sum of all. Even an empty table has one part. It ends when
/// nobody wants that any more.
fn read_whole(
    snapshot: &Store,
    shapes: &Arc<[Shape]>,
    table: usize,
    wanted: &Weak<()>,
) -> Result<(Spool, u64)> {
    let mut writer = PartWriter::new(Arc::clone(shapes));
    let mut spool = Spool::new(&snapshot.path);
    let mut spooled = Ok(());
    let sum = shapes[table].each_row(&snapshot.connection, |cells| {
        writer.push(table, RowChange::Deleted, |cell| cells[cell]);
        if writer.is_full() {
            spooled = spool.push(&writer.take());
            return spooled.is_ok() && wanted.strong_count() > 0;
        }
        true
    });
    let sum = sum.map_err(snapshot.failed("read"))?;
    spooled?;
    spool.push(&writer.take())?;
    Ok((spool, sum))
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
        let written = self.file.write_all(part);
        written.map_err(Error::io(&self.path, DOING))
    }

    /// Calls `show` with each part, in the order in which they came.
    pub(crate) fn each(mut self, mut show: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let failed = || Error::io(&self.path, DOING);
        self.file.seek(SeekFrom::Start(0)).map_err(failed())?;
        let mut part = Vec::new();
        for length in self.lengths {
            part.resize(length, 0);
            self.file.read_exact(&mut part).map_err(failed())?;
            show(&part)?;
        }
        Ok(())
    }
}
