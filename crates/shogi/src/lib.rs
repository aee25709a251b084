#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod apery;
mod best_first;
mod board;
mod book;
#[cfg(feature = "database")]
pub mod database;
pub mod db;
mod diagram;
mod draws;
pub mod effects;
mod fingerprint;
pub mod fit;
pub mod games;
pub mod gikou;
mod hashed;
mod kif;
mod moves;
mod packed;
mod piece;
mod positions;
mod repetition;
mod rules;
pub mod sbk;
mod scores;
pub mod search;
mod sfen;
mod square;
pub mod ybb;

pub use best_first::{LONGEST_MATE, Scope, Wanted};
pub use board::{Board, BoardError};
pub use book::{At, Book, BookMove, Comment, Dropped, Entry, Fault, FilePlace, Read, ReadError};
pub use diagram::{Diagram, Pieces};
pub use draws::Draws;
pub use kif::Kif;
pub use moves::{Move, ParseMoveError};
pub use packed::{Packed, PackedError};
pub use piece::{Colour, Hand, Piece, PieceType};
pub use repetition::Repetition;
pub use rules::perft;
pub use scores::{ENDLESS, MATE, OwnScores};
pub use sfen::Sfen;
pub use square::{ParseSquareError, Square};

/// The beginning of a text, for an error.
fn shown(text: &str) -> String {
    let beginning: String = text.chars().take(40).collect();
    beginning.escape_debug().to_string()
}
