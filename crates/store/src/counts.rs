//! Row counts: table `row_counts`, which every change updates, so that nobody has to count.
//!
//! If another program writes to the book, triggers of the schema empty the table, and the next change by this crate counts
//! again. If these triggers are missing, the table isn't reliable.

use crate::schema::Schema;
use crate::{Result, Store};
use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::Type;
use rusqlite::{Connection, params};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A table whose rows are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counted {
    /// Its name.
    pub table: &'static str,
    /// The column by which they are counted: their level.
    pub level: Option<&'static str>,
    /// Rows without a value in this column don't count.
    pub only: Option<&'static str>,
}

impl Counted {
    /// What SQL's function `count` takes.
    fn what(&self) -> &'static str {
        self.only.unwrap_or("*")
    }
}

/// Rows of one table by level, if they have one.
pub type Tally = BTreeMap<Option<i64>, u64>;

/// How the numbers of rows changed, by level.
type Delta = BTreeMap<Option<i64>, i64>;

/// The numbers of rows in a book, by level. They include rows that make no sense or belong to no position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// By table, without those that have no rows.
    tallies: BTreeMap<&'static str, Tally>,
}

impl Counts {
    /// The number of a table's rows.
    #[must_use]
    pub fn rows(&self, table: &str) -> u64 {
        let rows = self.tallies.get(table).into_iter().flat_map(Tally::values);
        rows.fold(0, |sum, rows| sum.saturating_add(*rows))
    }

    /// The numbers of a table's rows, by level. Rows without a level are left out.
    pub fn levels(&self, table: &str) -> impl Iterator<Item = (i64, u64)> + '_ {
        let levels = self.tallies.get(table).into_iter().flatten();
        levels.filter_map(|(level, rows)| Some(((*level)?, *rows)))
    }

    /// Sets the counts of one table.
    pub fn set(&mut self, table: &'static str, tally: Tally) {
        match tally.is_empty() {
            true => self.tallies.remove(table),
            false => self.tallies.insert(table, tally),
        };
    }

    /// The counts in table `row_counts`, if they are reliable.
    fn kept(connection: &Connection, schema: &Schema) -> rusqlite::Result<Option<Counts>> {
        if schema.counted().is_empty() || !are_watched(connection, schema)? {
            return Ok(None);
        }
        let mut select = connection.prepare("SELECT name, level, number FROM main.row_counts")?;
        let mut rows = select.query([])?;
        let mut kept = None;
        while let Some(row) = rows.next()? {
            let name = row.get_ref(0)?.as_bytes()?;
            let mut counted = schema.counted().iter();
            let counted = counted.find(|counted| counted.table.as_bytes() == name);
            let (Some(counted), Ok(number)) = (counted, u64::try_from(row.get::<_, i64>(2)?))
            else {
                return Ok(None);
            };
            let Counts { tallies } = kept.get_or_insert_default();
            let tally = tallies.entry(counted.table).or_default();
            tally.insert(row.get(1)?, number);
        }
        Ok(kept)
    }

    /// Whether the tables have as many rows as table `row_counts` says; false if that isn't reliable.
    pub(crate) fn agree(connection: &Connection, schema: &Schema) -> rusqlite::Result<bool> {
        let Some(kept) = Counts::kept(connection, schema)? else {
            return Ok(false);
        };
        for counted in schema.counted() {
            let (table, what) = (counted.table, counted.what());
            let sql = format!("SELECT count({what}) FROM main.{table}");
            let found: i64 = connection.query_row(&sql, [], |row| row.get(0))?;
            if found.cast_unsigned() != kept.rows(table) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Counts all rows.
    fn count(connection: &Connection, schema: &Schema) -> rusqlite::Result<Counts> {
        let mut counts = Counts::default();
        for counted in schema.counted() {
            counts.set(counted.table, tally(connection, counted)?);
        }
        Ok(counts)
    }

    /// Writes table `row_counts`.
    pub(crate) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection.execute("DELETE FROM main.row_counts", [])?;
        let mut insert = connection
            .prepare("INSERT INTO main.row_counts (name, level, number) VALUES (?, ?, ?)")?;
        for (table, tally) in &self.tallies {
            for (level, number) in tally {
                insert.execute(params![table, level, number.cast_signed()])?;
            }
        }
        Ok(())
    }

    /// Counts all rows and writes table `row_counts`.
    pub(crate) fn write_anew(connection: &Connection, schema: &Schema) -> rusqlite::Result<()> {
        Counts::count(connection, schema)?.write(connection)
    }
}

/// The number of a table's rows from table `row_counts`, if that is reliable.
#[must_use]
pub fn kept_rows(connection: &Connection, schema: &Schema, table: &str) -> Option<u64> {
    let kept = Counts::kept(connection, schema).ok().flatten();
    kept.map(|counts| counts.rows(table))
}

