//! When answers go into the book: often, so that little is lost where a run ends, and seldom enough to take little time.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

/// Taking in may last for one part in so many of the time.
const PART: u32 = 50;
/// However long it lasts, answers wait no longer.
const LONGEST: Duration = Duration::from_secs(30);
/// So many answers wait at most.
const MOST: usize = 1 << 12;

/// How much answers have to come together before they are taken in.
pub(crate) enum Pace {
    /// So many.
    Batches(NonZeroUsize),
    /// As many as come until then; those that come first at once, so that a book that can't be written ends the run early.
    Timed(Instant),
}

impl Pace {
    pub(crate) fn new(batch: Option<NonZeroUsize>) -> Pace {
        batch.map_or_else(|| Pace::Timed(Instant::now()), Pace::Batches)
    }

    /// When what waits is taken in, if it is a question of time.
    pub(crate) fn due(&self) -> Option<Instant> {
        match self {
            Pace::Batches(_) => None,
            Pace::Timed(due) => Some(*due),
        }
    }

    /// Whether so many answers are taken in now.
    pub(crate) fn is_due(&self, waiting: usize) -> bool {
        match self {
            Pace::Batches(size) => waiting >= size.get(),
            Pace::Timed(due) => waiting >= MOST || waiting > 0 && Instant::now() >= *due,
        }
    }

    /// Some were taken in, which lasted so long.
    pub(crate) fn taken_in(&mut self, lasted: Duration) {
        if let Pace::Timed(due) = self {
            *due = Instant::now() + lasted.saturating_mul(PART).min(LONGEST);
        }
    }
}
