//! Proven bounds.

use crate::Engine;
use std::fmt;

/// Proven bounds of a position's value, in discs for the side to move. They hold for all play, whatever a book says.
///
/// At least one bound is better than the ±64 that hold anyway.
///
/// ```
/// use obook_othello::{Engine, Proof};
/// let proof = Proof::new(0, 64, Engine::Takizawa).unwrap();
/// assert_eq!((proof.clamp(-2), proof.clamp(6)), (0, 6));
/// assert_eq!(proof.to_string(), "at least +0 (takizawa)");
/// assert_eq!(Proof::new(-64, 64, Engine::Takizawa), None, "nothing is proven");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Proof {
    lower: i8,
    upper: i8,
    prover: Engine,
}

/// The largest score.
const MOST: i8 = 64;

impl Proof {
    /// The proof that the value is from `lower` to `upper`. `None` unless the bounds are scores in this order and rule something out.
    #[must_use]
    pub fn new(lower: i8, upper: i8, prover: Engine) -> Option<Proof> {
        let proves = -MOST <= lower && lower <= upper && upper <= MOST;
        let is_trivial = lower == -MOST && upper == MOST;
        (proves && !is_trivial).then_some(Proof {
            lower,
            upper,
            prover,
        })
    }

    /// The value is at least this.
    #[must_use]
    pub const fn lower(self) -> i8 {
        self.lower
    }

    /// The value is at most this.
    #[must_use]
    pub const fn upper(self) -> i8 {
        self.upper
    }

    /// The engine or author of the proof. [`Engine::Obook`] combines proofs of several positions or sources.
    #[must_use]
    pub const fn prover(self) -> Engine {
        self.prover
    }

    /// The same proof seen by the other side.
    #[must_use]
    pub fn turned(self) -> Proof {
        Proof {
            lower: -self.upper,
            upper: -self.lower,
            ..self
        }
    }

    /// The value, if it is proven.
    #[must_use]
    pub fn exact(self) -> Option<i8> {
        (self.lower == self.upper).then_some(self.lower)
    }

    /// The nearest value that is possible.
    #[must_use]
    pub fn clamp(self, value: i16) -> i16 {
        value.clamp(self.lower.into(), self.upper.into())
    }

    /// The bounds that follow from both proofs; `None` if they contradict each other.
    ///
    /// ```
    /// use obook_othello::{Engine, Proof};
    /// let proof = |lower, upper, prover| Proof::new(lower, upper, prover).unwrap();
    /// let one = proof(0, 64, Engine::Takizawa);
    /// assert_eq!(one.and(proof(2, 64, Engine::Zebra)), Some(proof(2, 64, Engine::Zebra)));
    /// assert_eq!(one.and(proof(-64, 4, Engine::Zebra)), Some(proof(0, 4, Engine::Obook)));
    /// assert_eq!(one.and(proof(-64, -2, Engine::Zebra)), None);
    /// ```
    #[must_use]
    pub fn and(self, other: Proof) -> Option<Proof> {
        let lower = self.lower.max(other.lower);
        let upper = self.upper.min(other.upper);
        // Of equals the one that needs no other comes first, then the one with the greater number.
        let both = [self, other].into_iter();
        let found = both.filter(|it| (it.lower, it.upper) == (lower, upper));
        let provers = found.map(|it| it.prover);
        let prover = provers.max_by_key(|it| (*it != Engine::Obook, *it));
        Proof::new(lower, upper, prover.unwrap_or(Engine::Obook))
    }

    /// The bounds that follow from those proofs that there are, in any order. If they contradict each other, the one with the higher
    /// bounds counts.
    ///
    /// ```
    /// use obook_othello::{Engine, Proof};
    /// let [low, high] = [(-64, -2), (0, 64)].map(|(lower, upper)| Proof::new(lower, upper, Engine::Zebra));
    /// assert_eq!([Proof::together(low, high), Proof::together(high, low)], [high, high]);
    /// assert_eq!([Proof::together(low, None), Proof::together(None, low)], [low, low]);
    /// ```
    #[must_use]
    pub fn together(one: Option<Proof>, other: Option<Proof>) -> Option<Proof> {
        one.into_iter().chain(other).reduce(|one, other| {
            let higher = if one.lower > other.lower { one } else { other };
            one.and(other).unwrap_or(higher)
        })
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.lower, self.upper) {
            (lower, upper) if lower == upper => write!(f, "{lower:+}")?,
            (lower, upper) if lower == -MOST => write!(f, "at most {upper:+}")?,
            (lower, upper) if upper == MOST => write!(f, "at least {lower:+}")?,
            (lower, upper) => write!(f, "{lower:+} to {upper:+}")?,
        }
        write!(f, " ({})", self.prover)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn proof() -> impl Strategy<Value = Proof> {
        let prover = prop::sample::select(&Engine::ALL[..]);
        (-MOST..=MOST, -MOST..=MOST, prover)
            .prop_filter_map("it says nothing", |(lower, upper, prover)| {
                Proof::new(lower, upper, prover)
            })
    }

    proptest! {
        /// Exactly the values that both allow are left, whatever the order.
        #[test]
        fn proofs_together_are_the_intersection(one in proof(), two in proof(), three in proof()) {
            let both = one.and(two);
            prop_assert_eq!(both, two.and(one));
            prop_assert_eq!(one.and(one), Some(one));
            for value in -i16::from(MOST)..=i16::from(MOST) {
                let allows = |proof: Proof| proof.clamp(value) == value;
                prop_assert_eq!(both.is_some_and(allows), allows(one) && allows(two));
            }
            if let (Some(first), Some(last)) = (both, two.and(three)) {
                prop_assert_eq!(first.and(three), one.and(last));
            }
        }
    }
}
