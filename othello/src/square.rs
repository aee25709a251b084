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
pub struct ParseSquareError(Misread);

impl Square {
    /// The first square.
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

    /// a1 = 0, b1 = 1, … h8 = 63.
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

    /// The square that `text` names.
    pub(crate) fn read(text: &str) -> Option<Square> {
        match *text.as_bytes() {
            [file, rank] => Square::named(file, rank),
            _ => None,
        }
    }

    fn named(file: u8, rank: u8) -> Option<Square> {
        match (file.to_ascii_lowercase(), rank) {
            (file @ b'a'..=b'h', b'1'..=b'8') => Some(Square((rank - b'1') * 8 + file - b'a')),
            _ => None,
        }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file()), self.rank() + 1)
    }
}

impl FromStr for Square {
    type Err = ParseSquareError;

    /// A letter a–h, upper or lower case, and a digit 1–8.
    ///
    /// # Errors
    /// [`ParseSquareError`] for anything else, with the square that was probably meant.
    fn from_str(text: &str) -> Result<Square, ParseSquareError> {
        Square::read(text).ok_or_else(|| ParseSquareError(Misread::new(text)))
    }
}

impl fmt::Display for ParseSquareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Misread { found, meant } = &self.0;
        write!(f, "“{}” is no square: ", found.escape_debug())?;
        match meant {
            Some(square) => write!(f, "did you mean {square}?"),
            None => f.write_str("expected a letter a–h and a digit 1–8, such as f5"),
        }
    }
}

impl std::error::Error for ParseSquareError {}

/// A text that could not be read, cut short, and the square that it looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misread {
    pub(crate) found: String,
    pub(crate) meant: Option<Square>,
}

impl Misread {
    /// Texts may come from hostile files: an error keeps no more than a person would read.
    const KEPT: usize = 16;

    pub(crate) fn new(text: &str) -> Misread {
        let mut found: String = text.chars().take(Misread::KEPT).collect();
        if found.len() < text.len() {
            found.push('…');
        }
        let meant = match *text.trim().as_bytes() {
            [file, rank] => Square::named(file, rank).or_else(|| Square::named(rank, file)),
            _ => None,
        };
        Misread { found, meant }
    }
}
