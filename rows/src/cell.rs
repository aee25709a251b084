//! What stands in a column, on its way into the database.

use obook_othello::CanonicalBoard;
use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, ValueRef};

/// One value of a row. Copied into the statement only when it runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    /// Nothing is known.
    Null,
    /// A number.
    Integer(i64),
    /// The key of a position.
    Key([u8; 16]),
    /// One of a few words.
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
    /// The number, if it is one.
    #[must_use]
    pub const fn number(&self) -> Option<i64> {
        match self {
            Cell::Integer(number) => Some(*number),
            Cell::Null | Cell::Key(_) | Cell::Text(_) => None,
        }
    }

    /// The value as SQLite sees it.
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
