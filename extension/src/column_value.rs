//! A value on its way into SQL, without a detour through the heap.
//!
//! What a table with arguments gives may be any text, which [`obook_rows::Cell`] need not hold: rows of a book are keys and
//! numbers.

use obook_othello::{CanonicalBoard, Move};
use obook_rows::Cell;
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use std::borrow::Cow;

/// What stands in a column.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum ColumnValue<'r> {
    Null,
    Number(i64),
    Fraction(f64),
    Text(Cow<'r, str>),
    Key([u8; 16]),
}

impl ToSql for ColumnValue<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            ColumnValue::Null => ValueRef::Null,
            ColumnValue::Number(number) => ValueRef::Integer(*number),
            ColumnValue::Fraction(number) => ValueRef::Real(*number),
            ColumnValue::Text(text) => ValueRef::Text(text.as_bytes()),
            ColumnValue::Key(key) => ValueRef::Blob(key),
        }))
    }
}

impl From<Cell> for ColumnValue<'_> {
    fn from(cell: Cell) -> Self {
        match cell {
            Cell::Null => ColumnValue::Null,
            Cell::Integer(number) => ColumnValue::Number(number),
            Cell::Key(key) => ColumnValue::Key(key),
            Cell::Text(text) => text.into(),
        }
    }
}

impl<'r, T: Into<ColumnValue<'r>>> From<Option<T>> for ColumnValue<'r> {
    fn from(value: Option<T>) -> ColumnValue<'r> {
        value.map_or(ColumnValue::Null, Into::into)
    }
}

impl From<f64> for ColumnValue<'_> {
    fn from(number: f64) -> Self {
        ColumnValue::Fraction(number)
    }
}

impl<'r> From<&'r str> for ColumnValue<'r> {
    fn from(text: &'r str) -> ColumnValue<'r> {
        ColumnValue::Text(Cow::Borrowed(text))
    }
}

impl From<CanonicalBoard> for ColumnValue<'_> {
    fn from(board: CanonicalBoard) -> Self {
        ColumnValue::Key(board.to_key())
    }
}

/// The name of a move; its number is [`Move::code`].
impl From<Move> for ColumnValue<'_> {
    fn from(mv: Move) -> Self {
        ColumnValue::Text(Cow::Owned(mv.to_string()))
    }
}

/// Numbers of any width.
macro_rules! numbers {
    ($($number:ty),*) => {
        $(impl From<$number> for ColumnValue<'_> {
            fn from(number: $number) -> Self {
                ColumnValue::Number(number.into())
            }
        })*
    };
}

numbers!(i64, u32, i16, i8, u8);
