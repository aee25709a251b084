//! Inserts rows: one at a time, or many quickly.
//!
//! One `INSERT` of 32 rows costs about as much as six of one row: most of the cost is the statement, not its rows. Rows in key
//! order fill the table's pages one after another.

use rusqlite::{Connection, Result, Statement, ToSql};

/// The number of rows per statement. More gain nothing measurable.
const ROWS: usize = 32;

/// Collects rows for one table and writes them 32 at a time.
#[derive(Debug)]
pub struct BulkInsert<'c, C> {
    connection: &'c Connection,
    /// The statement before and after its rows.
    around: [String; 2],
    /// The number of cells of a row.
    columns: usize,
    full: Statement<'c>,
    cells: Vec<C>,
}

impl<'c, C: ToSql> BulkInsert<'c, C> {
    /// For new rows of a table.
    ///
    /// # Errors
    /// Returns an error if SQLite can't prepare the statement.
    pub fn new(connection: &'c Connection, table: &str, columns: &[&str]) -> Result<Self> {
        let insert = insert_into("INSERT", table, columns);
        BulkInsert::around(connection, &insert, "", columns.len())
    }

    /// For a statement that has this before and after its rows, which have so many columns: `INSERT INTO … VALUES`, and what to do if a
    /// row is there already.
    ///
    /// # Errors
    /// Returns the same errors as [`BulkInsert::new`].
    pub fn around(
        connection: &'c Connection,
        insert: &str,
        conflict: &str,
        columns: usize,
    ) -> Result<Self> {
        let around = [insert, conflict].map(str::to_owned);
        Ok(BulkInsert {
            full: connection.prepare(&with_rows(&around, columns, ROWS))?,
            connection,
            around,
            columns,
            cells: Vec::with_capacity(ROWS * columns),
        })
    }

    /// Adds a row. It's written together with later ones.
    ///
    /// # Errors
    /// Returns an error if SQLite can't write the rows so far.
    pub fn push(&mut self, row: impl IntoIterator<Item = C>) -> Result<()> {
        self.cells.extend(row);
        if self.cells.len() == ROWS * self.columns {
            run(&mut self.full, &self.cells)?;
            self.cells.clear();
        }
        Ok(())
    }

    /// Writes the rows that didn't fill a statement.
    ///
    /// # Errors
    /// Returns an error if SQLite can't write them.
    pub fn finish(self) -> Result<()> {
        if self.cells.is_empty() {
            return Ok(());
        }
        let rows = self.cells.len() / self.columns;
        let sql = with_rows(&self.around, self.columns, rows);
        run(&mut self.connection.prepare(&sql)?, &self.cells)
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
    let sql = with_rows(&[insert, String::new()], COLUMNS, 1);
    let mut statement = connection.prepare_cached(&sql)?;
    run(&mut statement, &row)
}

fn insert_into(insert: &str, table: &str, columns: &[&str]) -> String {
    format!("{insert} INTO {table} ({}) VALUES", columns.join(", "))
}

fn with_rows([insert, conflict]: &[String; 2], columns: usize, rows: usize) -> String {
    let row = format!("({})", vec!["?"; columns].join(","));
    format!("{insert} {} {conflict}", vec![row; rows].join(","))
}

fn run(statement: &mut Statement<'_>, cells: &[impl ToSql]) -> Result<()> {
    for (number, cell) in cells.iter().enumerate() {
        statement.raw_bind_parameter(number + 1, cell)?;
    }
    statement.raw_execute().map(drop)
}
