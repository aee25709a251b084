//! Sets of squares.

use crate::Square;
use std::iter::FusedIterator;

/// A set of squares, bit 0 = a1 to bit 63 = h8; goes from a1 to h8 in a `for`.
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
    /// Whether the set holds `square`.
    #[must_use]
    pub const fn contains(self, square: Square) -> bool {
        self.0 & square.bit() != 0
    }

    /// Whether the set holds nothing.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many squares the set holds, 0–64.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The squares, a1 to h8. The set itself is no iterator: it is `Copy`, and advancing a forgotten copy is a trap.
    #[must_use]
    pub const fn iter(self) -> Squares {
        Squares(self.0)
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

/// The squares of a [`SquareSet`], a1 to h8; made by [`SquareSet::iter`] and by `for`.
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
