//! A move: a disc on a square, or a pass.

use crate::Square;
use crate::square::Misread;
use std::fmt;
use std::str::FromStr;

/// A move: placing a disc, or passing because there's no legal square.
///
/// ```
/// use obook_othello::Move;
/// let pass: Move = "pa".parse()?;
/// assert_eq!(pass, Move::Pass);
/// assert_eq!(pass.code(), 64);
/// assert_eq!("D6".parse::<Move>()?.to_string(), "d6");
/// # Ok::<(), obook_othello::ParseMoveError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Move {
    /// A disc on this square.
    Place(Square),
    /// A pass: the other side moves again.
    Pass,
}

/// A text isn't a move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.described("a move", "a square such as f5, or pa for a pass"))]
pub struct ParseMoveError(pub(crate) Misread);

impl Move {
    /// The number used in books and the database: 0–63 for a square, 64 for a pass.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Move::Place(square) => square.index(),
            Move::Pass => 64,
        }
    }

    /// The square of the disc; `None` for a pass.
    #[must_use]
    pub const fn square(self) -> Option<Square> {
        match self {
            Move::Place(square) => Some(square),
            Move::Pass => None,
        }
    }

    /// Returns the move with this number; `None` above 64.
    #[must_use]
    pub const fn from_code(code: u8) -> Option<Move> {
        match Square::new(code) {
            Some(square) => Some(Move::Place(square)),
            None if code == 64 => Some(Move::Pass),
            None => None,
        }
    }
}

impl From<Square> for Move {
    fn from(square: Square) -> Move {
        Move::Place(square)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Place(square) => square.fmt(f),
            Move::Pass => f.write_str("pa"),
        }
    }
}

impl FromStr for Move {
    type Err = ParseMoveError;

    /// Parses a square such as `f5`, or a pass: `pa`, `pass`, `ps` or `--`, in any case.
    ///
    /// # Errors
    /// Returns [`ParseMoveError`] for anything else, with the square that was probably meant.
    fn from_str(text: &str) -> Result<Move, ParseMoveError> {
        let mut passes = ["pa", "pass", "ps", "--"].iter();
        match Square::read(text) {
            Some(square) => Ok(Move::Place(square)),
            None if passes.any(|pass| text.eq_ignore_ascii_case(pass)) => Ok(Move::Pass),
            None => Err(ParseMoveError(Misread::new(text))),
        }
    }
}
