//! Row counts: table `row_counts`, which every change updates, so that nobody has to count.
//!
//! If another program writes to the book, triggers of the schema empty the table, and the next change by this crate counts
//! again. If these triggers are missing, the table isn't reliable.

use crate::schema::{OTHELLO, Schema};
use crate::{Result, Store};
use obook_rows::Table;
use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::Type;
use rusqlite::{Connection, params};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Rows of one table by level. Links and leaves have none here, and leaves without a move don't count.
pub type Tally = BTreeMap<Option<i64>, u64>;

/// The numbers of rows in a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct RowCounts {
    /// Rows of `positions`.
    pub positions: u64,
    /// Rows of `links`.
    pub links: u64,
    /// Rows of `leaves` with a move.
    pub leaves: u64,
}

/// How the numbers of rows changed, by level.
type Delta = BTreeMap<Option<i64>, i64>;

/// The numbers of rows in a book, by level. They include rows that make no sense or belong to no position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// In the order of [`Table::ALL`].
    tallies: [Tally; 3],
}

impl Counts {
    /// The numbers of rows, by table.
    #[must_use]
    pub fn rows(&self) -> RowCounts {
        let [positions, links, leaves] = self.tallies.each_ref().map(|tally| {
            tally
                .values()
                .fold(0, |sum: u64, rows| sum.saturating_add(*rows))
        });
        RowCounts {
            positions,
            links,
            leaves,
        }
    }

    /// The numbers of positions, by level. Positions without a level are left out.
    pub fn levels(&self) -> impl Iterator<Item = (i64, u64)> + '_ {
        let levels = self.tallies[Table::Positions as usize].iter();
        levels.filter_map(|(level, rows)| Some(((*level)?, *rows)))
    }

    /// Sets the counts of one table.
    pub fn set(&mut self, table: Table, tally: Tally) {
        self.tallies[table as usize] = tally;
    }

    /// The counts in table `row_counts`, if they are reliable.
    fn kept(connection: &Connection) -> rusqlite::Result<Option<Counts>> {
        if !are_watched(connection)? {
            return Ok(None);
        }
        let mut select = connection.prepare("SELECT name, level, number FROM main.row_counts")?;
        let mut rows = select.query([])?;
        let mut kept = None;
        while let Some(row) = rows.next()? {
            let name = row.get_ref(0)?.as_bytes()?;
            let table = Table::ALL
                .into_iter()
                .find(|table| table.name().as_bytes() == name);
            let (Some(table), Ok(number)) = (table, u64::try_from(row.get::<_, i64>(2)?)) else {
                return Ok(None);
            };
            let Counts { tallies } = kept.get_or_insert_default();
            tallies[table as usize].insert(row.get(1)?, number);
        }
        Ok(kept)
    }

    /// Whether the tables have as many rows as table `row_counts` says; false if that isn't reliable.
    pub(crate) fn agree(connection: &Connection) -> rusqlite::Result<bool> {
        let Some(kept) = Counts::kept(connection)? else {
            return Ok(false);
        };
        let sql = "SELECT (SELECT count(*) FROM main.positions), (SELECT count(*) FROM main.links),
                          (SELECT count(move) FROM main.leaves)";
        let found = connection.query_row(sql, [], |row| {
            let number =
                |column| Ok::<_, rusqlite::Error>(row.get::<_, i64>(column)?.cast_unsigned());
            Ok(RowCounts {
                positions: number(0)?,
                links: number(1)?,
                leaves: number(2)?,
            })
        })?;
        Ok(found == kept.rows())
    }

    /// Counts all rows.
    fn count(connection: &Connection) -> rusqlite::Result<Counts> {
        let mut counts = Counts::default();
        for table in Table::ALL {
            counts.set(table, tally(connection, table)?);
        }
        Ok(counts)
    }

    /// Writes table `row_counts`.
    pub(crate) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection.execute("DELETE FROM main.row_counts", [])?;
        let mut insert = connection
            .prepare("INSERT INTO main.row_counts (name, level, number) VALUES (?, ?, ?)")?;
        for (table, tally) in Table::ALL.iter().zip(&self.tallies) {
            for (level, number) in tally {
                insert.execute(params![table.name(), level, number.cast_signed()])?;
            }
        }
        Ok(())
    }

    /// Counts all rows and writes table `row_counts`.
    pub(crate) fn write_anew(connection: &Connection) -> rusqlite::Result<()> {
        Counts::count(connection)?.write(connection)
    }
}

/// The number of positions from table `row_counts`, if that is reliable.
#[must_use]
pub fn kept_positions(connection: &Connection) -> Option<u64> {
    let kept = Counts::kept(connection).ok().flatten();
    kept.map(|counts| counts.rows().positions)
}

