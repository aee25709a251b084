//! Squares, their names, and sets of them.

use std::fmt;
use std::iter::FusedIterator;
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

/// A text isn't the name of a square.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.described("a square", "a letter a–h and a digit 1–8, such as f5"))]
pub struct ParseSquareError(Misread);

impl Square {
    /// The first square.
    pub(crate) const A1: Square = Square(0);

    /// Returns the square with this index, 0–63; `None` above that.
    #[must_use]
    pub const fn new(index: u8) -> Option<Square> {
        if index < 64 {
            Some(Square(index))
        } else {
            None
        }
    }

    /// The index: a1 = 0, b1 = 1, … h8 = 63.
    #[must_use]
    pub const fn index(self) -> u8 {
        self.0
    }

    /// The file, 0 (a) to 7 (h).
    #[must_use]
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// The rank, 0 (rank 1) to 7 (rank 8).
    #[must_use]
    pub const fn rank(self) -> u8 {
        self.0 >> 3
    }

    /// The set of just this square.
    #[must_use]
    pub const fn bit(self) -> u64 {
        1 << self.0
    }

    /// All squares, from a1 to h8.
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

    /// The square on this file, a letter in either case, and this rank, a digit.
    pub(crate) fn named(file: u8, rank: u8) -> Option<Square> {
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

    /// Parses a letter a–h, upper or lower case, and a digit 1–8.
    ///
    /// # Errors
    /// Returns [`ParseSquareError`] for anything else, with the square that was probably meant.
    fn from_str(text: &str) -> Result<Square, ParseSquareError> {
        Square::read(text).ok_or_else(|| ParseSquareError(Misread::new(text)))
    }
}

/// A text that couldn't be parsed, cut short, and the square that it resembles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misread {
    found: String,
    meant: Option<Square>,
}

impl Misread {
    /// The number of characters kept. Texts may come from hostile files.
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

    /// Says that the text isn't `wanted`, and what is meant or expected.
    pub(crate) fn described(&self, wanted: &str, expected: &str) -> String {
        let found = self.found.escape_debug();
        match self.meant {
            Some(square) => format!("“{found}” is not {wanted}: did you mean {square}?"),
            None => format!("“{found}” is not {wanted}: expected {expected}"),
        }
    }
}

/// A set of squares, bit 0 = a1 to bit 63 = h8. Iterates from a1 to h8.
///
/// ```
/// use obook_othello::{Board, SquareSet};
/// let moves = Board::START.legal_moves();
/// assert_eq!(moves.len(), 4);
/// assert!(moves.contains("f5".parse()?));
/// for square in moves {
///     assert!(Board::START.place(square).is_some());
/// }
/// let names: Vec<String> = moves.iter().map(|square| square.to_string()).collect();
/// assert_eq!(names, ["d3", "c4", "f5", "e6"]);
/// assert_eq!(moves.iter().rev().collect::<SquareSet>(), moves);
/// # Ok::<(), obook_othello::ParseSquareError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct SquareSet(pub u64);

impl SquareSet {
    /// Whether the set contains `square`.
    #[must_use]
    pub const fn contains(self, square: Square) -> bool {
        self.0 & square.bit() != 0
    }

    /// Whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number of squares, 0–64.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Iterates over the squares, a1 to h8. The set itself isn't an iterator because it's `Copy`: it would be easy to advance a
    /// copy by mistake.
    #[must_use]
    pub const fn iter(self) -> Squares {
        Squares(self.0)
    }
}

impl fmt::Display for SquareSet {
    /// Writes the names of the squares, with a space between them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.iter().map(|square| square.to_string()).collect();
        f.write_str(&names.join(" "))
    }
}

impl IntoIterator for SquareSet {
    type Item = Square;
    type IntoIter = Squares;

    fn into_iter(self) -> Squares {
        self.iter()
    }
}

impl FromIterator<Square> for SquareSet {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> SquareSet {
        SquareSet(squares.into_iter().fold(0, |set, s| set | s.bit()))
    }
}

/// An iterator over the squares of a [`SquareSet`], a1 to h8.
#[derive(Clone, Debug)]
pub struct Squares(u64);

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        let square = Square::new(self.0.trailing_zeros() as u8)?;
        self.0 &= self.0 - 1;
        Some(square)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count_ones() as usize;
        (count, Some(count))
    }
}

impl DoubleEndedIterator for Squares {
    fn next_back(&mut self) -> Option<Square> {
        let square = Square::new(63u32.wrapping_sub(self.0.leading_zeros()) as u8)?;
        self.0 ^= square.bit();
        Some(square)
    }
}

impl ExactSizeIterator for Squares {}

impl FusedIterator for Squares {}
