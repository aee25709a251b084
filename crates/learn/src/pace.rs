//! When answers go into the book: often enough to lose little if the run ends, and seldom enough to take little time.

use crate::search::Clock;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

/// Taking in may last one part in this many of the time.
const PART: u32 = 50;
/// Answers wait no longer than this, however long taking in lasts.
const LONGEST: Duration = Duration::from_secs(30);
/// No more answers than this wait.
const MOST: usize = 1 << 12;

/// When answers that wait are taken in.
pub(crate) enum Pace {
    /// When there are this many.
    Batches(NonZeroUsize),
    /// At this time; the first ones at once, so that a book that can't be written ends the run early.
    Timed(Instant, Clock),
}

impl Pace {
    pub(crate) fn new(batch: Option<NonZeroUsize>, clock: &Clock) -> Pace {
        let timed = || Pace::Timed(clock.now(), clock.clone());
        batch.map_or_else(timed, Pace::Batches)
    }

    /// The time at which they are, if it is a question of time.
    pub(crate) fn due(&self) -> Option<Instant> {
        match self {
            Pace::Batches(_) => None,
            Pace::Timed(due, _) => Some(*due),
        }
    }

    /// Whether this many answers are taken in now.
    pub(crate) fn is_due(&self, waiting: usize) -> bool {
        match self {
            Pace::Batches(size) => waiting >= size.get(),
            Pace::Timed(due, clock) => waiting >= MOST || waiting > 0 && clock.now() >= *due,
        }
    }

    /// Some were taken in, which took this long.
    pub(crate) fn taken_in(&mut self, lasted: Duration) {
        if let Pace::Timed(due, clock) = self {
            *due = clock.now() + lasted.saturating_mul(PART).min(LONGEST);
        }
    }
}
