//! What a score is known to lie between.

use super::graph::{Edge, Score};

/// A lower and an upper bound, the same number if the score is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) lower: Score,
    pub(super) upper: Score,
}

impl Bounds {
    pub(super) const fn exactly(score: Score) -> Self {
        Self {
            lower: score,
            upper: score,
        }
    }

    /// Whatever a score can be that is not beyond a limit.
    pub(super) const fn within(limit: Score) -> Self {
        Self {
            lower: -limit,
            upper: limit,
        }
    }

    pub(super) fn score(self) -> Option<Score> {
        (self.lower == self.upper).then_some(self.lower)
    }

    /// The same in the other side's view.
    pub(super) const fn negated(self) -> Self {
        Self {
            lower: -self.upper,
            upper: -self.lower,
        }
    }

    /// What bounds of a child's score are worth in its parent.
    pub(super) const fn carried(self, edge: Edge) -> Self {
        if edge.flips { self.negated() } else { self }
    }

    /// The bounds of the better of two options.
    pub(super) fn best(self, other: Self) -> Self {
        Self {
            lower: self.lower.max(other.lower),
            upper: self.upper.max(other.upper),
        }
    }

    /// The narrowest bounds around both.
    pub(super) fn hull(self, other: Self) -> Self {
        Self {
            lower: self.lower.min(other.lower),
            upper: self.upper.max(other.upper),
        }
    }

    /// The narrowest bounds around these that are the same for both sides.
    pub(super) fn symmetric(self) -> Self {
        self.hull(self.negated())
    }
}
