//! Errors in the record of one game.

use crate::Score;
use obook_othello::{LineError, Side};

/// An error in the record of a game. The game is still read, up to the first illegal move.
///
/// ```
/// use obook_games::{Fault, Reader};
/// let entry = Reader::new(&b"f5f5"[..], None, None)?.next().unwrap()?;
/// assert_eq!(entry.game.line().to_string(), "f5");
/// assert!(matches!(entry.faults[0], Fault::Illegal(_)));
/// assert_eq!(entry.faults[0].to_string(), "move 2, f5, is not legal after f5: legal moves are f4 d6 f6");
/// # Ok::<(), obook_games::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// An illegal move. Nothing after it is read.
    #[error("{0}")]
    Illegal(LineError),
    /// Something other than a move where a move should be. Nothing after it is read.
    #[error("move {number} is “{}”: expected {expected}", found.escape_debug())]
    NoMove {
        /// The number of the move, from 1, with passes counted.
        number: usize,
        /// The text found, shortened.
        found: String,
        /// The expected form.
        expected: &'static str,
    },
    /// A move attributed to the side that is not to move. Nothing after it is read.
    #[error("move {number} is given to {}, but it is {}'s turn", said.name(), said.other().name())]
    Side {
        /// The number of the move, from 1, with passes counted.
        number: usize,
        /// The side given by the record.
        said: Side,
    },
    /// The result contradicts the discs at the end.
    #[error("the result is given as {said}, but the discs make it {discs}")]
    Score {
        /// The result given by the record.
        said: Score,
        /// The result by the discs.
        discs: Score,
    },
    /// The moves stop before the end of the game, but the record has a result, and gives no reason.
    #[error(
        "the game stops after {moves} moves, with {empties} empty squares, although there is a legal move"
    )]
    EndsEarly {
        /// The number of moves, with passes counted.
        moves: usize,
        /// The number of empty squares at that point.
        empties: u32,
    },
    /// A field that can't be read or has an impossible value. It counts as missing.
    #[error("{name} is “{}”: expected {expected}", found.escape_debug())]
    Field {
        /// The name of the field in the format.
        name: &'static str,
        /// The text found, shortened.
        found: String,
        /// The expected form.
        expected: &'static str,
    },
    /// A start position that can't be read. The moves are not read either.
    #[error("the start position is “{}”: expected 64 squares of *, O and -, and the side to move; no moves were read", found.escape_debug())]
    Board {
        /// The text found, shortened.
        found: String,
    },
    /// There are more faults, which are not listed.
    #[error("more faults, not listed; the limit is {}", Fault::MOST)]
    More,
}

impl Fault {
    /// The number of characters of a text that a fault keeps. Files may be hostile.
    const KEPT: usize = 40;
    /// The number of faults listed for one game.
    pub(crate) const MOST: usize = 16;

    /// A fault for a field that can't be read.
    pub(crate) fn field(name: &'static str, found: &str, expected: &'static str) -> Fault {
        Fault::Field {
            name,
            found: Fault::cut(found),
            expected,
        }
    }

    /// A fault for a start position that can't be read.
    pub(crate) fn board(found: &str) -> Fault {
        let found = Fault::cut(found);
        Fault::Board { found }
    }

    /// Shortens a text to what a fault keeps.
    pub(crate) fn cut(text: &str) -> String {
        let mut cut: String = text.chars().take(Fault::KEPT).collect();
        if cut.len() < text.len() {
            cut.push('…');
        }
        cut
    }

    /// Whether nothing after it is read: it is in a move or in the start position.
    #[must_use]
    pub const fn stops(&self) -> bool {
        match self {
            Fault::Illegal(_) | Fault::NoMove { .. } | Fault::Side { .. } | Fault::Board { .. } => {
                true
            }
            Fault::Score { .. } | Fault::EndsEarly { .. } | Fault::Field { .. } | Fault::More => {
                false
            }
        }
    }

    /// The number of the move with the fault, from 1, with passes counted, or `None` if the fault is not about a move.
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
