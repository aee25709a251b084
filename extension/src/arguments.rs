//! SQLite's values as arguments: what they stand for is read by `obook-functions`.

use crate::problem::{Problem, Result};
use obook_functions::{Given, Value, read_text};
use rusqlite::types::ValueRef;
use std::ops::RangeInclusive;

/// The same value without SQLite.
///
/// ```
/// use obook_extension::value;
/// use rusqlite::types::ValueRef;
/// assert_eq!(value(ValueRef::Integer(1)).to_string(), "the number 1");
/// ```
#[must_use]
pub const fn value(value: ValueRef<'_>) -> Value<'_> {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(text) => Value::Text(text),
        ValueRef::Blob(bytes) => Value::Blob(bytes),
    }
}

/// Reads a board.
pub(crate) fn given(board: ValueRef<'_>) -> Result<Given> {
    Ok(Given::read(value(board))?)
}

/// Reads a whole number in a range.
pub(crate) fn read_number<T: TryFrom<i64>>(
    number: ValueRef<'_>,
    what: &str,
    range: RangeInclusive<i64>,
) -> Result<T> {
    Ok(obook_functions::read_number(value(number), what, range)?)
}

/// Reads the name of an attached database.
pub(crate) fn schema_name(value: Option<ValueRef<'_>>) -> Result<Option<&str>> {
    match value {
        None => Ok(None),
        Some(ValueRef::Text(name)) => Ok(Some(read_text(name)?)),
        Some(_) => Err(Problem::new("expected the name of an attached database")),
    }
}

/// Describes a value for an error message.
pub(crate) fn described(found: ValueRef<'_>) -> String {
    value(found).to_string()
}
