//! WTHOR: the base of tournament games that the French federation publishes, a file for each year.
//!
//! Numbers are little-endian. A header of 16 bytes begins each file; then come records of fixed size: games of 68 bytes in
//! `.wtb`, names of players in 20 and of tournaments in 26 bytes, Latin-1, in `.jou` and `.trn`.

mod header;
mod names;
mod reader;
mod writer;

pub use header::Header;
pub use names::{Kind, List, Names};
pub use reader::Reader;
pub use writer::Writer;

pub(crate) use header::{is_games, names_of};
pub(crate) use names::names_beside;

use obook_othello::Square;

/// Bytes of a game.
const GAME: usize = 68;
/// What stands in a list of names for somebody who is not known.
const UNKNOWN: &str = "???";

/// 10 × row + column, both from 1: f5 is 56. `None` for any other number.
#[inline]
const fn square(code: u8) -> Option<Square> {
    let (row, column) = (code / 10, code % 10);
    match (row, column) {
        (1..=8, 1..=8) => Square::new((row - 1) * 8 + column - 1),
        _ => None,
    }
}

/// The number of a square.
const fn code(square: Square) -> u8 {
    10 * (square.rank() + 1) + square.file() + 1
}
