//! Values and arguments of calls.

use super::{Problem, Result};
use std::fmt;

/// A value in SQL.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value<'v> {
    /// NULL.
    Null,
    /// An integer.
    Integer(i64),
    /// A floating-point number.
    Real(f64),
    /// A text, which need not be UTF-8.
    Text(&'v [u8]),
    /// Bytes.
    Blob(&'v [u8]),
}

/// The arguments of a call.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'a>(pub &'a [Value<'a>]);

impl<'a> Arguments<'a> {
    /// An argument.
    ///
    /// # Panics
    /// If there are fewer.
    #[must_use]
    pub fn value(&self, index: usize) -> Value<'a> {
        self.0[index]
    }

    /// An argument that may be left out; NULL leaves it out too.
    #[must_use]
    pub fn optional(&self, index: usize) -> Option<Value<'a>> {
        let value = self.0.get(index).copied();
        value.filter(|value| *value != Value::Null)
    }
}

/// The maximum length of a text that stands for a board, a move or a name, in bytes.
const LONGEST_TEXT: usize = 4096;
/// The number of characters of a text that an error message shows.
const SHOWN: usize = 64;

/// Reads a text, if it isn't too long: SQL functions must not take long.
///
/// # Errors
/// If it is too long or not UTF-8.
pub fn read_text(text: &[u8]) -> Result<&str> {
    if text.len() > LONGEST_TEXT {
        let length = text.len();
        return Err(Problem::new(format!(
            "a text of {length} bytes; the maximum is {LONGEST_TEXT}"
        )));
    }
    std::str::from_utf8(text).map_err(Problem::new)
}

/// Reads a whole number in a range; `what` names it in the error.
///
/// # Errors
/// If the value is not a number, or is outside the range.
pub fn read_number<T: TryFrom<i64>>(
    value: Value<'_>,
    what: &str,
    range: std::ops::RangeInclusive<i64>,
) -> Result<T> {
    let number = match value {
        Value::Integer(number) if range.contains(&number) => T::try_from(number).ok(),
        _ => None,
    };
    number.ok_or_else(|| {
        let (least, most) = (range.start(), range.end());
        Problem::expected(&format!("{what} from {least} to {most}"), value)
    })
}

/// Describes the value for an error message.
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("NULL"),
            Value::Integer(number) => write!(f, "the number {number}"),
            // With a point, unlike the integer that was expected.
            Value::Real(number) => write!(f, "the number {number:?}"),
            Value::Text(text) => {
                let start = String::from_utf8_lossy(&text[..text.len().min(4 * SHOWN)]);
                let shown: String = start.chars().take(SHOWN).collect();
                let rest = if shown.len() < text.len() { "…" } else { "" };
                write!(f, "“{}{rest}”", shown.escape_debug())
            }
            Value::Blob(blob) => write!(f, "a blob of {} bytes", blob.len()),
        }
    }
}