/// Counts the rows of a table.
fn tally(connection: &Connection, table: Table) -> rusqlite::Result<Tally> {
    // With GROUP BY, SQLite would sort all rows.
    let sql = match table {
        Table::Positions => "SELECT level, 1 FROM positions",
        Table::Links => "SELECT NULL, count(*) FROM links",
        Table::Leaves => "SELECT NULL, count(move) FROM leaves",
    };
    let mut select = connection.prepare(sql)?;
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
fn are_watched(connection: &Connection) -> rusqlite::Result<bool> {
    let mut select = connection.prepare(
        "SELECT count(*) FROM main.sqlite_schema WHERE type = 'trigger' AND name = ? AND sql = 'CREATE TRIGGER ' || ?",
    )?;
    for (name, sql) in OTHELLO.triggers() {
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
        let kept = Counts::kept(&self.connection).map_err(self.failed("read"))?;
        if let Some(kept) = kept {
            return Ok(kept);
        }
        let mut transactions = self.read_transactions()?;
        let structure = transactions.check_structure();
        let counted = Counts::count(&transactions.first().connection);
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
    /// Whether the schema has the table.
    is_kept: bool,
    /// The counts at the beginning, if they were reliable.
    said: Option<Counts>,
    /// Whether the schema's triggers are enabled, so that the table had to be emptied first: otherwise their work would look
    /// like a change by the user.
    emptied: bool,
    /// In the order of [`Table::ALL`].
    known: RefCell<[Known; 3]>,
    deltas: Arc<Mutex<[Delta; 3]>>,
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
    pub(crate) fn begin(connection: &Connection, schema: &Schema) -> rusqlite::Result<Counting> {
        if !schema.keeps_counts() {
            return Ok(Counting {
                is_kept: false,
                known: RefCell::new([const { Known::Nothing }; 3]),
                emptied: false,
                deltas: Arc::default(),
                said: None,
            });
        }
        let said = Counts::kept(connection)?;
        let emptied =
            said.is_some() && connection.db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER)?;
        if emptied {
            connection.execute("DELETE FROM main.row_counts", [])?;
        }
        let deltas: Arc<Mutex<[Delta; 3]>> = Arc::default();
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
            is_kept: true,
            known: RefCell::new([const { Known::Nothing }; 3]),
            emptied,
            deltas,
            said,
        };
        if let Some(Counts { tallies }) = &counting.said {
            for (table, tally) in Table::ALL.into_iter().zip(tallies) {
                counting.know(connection, table, tally.clone())?;
            }
        }
        Ok(counting)
    }

    /// Forgets what is known about a table, before all its rows are deleted.
    pub(crate) fn forget(&self, connection: &Connection, table: Table) -> rusqlite::Result<()> {
        self.known.borrow_mut()[table as usize] = Known::Nothing;
        stop(connection, table)
    }

    /// Sets the numbers of rows that a table has now.
    pub(crate) fn know(
        &self,
        connection: &Connection,
        table: Table,
        tally: Tally,
    ) -> rusqlite::Result<()> {
        stop(connection, table)?;
        watch(connection, table)?;
        lock(&self.deltas)[table as usize].clear();
        self.known.borrow_mut()[table as usize] = Known::Before(tally);
        Ok(())
    }

    /// Stops counting and writes table `row_counts`.
    pub(crate) fn finish(self, connection: &Connection) -> rusqlite::Result<()> {
        if !self.is_kept {
            return Ok(());
        }
        stop_all(connection)?;
        // Without the triggers, nothing would show that the counts are outdated.
        if !are_watched(connection)? {
            return Ok(());
        }
        let deltas = lock(&self.deltas);
        let mut counts = Counts::default();
        for (table, known) in Table::ALL.into_iter().zip(self.known.into_inner()) {
            let counted = match known {
                Known::Before(tally) => sum(tally, &deltas[table as usize]),
                Known::Nothing => None,
            };
            let tally = counted.map_or_else(|| tally(connection, table), Ok)?;
            counts.set(table, tally);
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

fn lock(deltas: &Mutex<[Delta; 3]>) -> MutexGuard<'_, [Delta; 3]> {
    deltas.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The events that change the counts of a table: event, condition, level of the row, and 1 or −1.
const fn events(table: Table) -> &'static [[&'static str; 4]] {
    match table {
        Table::Positions => &[
            ["INSERT", "", "NEW.level", "1"],
            ["DELETE", "", "OLD.level", "-1"],
            [
                "UPDATE OF level",
                "WHEN OLD.level IS NOT NEW.level",
                "OLD.level",
                "-1",
            ],
            [
                "UPDATE OF level",
                "WHEN OLD.level IS NOT NEW.level",
                "NEW.level",
                "1",
            ],
        ],
        Table::Links => &[["INSERT", "", "NULL", "1"], ["DELETE", "", "NULL", "-1"]],
        Table::Leaves => &[
            ["INSERT", "WHEN NEW.move IS NOT NULL", "NULL", "1"],
            ["DELETE", "WHEN OLD.move IS NOT NULL", "NULL", "-1"],
            [
                "UPDATE OF move",
                "WHEN OLD.move IS NULL AND NEW.move IS NOT NULL",
                "NULL",
                "1",
            ],
            [
                "UPDATE OF move",
                "WHEN OLD.move IS NOT NULL AND NEW.move IS NULL",
                "NULL",
                "-1",
            ],
        ],
    }
}

/// The triggers that count rows of a table: their names and events.
fn named(table: Table) -> impl Iterator<Item = (String, &'static [&'static str; 4])> {
    let events = events(table).iter().enumerate();
    events.map(move |(number, event)| (format!("{FUNCTION}_{}_{number}", table.name()), event))
}

fn watch(connection: &Connection, table: Table) -> rusqlite::Result<()> {
    named(table).try_for_each(|(name, [event, when, level, more])| {
        connection.execute_batch(&format!(
            "CREATE TEMP TRIGGER {name} AFTER {event} ON main.{} {when}
             BEGIN SELECT {FUNCTION}({}, {level}, {more}); END;",
            table.name(),
            table as usize,
        ))
    })
}

fn stop(connection: &Connection, table: Table) -> rusqlite::Result<()> {
    named(table).try_for_each(|(name, _)| {
        connection.execute_batch(&format!("DROP TRIGGER IF EXISTS temp.{name}"))
    })
}

fn stop_all(connection: &Connection) -> rusqlite::Result<()> {
    let mut tables = Table::ALL.into_iter();
    tables.try_for_each(|table| stop(connection, table))
}
