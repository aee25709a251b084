//! Othello for opening books: boards as bit sets, moves and passes, the eight symmetries, the canonical board and
//! notation.
//!
//! Internal to obook: it may change in any version. Programs use [obook](https://docs.rs/obook) or
//! [obook-converters](https://docs.rs/obook-converters), which follow semantic versioning.
//!
//! The rest of obook builds on this crate. It does no input or output, knows no format of files, and contains no unsafe code. Boards, moves, squares and sets are small `Copy` values, and the rules take a few
//! nanoseconds.
//!
//! | type | meaning |
//! | --- | --- |
//! | [`Square`], [`SquareSet`] | a1 to h8, and sets of them |
//! | [`Move`] | a disc on a square, or a pass |
//! | [`Board`] | a position from the point of view of the side to move; the rules |
//! | [`Symmetry`], [`CanonicalBoard`] | the eight symmetries of the board, and the board that serves as a book's key |
//! | [`Line`], [`Side`], [`Diagram`] | input and output for people |
//! | [`Position`], [`Link`], [`Leaf`] | what a book knows of a board |
//! | [`Engine`], [`levels`] | whose scale a level is on, and what it means |
//! | [`RuleSet`], [`MoveRule`] | how a book's numbers are computed, and how a move of it is chosen |
//!
//! A [`Board`] is two 64-bit sets, one for the side to move and one for the other side, without colours. Squares are
//! numbered as in Edax: a1 = bit 0, b1 = 1, … h8 = 63.
//!
//! ```text
//!    A  B  C  D  E  F  G  H
//! 1  0  1  2  3  4  5  6  7
//! 2  8  9 10 11 12 13 14 15
//! …
//! 8 56 57 58 59 60 61 62 63
//! ```
//!
//! A book stores each position once, as a [`CanonicalBoard`]: the smallest of its eight mirror images. This is a separate
//! type, so a board that wasn't canonicalised can't be used as a key.
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
mod model;
mod moves;
mod parents;
mod square;
mod symmetry;
mod text;

#[doc(hidden)]
pub use bits::rays;
pub use board::{Board, OverlapError, Side, perft};
pub use canonical::CanonicalBoard;
pub use line::{Line, LineError};
pub use model::{
    Bounds, Chance, Engine, EngineError, Forecast, Goal, Leaf, Link, Links, Lost, MoveRule,
    NUMBERS, NoLeaf, Number, OutOfRange, Outcomes, PERSON_LEVEL, ParseRuleError, Place, PlaceError,
    Position, Proof, RuleSet, final_leaf, is_entered, levels, set_numbers,
};
pub use moves::{Move, ParseMoveError};
pub use square::{ParseSquareError, Square, SquareSet, Squares};
pub use symmetry::Symmetry;
pub use text::{Diagram, TextError};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
