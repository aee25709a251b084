//! A position's value in the words of another program's book.

use obook_othello::{Engine, NoLeaf, Position, Proof, final_leaf};

/// The largest result.
pub(crate) const MOST: i16 = 64;
/// The level of an exact result.
pub(crate) const EXACT: u8 = 60;

/// A statement of a book about a position's value, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Claim {
    /// The result of best play.
    Exact(i16),
    /// Bounds of the result, and the best guess.
    Between {
        lower: i16,
        upper: i16,
        value: i16,
    },
    /// Found by a search or from the positions below.
    Searched(i16),
    /// Known of the positions below; the book says nothing credible about this one.
    Below(i16),
    Nothing,
}

impl Claim {
    /// A win (`sign` is above 0), a draw or a loss for certain. Results are even, so a win counts at least 2. Of the possible
    /// values it is guessed to have the one nearest to `value`.
    pub(crate) fn certain(sign: i16, value: i16) -> Claim {
        let (lower, upper) = match sign {
            0 => return Claim::Exact(0),
            1.. => (2, MOST),
            _ => (-MOST, -2),
        };
        Claim::Between {
            lower,
            upper,
            value: value.clamp(lower, upper),
        }
    }

    /// The proven bounds.
    pub(crate) fn bounds(self) -> Option<(i16, i16)> {
        match self {
            Claim::Exact(value) => Some((value, value)),
            Claim::Between { lower, upper, .. } => Some((lower, upper)),
            Claim::Searched(_) | Claim::Below(_) | Claim::Nothing => None,
        }
    }

    /// The best guess.
    pub(crate) fn value(self) -> Option<i16> {
        match self {
            Claim::Exact(value)
            | Claim::Between { value, .. }
            | Claim::Searched(value)
            | Claim::Below(value) => Some(value),
            Claim::Nothing => None,
        }
    }

    /// Gives a position the value and the proof.
    pub(crate) fn enter(self, position: &mut Position, prover: Engine) {
        let proof = |(lower, upper)| Proof::new(lower as i8, upper as i8, prover);
        position.proof = self.bounds().and_then(proof);
        position.value = self.value();
    }
}

/// Gives a position without a searched move the result of the game if that is over, and otherwise the reason: all moves are in the book,
/// or none that leads out of it was searched; `None`: that isn't known.
pub(crate) fn without_searched_move(position: &mut Position, all_in_book: Option<bool>) {
    let board = position.board.board();
    if board.is_over() {
        position.set_leaf(final_leaf(board, Some(EXACT), position.engine));
    } else {
        position.no_leaf = all_in_book.map(|all_in_book| match all_in_book {
            true => NoLeaf::AllMovesInBook,
            false => NoLeaf::Undefined,
        });
    }
}
