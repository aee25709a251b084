//! Inserting many rows fast: several rows a statement, sorted by key.
//!
//! One `INSERT` of 32 rows costs about as much as six of one row: the statement's start and end, not its rows, are the
//! expensive part. Rows that come in key order fill the table's pages one after another.

use obook_othello::CanonicalBoard;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Statement, ToSql};

/// Rows a statement: beyond this the gain is lost in the noise.
const ROWS: usize = 32;

/// One value of a row. Copied into the statement only when it runs.
#[derive(Clone, Copy)]
pub(crate) enum Cell {
    Null,
    Integer(i64),
    Key([u8; 16]),
    Text(&'static str),
}

impl From<CanonicalBoard> for Cell {
    fn from(board: CanonicalBoard) -> Cell {
        Cell::Key(board.to_key())
    }
}

impl<T: Into<i64>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        value.map_or(Cell::Null, |value| Cell::Integer(value.into()))
    }
}

impl Cell {
    pub(super) fn value(&self) -> ValueRef<'_> {
        match self {
            Cell::Null => ValueRef::Null,
            Cell::Integer(value) => ValueRef::Integer(*value),
            Cell::Key(key) => ValueRef::Blob(key),
            Cell::Text(text) => ValueRef::Text(text.as_bytes()),
        }
    }
}

impl ToSql for Cell {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(self.value()))
    }
}

/// Collects rows for one table and writes them 32 at a time.
pub(crate) struct BulkInsert<'c, const COLUMNS: usize> {
    connection: &'c Connection,
    insert: &'static str,
    full: Statement<'c>,
    rows: Vec<[Cell; COLUMNS]>,
}

impl<'c, const COLUMNS: usize> BulkInsert<'c, COLUMNS> {
    /// `insert` is the statement up to the word `VALUES`, such as `INSERT INTO links (board, move, score)`.
    pub(crate) fn new(
        connection: &'c Connection,
        insert: &'static str,
    ) -> rusqlite::Result<BulkInsert<'c, COLUMNS>> {
        let full = connection.prepare(&statement::<COLUMNS>(insert, ROWS))?;
        Ok(BulkInsert {
            connection,
            insert,
            full,
            rows: Vec::with_capacity(ROWS),
        })
    }

    pub(crate) fn push(&mut self, row: [Cell; COLUMNS]) -> rusqlite::Result<()> {
        self.rows.push(row);
        if self.rows.len() == ROWS {
            run(&mut self.full, &self.rows)?;
            self.rows.clear();
        }
        Ok(())
    }

    /// Writes the rows that did not fill a statement.
    pub(crate) fn finish(self) -> rusqlite::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let sql = statement::<COLUMNS>(self.insert, self.rows.len());
        run(&mut self.connection.prepare(&sql)?, &self.rows)
    }
}

fn statement<const COLUMNS: usize>(insert: &str, rows: usize) -> String {
    let row = format!("({})", ["?"; COLUMNS].join(","));
    format!("{insert} VALUES {}", vec![row; rows].join(","))
}

fn run<const COLUMNS: usize>(
    statement: &mut Statement<'_>,
    rows: &[[Cell; COLUMNS]],
) -> rusqlite::Result<()> {
    for (number, cell) in rows.iter().flatten().enumerate() {
        statement.raw_bind_parameter(number + 1, cell)?;
    }
    statement.raw_execute().map(drop)
}
