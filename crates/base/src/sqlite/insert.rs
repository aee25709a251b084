//! Inserts rows: one at a time, or many quickly.
//!
//! One `INSERT` of 32 rows costs about as much as six of one row: most of the cost is the statement, not its rows. Rows in key
//! order fill the table's pages one after another.

use rusqlite::{Connection, Result, Statement, ToSql};

/// The number of rows per statement. More gain nothing measurable.
const ROWS: usize = 32;

/// Collects rows for one table and writes them 32 at a time.
#[derive(Debug)]
pub struct BulkInsert<'c, const COLUMNS: usize, C> {
    connection: &'c Connection,
    /// The statement before and after its rows.
    around: [String; 2],
    full: Statement<'c>,
    rows: Vec<[C; COLUMNS]>,
}

impl<'c, const COLUMNS: usize, C: ToSql> BulkInsert<'c, COLUMNS, C> {
    /// For new rows of a table.
    ///
    /// # Errors
    /// Returns an error if SQLite can't prepare the statement.
    pub fn new(connection: &'c Connection, table: &str, columns: &[&str]) -> Result<Self> {
        BulkInsert::around(connection, &insert_into("INSERT", table, columns), "")
    }

    /// For a statement that has this before and after its rows: `INSERT INTO … VALUES`, and what to do if a row is there already.
    ///
    /// # Errors
    /// Returns the same errors as [`BulkInsert::new`].
    pub fn around(connection: &'c Connection, insert: &str, conflict: &str) -> Result<Self> {
        let around = [insert, conflict].map(str::to_owned);
        let full = connection.prepare(&with_rows::<COLUMNS>(&around, ROWS))?;
        Ok(BulkInsert {
            connection,
            around,
            full,
            rows: Vec::with_capacity(ROWS),
        })
    }

    /// Adds a row. It's written together with later ones.
    ///
    /// # Errors
    /// Returns an error if SQLite can't write the rows so far.
    pub fn push(&mut self, row: [C; COLUMNS]) -> Result<()> {
        self.rows.push(row);
        if self.rows.len() == ROWS {
            run(&mut self.full, &self.rows)?;
            self.rows.clear();
        }
        Ok(())
    }

    /// Writes the rows that didn't fill a statement.
    ///
    /// # Errors
    /// Returns an error if SQLite can't write them.
    pub fn finish(self) -> Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let sql = with_rows::<COLUMNS>(&self.around, self.rows.len());
        run(&mut self.connection.prepare(&sql)?, &self.rows)
    }
}

/// Writes one row of a table, replacing the one with the same key.
///
/// # Errors
/// Returns an error if SQLite can't write it.
pub fn put<const COLUMNS: usize>(
    connection: &Connection,
    table: &str,
    columns: &[&str],
    row: [impl ToSql; COLUMNS],
) -> Result<()> {
    let insert = insert_into("INSERT OR REPLACE", table, columns);
    let sql = with_rows::<COLUMNS>(&[insert, String::new()], 1);
    let mut statement = connection.prepare_cached(&sql)?;
    run(&mut statement, &[row])
}

fn insert_into(insert: &str, table: &str, columns: &[&str]) -> String {
    format!("{insert} INTO {table} ({}) VALUES", columns.join(", "))
}

fn with_rows<const COLUMNS: usize>([insert, conflict]: &[String; 2], rows: usize) -> String {
    let row = format!("({})", ["?"; COLUMNS].join(","));
    format!("{insert} {} {conflict}", vec![row; rows].join(","))
}

fn run<const COLUMNS: usize>(
    statement: &mut Statement<'_>,
    rows: &[[impl ToSql; COLUMNS]],
) -> Result<()> {
    for (number, cell) in rows.iter().flatten().enumerate() {
        statement.raw_bind_parameter(number + 1, cell)?;
    }
    statement.raw_execute().map(drop)
}
