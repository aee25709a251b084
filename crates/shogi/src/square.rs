//! The 81 squares.

use std::fmt;
use std::str::FromStr;

/// A square: file 1 to 9 from the right, rank 1 to 9 from the top, as Black sees the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The number of squares.
    pub const COUNT: usize = 81;

    /// The square of a file and a rank, both from 1 to 9.
    #[must_use]
    pub const fn new(file: u8, rank: u8) -> Option<Self> {
        match (file, rank) {
            (1..=9, 1..=9) => Some(Self((file - 1) * 9 + rank - 1)),
            _ => None,
        }
    }

    /// The square with this number: 1a is 0, 1b is 1, 9i is 80.
    #[must_use]
    pub const fn from_index(index: u8) -> Option<Self> {
        if index < 81 { Some(Self(index)) } else { None }
    }

    /// The squares of a rank as they are drawn, from file 9 to file 1.
    pub fn of_rank(rank: u8) -> impl Iterator<Item = Self> {
        (1..=9).rev().filter_map(move |file| Self::new(file, rank))
    }

    /// All squares, by number.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        (0..81u8).map(Self)
    }

    /// The square's number.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The file, from 1 to 9.
    #[must_use]
    pub const fn file(self) -> u8 {
        self.0 / 9 + 1
    }

    /// The rank, from 1 to 9.
    #[must_use]
    pub const fn rank(self) -> u8 {
        self.0 % 9 + 1
    }

    /// The same square seen from the other side of the board.
    #[must_use]
    pub const fn turned(self) -> Self {
        Self(80 - self.0)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file(), char::from(b'a' + self.rank() - 1))
    }
}

/// A text is not a square.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("“{0}” is not a square; expected a file from 1 to 9 and a rank from a to i, such as 7g")]
pub struct ParseSquareError(String);

impl FromStr for Square {
    type Err = ParseSquareError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let square = match text.as_bytes() {
            &[file @ b'1'..=b'9', rank @ b'a'..=b'i'] => Self::new(file - b'0', rank - b'a' + 1),
            _ => None,
        };
        square.ok_or_else(|| ParseSquareError(crate::shown(text)))
    }
}
