//! WTHOR: the archive of tournament games published by the French federation, with a file for each year.
//!
//! Each file has a header of 16 bytes and records of a fixed size: games of 68 bytes in `.wtb`, names of players of 20 bytes in
//! `.jou`, and names of tournaments of 26 bytes in `.trn`. Numbers are little-endian, names in Latin-1.

mod header;
mod names;
mod reader;
mod writer;

pub use header::Header;
pub use names::{List, ListKind, Names, Numbers};
pub use reader::Reader;
pub use writer::Writer;

pub(crate) use header::{is_games, names_of};
pub(crate) use names::names_beside;

use obook_othello::Square;

/// The size of a game in bytes.
const GAME: usize = 68;
/// The name of an unknown player or tournament.
const UNKNOWN: &str = "???";

/// The square with this code, 10 × row + column, both from 1. Returns `None` for any other number.
#[inline]
const fn square(code: u8) -> Option<Square> {
    match (code / 10, code % 10) {
        (row @ 1..=8, column @ 1..=8) => Square::new((row - 1) * 8 + column - 1),
        _ => None,
    }
}

/// The code of a square.
const fn code(square: Square) -> u8 {
    10 * (square.rank() + 1) + square.file() + 1
}
