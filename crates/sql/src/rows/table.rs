//! The tables, their columns, and the values in them.

use crate::rows::encode;
use obook_othello::CanonicalBoard;
use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, ValueRef};

/// A table with rows of positions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Table {
    /// One row per position, with its numbers.
    Positions,
    /// One row per link.
    Links,
    /// One row per leaf.
    Leaves,
}

/// A table's name, in the attached database `schema` or the first one found if there's no name.
pub(crate) fn qualified(schema: Option<&str>, table: &str) -> String {
    match schema {
        Some(schema) => format!("\"{}\".{table}", schema.replace('"', "\"\"")),
        None => table.to_owned(),
    }
}

/// The columns of table `positions`.
const POSITION: [&str; encode::POSITION.len()] = {
    let mut names = [""; encode::POSITION.len()];
    let mut place = 0;
    while place < names.len() {
        names[place] = encode::POSITION[place].0;
        place += 1;
    }
    names
};

impl Table {
    /// All tables.
    pub const ALL: [Table; 3] = [Table::Positions, Table::Links, Table::Leaves];

    /// The table's name in the database.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Table::Positions => "positions",
            Table::Links => "links",
            Table::Leaves => "leaves",
        }
    }

    /// The table's columns, in the order in which rows are read and written. The first is the position's key.
    #[must_use]
    pub const fn columns(self) -> &'static [&'static str] {
        match self {
            Table::Positions => &POSITION,
            Table::Links => &["board", "move", "score"],
            Table::Leaves => &["board", "move", "score", "level", "engine"],
        }
    }

    /// A `SELECT` of all columns, up to the table's name.
    pub(crate) fn select(self, schema: Option<&str>) -> String {
        let table = qualified(schema, self.name());
        format!("SELECT {} FROM {table}", self.columns().join(", "))
    }

    /// The columns that rows are sorted by.
    pub(crate) const fn order(self) -> &'static str {
        match self {
            Table::Links => "board, move",
            Table::Positions | Table::Leaves => "board",
        }
    }
}

/// A value to write. It's copied into the statement only when that runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    /// Unknown.
    Null,
    /// A number.
    Integer(i64),
    /// A position's key.
    Key([u8; 16]),
    /// A fixed word.
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
    /// The number, if it's a number.
    #[must_use]
    pub const fn number(&self) -> Option<i64> {
        match self {
            Cell::Integer(number) => Some(*number),
            Cell::Null | Cell::Key(_) | Cell::Text(_) => None,
        }
    }

    /// The value for SQLite.
    #[must_use]
    pub fn value(&self) -> ValueRef<'_> {
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
