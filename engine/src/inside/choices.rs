//! The moves of a position, the most promising first.

use arrayvec::ArrayVec;

/// No position has more moves: four squares are taken where there is one at all.
const MOST_MOVES: usize = 64;

/// A move, what it turns, and how good it looks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Choice {
    pub(crate) square: u8,
    pub(crate) flips: u64,
    pub(crate) promise: i32,
}

/// The moves of a position; the most promising is taken first.
pub(crate) struct Choices(ArrayVec<Choice, MOST_MOVES>);

impl Choices {
    #[inline(always)]
    pub(crate) fn new() -> Choices {
        Choices(ArrayVec::new())
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, choice: Choice) {
        self.0.push(choice);
    }

    /// The most promising of those that are left; of equals the one that was put in first.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<Choice> {
        let mut best = 0;
        for (at, choice) in self.0.iter().enumerate() {
            if choice.promise > self.0[best].promise {
                best = at;
            }
        }
        let choice = self.0.get_mut(best)?;
        let taken = *choice;
        choice.promise = i32::MIN;
        (taken.promise != i32::MIN).then_some(taken)
    }

    /// All of them, in the order in which they were put in.
    #[inline(always)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Choice> {
        self.0.iter()
    }
}
