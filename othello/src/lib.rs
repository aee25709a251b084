//! Othello for opening books: boards as bit sets, moves and passes, the eight symmetries, the canonical board and
//! notation.
//!
//! This is the ground that the rest of obook stands on: it knows nothing of books or files, has no dependencies, does
//! no input or output, and has no unsafe code. Boards, moves, squares and sets are small `Copy` values, and the rules
//! take a few nanoseconds.
//!
//! | type | is |
//! | --- | --- |
//! | [`Square`], [`SquareSet`] | a1 to h8, and sets of them |
//! | [`Move`] | a disc on a square, or a pass |
//! | [`Board`] | a position, seen by the side to move; the rules |
//! | [`Symmetry`], [`CanonicalBoard`] | the eight ways to turn a board, and the one of them that is a book's key |
//! | [`Line`], [`Side`], [`Diagram`] | what people type and read |
//!
//! A [`Board`] is two 64-bit sets seen by the side to move: there is no colour. Squares are numbered as Edax does,
//! a1 = bit 0, b1 = 1, … h8 = 63:
//!
//! ```text
//!    A  B  C  D  E  F  G  H
//! 1  0  1  2  3  4  5  6  7
//! 2  8  9 10 11 12 13 14 15
//! …
//! 8 56 57 58 59 60 61 62 63
//! ```
//!
//! A book stores each position once, as a [`CanonicalBoard`]: the smallest of the eight boards that symmetry makes of
//! it. That is a type of its own, so a board that was not canonicalised can't be used as a key.
//!
//! ```
//! use obook_othello::{Board, Line};
//!
//! let line: Line = "f5d6c3".parse()?;
//! let board = line.board();
//! let (canonical, symmetry) = board.canonicalize();
//! assert_eq!(symmetry.board(board), canonical.board());
//! assert_eq!(Board::START.legal_moves().len(), 4);
//! # Ok::<(), obook_othello::LineError>(())
//! ```
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod bits;
mod board;
mod canonical;
mod line;
mod moves;
mod notation;
mod parents;
mod perft;
mod square;
mod square_set;
mod symmetry;
mod text;

pub use board::{Board, OverlapError, Side};
pub use canonical::CanonicalBoard;
pub use line::{Line, LineError};
pub use moves::{Move, ParseMoveError};
pub use parents::Parents;
pub use perft::perft;
pub use square::{ParseSquareError, Square};
pub use square_set::{SquareSet, Squares};
pub use symmetry::Symmetry;
pub use text::{Diagram, TextError};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
