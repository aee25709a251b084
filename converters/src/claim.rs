//! What a book of another program says of a position's value.

use obook_model::{Engine, Position, Proof};

/// The largest result.
pub(crate) const MOST: i16 = 64;
/// The level of an exact result.
pub(crate) const EXACT: u8 = 60;

/// What a book says of a position's value, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Claim {
    /// The result of best play.
    Exact(i16),
    /// Bounds of the result.
    Between(i16, i16),
    /// What a search or the positions below found.
    Searched(i16),
    /// What the book says of the positions below: it says nothing credible of this one.
    Below(i16),
    Nothing,
}

impl Claim {
    /// A win (`sign` is above 0), a draw or a loss for certain. Results are even, so a win counts at least 2.
    pub(crate) fn certain(sign: i16) -> Claim {
        match sign {
            0 => Claim::Exact(0),
            1.. => Claim::Between(2, MOST),
            _ => Claim::Between(-MOST, -2),
        }
    }

    /// The proven bounds.
    pub(crate) fn bounds(self) -> Option<(i16, i16)> {
        match self {
            Claim::Exact(value) => Some((value, value)),
            Claim::Between(lower, upper) => Some((lower, upper)),
            Claim::Searched(_) | Claim::Below(_) | Claim::Nothing => None,
        }
    }

    /// The best guess.
    pub(crate) fn value(self) -> Option<i16> {
        match self {
            Claim::Exact(value) | Claim::Searched(value) | Claim::Below(value) => Some(value),
            // The bound that is nearer to a draw.
            Claim::Between(lower, upper) => Some(if lower > 0 { lower } else { upper }),
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
