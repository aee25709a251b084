//! Squares as WTHOR numbers them.

use obook_othello::Square;

/// 10 × row + column, both from 1: f5 is 56. `None` for any other number.
#[inline]
pub(super) const fn square(code: u8) -> Option<Square> {
    let (row, column) = (code / 10, code % 10);
    match (row, column) {
        (1..=8, 1..=8) => Square::new((row - 1) * 8 + column - 1),
        _ => None,
    }
}

/// The number of a square.
pub(super) const fn code(square: Square) -> u8 {
    10 * (square.rank() + 1) + square.file() + 1
}