/// Counts the rows of a table.
fn tally(connection: &Connection, counted: &Counted) -> rusqlite::Result<Tally> {
    let table = counted.table;
    // With GROUP BY, SQLite would sort all rows.
    let sql = match counted.level {
        Some(level) => format!("SELECT {level}, 1 FROM {table}"),
        None => format!("SELECT NULL, count({}) FROM {table}", counted.what()),
    };
    let mut select = connection.prepare(&sql)?;
    let mut rows = select.query([])?;
    let mut tally = Tally::new();
    while let Some(row) = rows.next()? {
        let number = row.get::<_, i64>(1)?.unsigned_abs();
        if number > 0 {
            *tally.entry(row.get(0)?).or_default() += number;
        }
    }
    Ok(tally)
}

/// Whether the triggers exist that empty the table when another program writes.
fn are_watched(connection: &Connection, schema: &Schema) -> rusqlite::Result<bool> {
    let mut select = connection.prepare(
        "SELECT count(*) FROM main.sqlite_schema WHERE type = 'trigger' AND name = ? AND sql = 'CREATE TRIGGER ' || ?",
    )?;
    for (name, sql) in schema.triggers() {
        if select.query_row([name, sql], |row| row.get::<_, i64>(0))? != 1 {
            return Ok(false);
        }
    }
    Ok(true)
}

impl Store {
    /// The numbers of rows. If another program has written to the book since its last change by this crate, they have to be
    /// counted, which takes seconds in a large book.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`](crate::Error::Sqlite) if the database can't be read, and
    /// [`Error::Corrupt`](crate::Error::Corrupt) if rows have to be counted in a damaged
    /// database.
    pub fn counts(&self) -> Result<Counts> {
        let kept = Counts::kept(&self.connection, self.schema).map_err(self.failed("read"))?;
        if let Some(kept) = kept {
            return Ok(kept);
        }
        let mut transactions = self.read_transactions()?;
        let structure = transactions.check_structure();
        let counted = Counts::count(&transactions.first().connection, self.schema);
        // If the pages are damaged, that explains other errors.
        structure.end()?;
        counted.map_err(self.failed("read"))
    }
}

/// The function that the triggers of [`Counting`] call with the place of the table, the level, and 1 or −1.
const FUNCTION: &str = "obook_count";

/// Updates the counts during a transaction.
#[derive(Debug)]
pub(crate) struct Counting {
    /// Has the tables that are counted.
    schema: &'static Schema,
    /// The counts at the beginning, if they were reliable.
    said: Option<Counts>,
    /// Whether the schema's triggers are enabled, so that the table had to be emptied first: otherwise their work would look
    /// like a change by the user.
    emptied: bool,
    /// In the order of the counted tables.
    known: RefCell<Vec<Known>>,
    deltas: Arc<Mutex<Vec<Delta>>>,
}

/// The known counts of a table's rows.
#[derive(Clone, Debug)]
enum Known {
    /// These were there, and changes since are in the deltas.
    Before(Tally),
    /// They have to be counted.
    Nothing,
}

impl Counting {
    /// Begins to count what this connection changes, in the transaction that has just begun, if the schema keeps counts.
    pub(crate) fn begin(
        connection: &Connection,
        schema: &'static Schema,
    ) -> rusqlite::Result<Counting> {
        let tables = schema.counted().len();
        if tables == 0 {
            return Ok(Counting {
                schema,
                known: RefCell::default(),
                emptied: false,
                deltas: Arc::default(),
                said: None,
            });
        }
        let said = Counts::kept(connection, schema)?;
        let emptied =
            said.is_some() && connection.db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER)?;
        if emptied {
            connection.execute("DELETE FROM main.row_counts", [])?;
        }
        let deltas = Arc::new(Mutex::new(vec![Delta::new(); tables]));
        let sums = Arc::clone(&deltas);
        connection.create_scalar_function(
            FUNCTION,
            3,
            FunctionFlags::SQLITE_UTF8,
            move |context| {
                // Any SQL can call the function, and tables may hold anything.
                let table = context.get::<u8>(0)?;
                let level = match context.get_raw(1).data_type() {
                    Type::Integer => Some(context.get(1)?),
                    _ => None,
                };
                let more = context.get::<i8>(2)?;
                let mut sums = lock(&sums);
                let sum = sums.get_mut(usize::from(table));
                *sum.ok_or(rusqlite::Error::InvalidQuery)?
                    .entry(level)
                    .or_default() += i64::from(more);
                Ok(None::<i64>)
            },
        )?;
        let counting = Counting {
            schema,
            known: RefCell::new(vec![Known::Nothing; tables]),
            emptied,
            deltas,
            said,
        };
        if let Some(Counts { tallies }) = &counting.said {
            for counted in schema.counted() {
                let tally = tallies.get(counted.table).cloned().unwrap_or_default();
                counting.know(connection, counted.table, tally)?;
            }
        }
        Ok(counting)
    }

    /// The place of a table among those that are counted.
    fn place(&self, table: &str) -> Option<usize> {
        let mut counted = self.schema.counted().iter();
        counted.position(|counted| counted.table == table)
    }

    /// Forgets what is known about a table, before all its rows are deleted.
    pub(crate) fn forget(&self, connection: &Connection, table: &str) -> rusqlite::Result<()> {
        let Some(place) = self.place(table) else {
            return Ok(());
        };
        self.known.borrow_mut()[place] = Known::Nothing;
        stop(connection, &self.schema.counted()[place])
    }

    /// Sets the numbers of rows that a table has now.
    pub(crate) fn know(
        &self,
        connection: &Connection,
        table: &str,
        tally: Tally,
    ) -> rusqlite::Result<()> {
        let Some(place) = self.place(table) else {
            return Ok(());
        };
        let counted = &self.schema.counted()[place];
        stop(connection, counted)?;
        watch(connection, counted, place)?;
        lock(&self.deltas)[place].clear();
        self.known.borrow_mut()[place] = Known::Before(tally);
        Ok(())
    }

    /// Stops counting and writes table `row_counts`.
    pub(crate) fn finish(self, connection: &Connection) -> rusqlite::Result<()> {
        let schema = self.schema;
        if schema.counted().is_empty() {
            return Ok(());
        }
        stop_all(connection, schema)?;
        // Without the triggers, nothing would show that the counts are outdated.
        if !are_watched(connection, schema)? {
            return Ok(());
        }
        let deltas = lock(&self.deltas);
        let mut counts = Counts::default();
        let known = self.known.into_inner().into_iter().zip(&*deltas);
        for (counted, (known, delta)) in schema.counted().iter().zip(known) {
            let known = match known {
                Known::Before(tally) => sum(tally, delta),
                Known::Nothing => None,
            };
            let tally = known.map_or_else(|| tally(connection, counted), Ok)?;
            counts.set(counted.table, tally);
        }
        if self.emptied || self.said.as_ref() != Some(&counts) {
            counts.write(connection)?;
        }
        Ok(())
    }
}

