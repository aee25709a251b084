//! What can be wrong with the record of one game.

use crate::Score;
use obook_othello::{LineError, Side};
use std::fmt;

/// Something that is wrong with a record. The game is there all the same, as far as it is legal.
///
/// ```
/// use obook_games::{Fault, Reader};
/// let entry = Reader::new(&b"f5f5"[..], None)?.next().unwrap()?;
/// assert_eq!(entry.game.line().to_string(), "f5");
/// assert!(matches!(entry.faults[0], Fault::Illegal(_)));
/// assert_eq!(entry.faults[0].to_string(), "move 2, f5, is not legal after f5: legal moves are f4 d6 f6");
/// # Ok::<(), obook_games::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// A move that is not legal where it stands. Nothing after it is read.
    Illegal(LineError),
    /// Something that is no move stands where one should. Nothing after it is read.
    NoMove {
        /// Which move it would be, from 1, passes counted.
        number: usize,
        /// What stands there, cut short.
        found: String,
        /// What should.
        expected: &'static str,
    },
    /// A move is said to be of the side whose turn it is not. Nothing after it is read.
    Side {
        /// Which move, from 1, passes counted.
        number: usize,
        /// Whose it is said to be.
        said: Side,
    },
    /// The result is not what the discs at the end say.
    Score {
        /// The record's.
        said: Score,
        /// The discs'.
        discs: Score,
    },
    /// The moves stop although somebody could move, and the record does not say why.
    EndsEarly {
        /// How many moves there are, passes counted.
        moves: usize,
        /// How many squares are empty then.
        empties: u32,
    },
    /// A field that can't be read, or has a value that none can have; it counts as missing.
    Field {
        /// Its name, as the format has it.
        name: &'static str,
        /// What stands there, cut short.
        found: String,
        /// What should.
        expected: &'static str,
    },
    /// The start position can't be read, so no move is.
    Board {
        /// What stands there, cut short.
        found: String,
    },
    /// There is more wrong with it than what is told.
    More,
}

impl Fault {
    /// How many characters of a text a fault keeps: records may come from hostile files.
    const KEPT: usize = 40;
    /// How many faults of one game are told.
    pub(crate) const MOST: usize = 16;

    /// A field that can't be read.
    pub(crate) fn field(name: &'static str, found: &str, expected: &'static str) -> Fault {
        Fault::Field {
            name,
            found: Fault::cut(found),
            expected,
        }
    }

    /// As much of a text as a fault keeps.
    pub(crate) fn cut(text: &str) -> String {
        let mut cut: String = text.chars().take(Fault::KEPT).collect();
        if cut.len() < text.len() {
            cut.push('…');
        }
        cut
    }

    /// Which move it is about, from 1, passes counted; `None` where it is about the record as a whole.
    #[must_use]
    pub fn number(&self) -> Option<usize> {
        match self {
            Fault::Illegal(LineError::Illegal { number, .. })
            | Fault::NoMove { number, .. }
            | Fault::Side { number, .. } => Some(*number),
            Fault::EndsEarly { moves, .. } => Some(*moves),
            _ => None,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Illegal(error) => error.fmt(f),
            Fault::NoMove {
                number,
                found,
                expected,
            } => write!(
                f,
                "move {number} is “{}”: expected {expected}",
                found.escape_debug()
            ),
            Fault::Side { number, said } => write!(
                f,
                "move {number} is said to be {}'s: it is {}'s turn",
                name(*said),
                name(said.other())
            ),
            Fault::Score { said, discs } => write!(
                f,
                "the result is said to be {said}: the discs at the end say {discs}"
            ),
            Fault::EndsEarly { moves, empties } => write!(
                f,
                "the game ends after {moves} moves with {empties} empty squares, although somebody could move"
            ),
            Fault::Field {
                name,
                found,
                expected,
            } => write!(
                f,
                "{name} is “{}”: expected {expected}",
                found.escape_debug()
            ),
            Fault::Board { found } => write!(
                f,
                "the start position is “{}”: expected 64 squares of *, O and -, and the side to move; no move was read",
                found.escape_debug()
            ),
            Fault::More => write!(f, "more is wrong with it: {} faults are told", Fault::MOST),
        }
    }
}

/// A side as people call it.
const fn name(side: Side) -> &'static str {
    match side {
        Side::Black => "black",
        Side::White => "white",
    }
}

impl std::error::Error for Fault {}
