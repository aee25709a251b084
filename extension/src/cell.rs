//! A value on its way into SQL, without a detour through the heap.

use obook_othello::{CanonicalBoard, Move};
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use std::borrow::Cow;

/// What stands in a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Cell<'r> {
    Null,
    Number(i64),
    Text(Cow<'r, str>),
    Key([u8; 16]),
}

impl ToSql for Cell<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Cell::Null => ValueRef::Null,
            Cell::Number(number) => ValueRef::Integer(*number),
            Cell::Text(text) => ValueRef::Text(text.as_bytes()),
            Cell::Key(key) => ValueRef::Blob(key),
        }))
    }
}

impl<'r, T: Into<Cell<'r>>> From<Option<T>> for Cell<'r> {
    fn from(value: Option<T>) -> Cell<'r> {
        value.map_or(Cell::Null, Into::into)
    }
}

impl<'r> From<&'r str> for Cell<'r> {
    fn from(text: &'r str) -> Cell<'r> {
        Cell::Text(Cow::Borrowed(text))
    }
}

impl From<CanonicalBoard> for Cell<'_> {
    fn from(board: CanonicalBoard) -> Self {
        Cell::Key(board.to_key())
    }
}

/// The name of a move; its number is [`Move::code`].
impl From<Move> for Cell<'_> {
    fn from(mv: Move) -> Self {
        Cell::Text(Cow::Owned(mv.to_string()))
    }
}

/// Numbers of any width.
macro_rules! numbers {
    ($($number:ty),*) => {
        $(impl From<$number> for Cell<'_> {
            fn from(number: $number) -> Self {
                Cell::Number(number.into())
            }
        })*
    };
}

numbers!(i64, u32, i16, i8, u8);
