//! The results of functions and tables.

use std::borrow::Cow;

/// The type of a column, or of a function's answers. Any of them may also be NULL.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum ColumnType {
    /// Integers.
    Integer,
    /// Floating-point numbers.
    Real,
    /// Texts.
    Text,
    /// Keys of positions.
    Key,
}

/// The answer of a function, or the value of a column.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer<'a> {
    /// NULL.
    Null,
    /// An integer; for a truth value 0 or 1.
    Integer(i64),
    /// A floating-point number.
    Real(f64),
    /// A text.
    Text(Cow<'a, str>),
    /// The key of a position.
    Key([u8; 16]),
    /// Other bytes.
    Bytes(&'a [u8]),
}

impl Answer<'_> {
    /// The number, if it's an integer.
    #[must_use]
    pub const fn number(&self) -> Option<i64> {
        match self {
            Answer::Integer(number) => Some(*number),
            _ => None,
        }
    }
}

/// Converts numbers of any width, and truth values.
macro_rules! integers {
    ($($integer:ty),*) => {
        $(impl From<$integer> for Answer<'_> {
            fn from(number: $integer) -> Self {
                Answer::Integer(number.into())
            }
        })*
    };
}

integers!(bool, i64, i32, u32, i16, u16, i8, u8);

impl From<f64> for Answer<'_> {
    fn from(number: f64) -> Self {
        Answer::Real(number)
    }
}

impl From<String> for Answer<'_> {
    fn from(text: String) -> Self {
        Answer::Text(Cow::Owned(text))
    }
}

impl<'a> From<&'a str> for Answer<'a> {
    fn from(text: &'a str) -> Answer<'a> {
        Answer::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<&'a [u8]> for Answer<'a> {
    fn from(bytes: &'a [u8]) -> Answer<'a> {
        Answer::Bytes(bytes)
    }
}

impl From<[u8; 16]> for Answer<'_> {
    fn from(key: [u8; 16]) -> Self {
        Answer::Key(key)
    }
}

impl<'a, T: Into<Answer<'a>>> From<Option<T>> for Answer<'a> {
    fn from(value: Option<T>) -> Answer<'a> {
        value.map_or(Answer::Null, Into::into)
    }
}