/// Returns `None` if more rows disappeared than there were.
fn sum(mut tally: Tally, delta: &Delta) -> Option<Tally> {
    for (level, more) in delta {
        let rows = tally.entry(*level).or_default();
        *rows = rows.checked_add_signed(*more)?;
    }
    tally.retain(|_, rows| *rows > 0);
    Some(tally)
}

fn lock(deltas: &Mutex<Vec<Delta>>) -> MutexGuard<'_, Vec<Delta>> {
    deltas.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The events that change the counts of a table: event, condition, level of the row, and 1 or −1.
fn events(counted: &Counted) -> Vec<[String; 4]> {
    let level = |row: &str| match counted.level {
        Some(level) => format!("{row}.{level}"),
        None => "NULL".to_owned(),
    };
    let when = |row: &str| match counted.only {
        Some(only) => format!("WHEN {row}.{only} IS NOT NULL"),
        None => String::new(),
    };
    let event = |event: &str, when: String, row: &str, more: &str| {
        [event.to_owned(), when, level(row), more.to_owned()]
    };
    let mut events = vec![
        event("INSERT", when("NEW"), "NEW", "1"),
        event("DELETE", when("OLD"), "OLD", "-1"),
    ];
    if let Some(level) = counted.level {
        let update = format!("UPDATE OF {level}");
        let when = format!("WHEN OLD.{level} IS NOT NEW.{level}");
        events.push(event(&update, when.clone(), "OLD", "-1"));
        events.push(event(&update, when, "NEW", "1"));
    }
    if let Some(only) = counted.only {
        let update = format!("UPDATE OF {only}");
        for (less, more, by) in [("OLD", "NEW", "1"), ("NEW", "OLD", "-1")] {
            let when = format!("WHEN {less}.{only} IS NULL AND {more}.{only} IS NOT NULL");
            events.push(event(&update, when, more, by));
        }
    }
    events
}

/// The triggers that count rows of a table: their names and events.
fn named(counted: &Counted) -> impl Iterator<Item = (String, [String; 4])> {
    let (table, events) = (counted.table, events(counted).into_iter().enumerate());
    events.map(move |(number, event)| (format!("{FUNCTION}_{table}_{number}"), event))
}

fn watch(connection: &Connection, counted: &Counted, place: usize) -> rusqlite::Result<()> {
    named(counted).try_for_each(|(name, [event, when, level, more])| {
        connection.execute_batch(&format!(
            "CREATE TEMP TRIGGER {name} AFTER {event} ON main.{} {when}
             BEGIN SELECT {FUNCTION}({place}, {level}, {more}); END;",
            counted.table,
        ))
    })
}

fn stop(connection: &Connection, counted: &Counted) -> rusqlite::Result<()> {
    named(counted).try_for_each(|(name, _)| {
        connection.execute_batch(&format!("DROP TRIGGER IF EXISTS temp.{name}"))
    })
}

fn stop_all(connection: &Connection, schema: &Schema) -> rusqlite::Result<()> {
    let mut counted = schema.counted().iter();
    counted.try_for_each(|counted| stop(connection, counted))
}
