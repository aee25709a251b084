//! What a score is known to lie between.

use crate::graph::{Edge, Score};

/// A lower and an upper bound, the same number if the score is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) lower: Score,
    pub(crate) upper: Score,
}

impl Bounds {
    pub(crate) const fn exactly(score: Score) -> Self {
        Self {
            lower: score,
            upper: score,
        }
    }

    /// Whatever a score can be that is not beyond a limit.
    pub(crate) const fn within(limit: Score) -> Self {
        Self {
            lower: -limit,
            upper: limit,
        }
    }

    pub(crate) fn score(self) -> Option<Score> {
        (self.lower == self.upper).then_some(self.lower)
    }

    /// The same in the other side's view.
    pub(crate) const fn negated(self) -> Self {
        Self {
            lower: -self.upper,
            upper: -self.lower,
        }
    }

    /// What bounds of a child's score are worth in its parent.
    pub(crate) const fn carried(self, edge: Edge) -> Self {
        if edge.flips { self.negated() } else { self }
    }

    /// The bounds of the better of two options.
    pub(crate) fn best(self, other: Self) -> Self {
        Self {
            lower: self.lower.max(other.lower),
            upper: self.upper.max(other.upper),
        }
    }

    /// The narrowest bounds around both.
    pub(crate) fn hull(self, other: Self) -> Self {
        Self {
            lower: self.lower.min(other.lower),
            upper: self.upper.max(other.upper),
        }
    }

    /// The narrowest bounds around these that are the same for both sides.
    pub(crate) fn symmetric(self) -> Self {
        self.hull(self.negated())
    }
}
