//! Row counts: table `row_counts`, which every change updates, so that nobody has to count.
//!
//! If another program writes to the book, triggers of the schema empty the table, and the next change by this crate counts
//! again. If these triggers are missing, the table isn't reliable.

use crate::schema::Schema;
use crate::{Result, Store};
use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, params};
use std::collections::BTreeMap;

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
    /// The argument of SQL's function `count`.
    fn what(&self) -> &'static str {
        self.only.unwrap_or("*")
    }
}

/// Rows of one table by level, if they have one.
pub type Tally = BTreeMap<Option<i64>, u64>;

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
        match are_watched(connection, schema)? {
            true => Counts::read(connection, schema),
            false => Ok(None),
        }
    }

    /// The counts in table `row_counts`, if it has any.
    fn read(connection: &Connection, schema: &Schema) -> rusqlite::Result<Option<Counts>> {
        let mut select =
            connection.prepare_cached("SELECT name, level, number FROM main.row_counts")?;
        let mut rows = select.query([])?;
        let mut kept = None;
        while let Some(row) = rows.next()? {
            let name = row.get_ref(0)?.as_bytes()?;
            let mut counted = schema.counted.iter();
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
        for counted in schema.counted {
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
    pub(crate) fn count(connection: &Connection, schema: &Schema) -> rusqlite::Result<Counts> {
        let mut counts = Counts::default();
        for counted in schema.counted {
            counts.set(counted.table, tally(connection, counted)?);
        }
        Ok(counts)
    }

    /// Writes table `row_counts`.
    pub(crate) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection.execute("DELETE FROM main.row_counts", [])?;
        let mut insert = connection
            .prepare_cached("INSERT INTO main.row_counts (name, level, number) VALUES (?, ?, ?)")?;
        for (table, tally) in &self.tallies {
            for (level, number) in tally {
                insert.execute(params![table, level, number.cast_signed()])?;
            }
        }
        Ok(())
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

/// Whether the schema keeps counts, and the triggers exist that empty the table when another program writes.
pub(crate) fn are_watched(connection: &Connection, schema: &Schema) -> rusqlite::Result<bool> {
    if schema.counted.is_empty() {
        return Ok(false);
    }
    let mut select = connection.prepare_cached(
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
        if let Some(kept) = self.read(|it| Counts::kept(it, self.schema))? {
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

/// Follows the numbers of rows during a change, of which the log sees every row.
#[derive(Clone, Debug)]
pub(crate) struct Counting {
    /// Has the tables that are counted.
    schema: &'static Schema,
    /// The counts at the beginning, if they were reliable.
    said: Option<Counts>,
    /// Whether the schema's triggers are enabled, so that the table had to be emptied first: otherwise their work would look
    /// like a change by the user.
    emptied: bool,
    /// The rows that each of the counted tables has now; `None` if they have to be counted.
    known: Vec<Option<Tally>>,
}

/// The columns by which the rows of a table are counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CountedRow {
    /// The place of the table among those that are counted.
    table: usize,
    /// The places of the columns.
    level: Option<usize>,
    only: Option<usize>,
}

impl CountedRow {
    /// `None` if the table isn't counted.
    pub(crate) fn new(schema: &Schema, table: &str, columns: &[String]) -> Option<CountedRow> {
        let place = |name: Option<&str>| columns.iter().position(|it| name == Some(it));
        let mut counted = schema.counted.iter();
        let table = counted.position(|counted| counted.table == table)?;
        let counted = schema.counted[table];
        Some(CountedRow {
            table,
            level: place(counted.level),
            only: place(counted.only),
        })
    }
}

impl Counting {
    /// Begins to count in the transaction that has just begun. `watched`: whether the counts at the beginning are reliable.
    pub(crate) fn begin(
        connection: &Connection,
        schema: &'static Schema,
        watched: bool,
    ) -> rusqlite::Result<Counting> {
        let said = match watched {
            true => Counts::read(connection, schema)?,
            false => None,
        };
        let emptied =
            said.is_some() && connection.db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER)?;
        if emptied {
            connection.execute("DELETE FROM main.row_counts", [])?;
        }
        let known = |counted: &Counted| {
            let Counts { tallies } = said.as_ref()?;
            Some(tallies.get(counted.table).cloned().unwrap_or_default())
        };
        Ok(Counting {
            known: schema.counted.iter().map(known).collect(),
            schema,
            emptied,
            said,
        })
    }

    /// Takes note of a row that came (1) or went (−1).
    pub(crate) fn add<'v>(
        &mut self,
        row: CountedRow,
        cell: impl Fn(usize) -> ValueRef<'v>,
        more: i64,
    ) {
        let Some(tally) = &mut self.known[row.table] else {
            return;
        };
        if row.only.is_some_and(|only| cell(only) == ValueRef::Null) {
            return;
        }
        let level = row.level.and_then(|level| cell(level).as_i64().ok());
        let rows = tally.entry(level).or_default();
        match rows.checked_add_signed(more) {
            Some(more) => *rows = more,
            // More rows disappeared than there were.
            None => self.known[row.table] = None,
        }
    }

    /// The numbers of rows that a table has now; `None` if they have to be counted.
    pub(crate) fn known(&mut self, row: CountedRow) -> &mut Option<Tally> {
        &mut self.known[row.table]
    }

    /// Forgets all numbers of rows: some rows may have changed unseen.
    pub(crate) fn forget_all(&mut self) {
        self.known.fill(None);
    }

    /// Writes table `row_counts`. `watched`: whether something shows later that the counts are outdated.
    pub(crate) fn finish(self, connection: &Connection, watched: bool) -> rusqlite::Result<()> {
        if !watched {
            return Ok(());
        }
        let mut counts = Counts::default();
        for (counted, known) in self.schema.counted.iter().zip(self.known) {
            let mut tally = known.map_or_else(|| tally(connection, counted), Ok)?;
            tally.retain(|_, rows| *rows > 0);
            counts.set(counted.table, tally);
        }
        if self.emptied || self.said.as_ref() != Some(&counts) {
            counts.write(connection)?;
        }
        Ok(())
    }
}
