//! SQLite's values as arguments: what they stand for is read by `obook-functions`.

use obook_functions::Value;
use rusqlite::types::ValueRef;

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
