#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod board;
mod moves;
mod packed;
mod piece;
mod rules;
mod sfen;
mod square;

pub use board::{Board, BoardError};
pub use moves::{Move, ParseMoveError};
pub use packed::{Packed, PackedError};
pub use piece::{Colour, Hand, Kind, Piece};
pub use rules::perft;
pub use sfen::{Sfen, SfenError};
pub use square::{ParseSquareError, Square};

/// The beginning of a text, for an error.
fn excerpt(text: &str) -> String {
    text.chars().take(40).collect()
}
