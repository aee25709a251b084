//! The squares and their names.

use std::fmt;
use std::str::FromStr;

/// One of the 64 squares, numbered a1 = 0, b1 = 1, … h8 = 63.
///
/// ```
/// use obook_othello::Square;
/// let f5: Square = "F5".parse()?;
/// assert_eq!((f5.index(), f5.file(), f5.rank()), (37, 5, 4));
/// assert_eq!(f5.to_string(), "f5");
/// # Ok::<(), obook_othello::ParseSquareError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square(u8);

/// A text that names no square.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseSquareError(pub(crate) String);

impl Square {
    /// The corner where squares begin.
    pub(crate) const A1: Square = Square(0);

    /// The square with this index, 0–63; `None` beyond.
    #[must_use]
    pub const fn new(index: u8) -> Option<Square> {
        if index < 64 {
            Some(Square(index))
        } else {
            None
        }
    }

    /// 0–63.
    #[must_use]
    pub const fn index(self) -> u8 {
        self.0
    }

    /// 0 (a) to 7 (h).
    #[must_use]
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// 0 (rank 1) to 7 (rank 8).
    #[must_use]
    pub const fn rank(self) -> u8 {
        self.0 >> 3
    }

    /// The set that holds this square alone.
    #[must_use]
    pub const fn bit(self) -> u64 {
        1 << self.0
    }

    /// All squares, a1 to h8.
    pub fn all() -> impl Iterator<Item = Square> {
        (0..64).map(Square)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file()), self.rank() + 1)
    }
}

impl FromStr for Square {
    type Err = ParseSquareError;

    fn from_str(text: &str) -> Result<Square, ParseSquareError> {
        match text.as_bytes() {
            [file, rank @ b'1'..=b'8'] if (b'a'..=b'h').contains(&file.to_ascii_lowercase()) => {
                Ok(Square((rank - b'1') * 8 + file.to_ascii_lowercase() - b'a'))
            }
            _ => Err(ParseSquareError(text.to_owned())),
        }
    }
}

impl fmt::Display for ParseSquareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "“{}” is no square: expected a letter a–h and a digit 1–8, such as f5",
            self.0
        )
    }
}

impl std::error::Error for ParseSquareError {}
