//! Telling those who wait what is being done and how far it is.
//!
//! The library reports steps and counts; who shows them, and how, is the caller's business.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many items pass at most before a meter is told of them.
const STRIDE: u64 = 1 << 12;
/// In how many parts at least a step of known length is told.
const PARTS: u64 = 64;

/// Shows what is being done and how far it is.
pub trait Meter: Send + Sync {
    /// The next step begins: `doing` names it, `total` says how many items it has, if that is known.
    fn step(&self, doing: &'static str, total: Option<u64>);

    /// So many more items of the step are done. Called for thousands of items at once where there are many, from any thread.
    fn advance(&self, items: u64);

    /// What is known so far, in few words that take the place of those before.
    fn note(&self, _words: &str) {}
}

/// What a long operation tells of itself.
///
/// ```
/// use obook_graph::{Meter, Progress};
/// use std::sync::{Arc, Mutex};
///
/// struct Log(Arc<Mutex<Vec<String>>>);
/// impl Meter for Log {
///     fn step(&self, doing: &'static str, total: Option<u64>) {
///         self.0.lock().unwrap().push(format!("{doing} {total:?}"));
///     }
///     fn advance(&self, items: u64) {
///         self.0.lock().unwrap().push(format!("{items} more"));
///     }
/// }
///
/// let log = Arc::default();
/// let progress = Progress::shown_by(Log(Arc::clone(&log)));
/// progress.step("reading", Some(5000));
/// progress.advance(5000);
/// assert_eq!(*log.lock().unwrap(), ["reading Some(5000)", "5000 more"]);
/// ```
pub struct Progress {
    meter: Option<Box<dyn Meter>>,
    /// Items done of which the meter does not know yet.
    pending: AtomicU64,
    /// How many of them it is told of at once.
    stride: AtomicU64,
}

impl Default for Progress {
    /// Shows nothing.
    fn default() -> Progress {
        Progress {
            meter: None,
            pending: AtomicU64::new(0),
            stride: AtomicU64::new(STRIDE),
        }
    }
}

impl Progress {
    /// Shows nothing.
    #[must_use]
    pub fn hidden() -> Progress {
        Progress::default()
    }

    /// Tells this meter.
    #[must_use]
    pub fn shown_by(meter: impl Meter + 'static) -> Progress {
        Progress {
            meter: Some(Box::new(meter)),
            ..Progress::default()
        }
    }

    /// Starts the next step: `doing` names it, `total` says how many items it has, if that is known.
    pub fn step(&self, doing: &'static str, total: Option<u64>) {
        self.pending.store(0, Ordering::Relaxed);
        let stride = total.map_or(STRIDE, |total| (total / PARTS).clamp(1, STRIDE));
        self.stride.store(stride, Ordering::Relaxed);
        if let Some(meter) = &self.meter {
            meter.step(doing, total);
        }
    }

    /// Says that so many more items are done. Cheap: the meter is told of thousands at once, and of few only where there are
    /// no more.
    pub fn advance(&self, items: u64) {
        let Some(meter) = &self.meter else { return };
        let before = self.pending.fetch_add(items, Ordering::Relaxed);
        if before + items >= self.stride.load(Ordering::Relaxed) {
            meter.advance(self.pending.swap(0, Ordering::Relaxed));
        }
    }

    /// Says what is known so far, in few words.
    pub fn note(&self, words: &str) {
        if let Some(meter) = &self.meter {
            meter.note(words);
        }
    }

    /// The items, each of which is told of as it comes.
    pub fn counted<I: Iterator>(&self, items: I) -> impl Iterator<Item = I::Item> {
        items.inspect(|_| self.advance(1))
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress")
            .field("is_shown", &self.meter.is_some())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    struct Told(Arc<AtomicU64>);

    impl Meter for Told {
        fn step(&self, _: &'static str, _: Option<u64>) {}

        fn advance(&self, _: u64) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_step_of_few_items_is_told_item_by_item() {
        let told = Arc::default();
        let progress = Progress::shown_by(Told(Arc::clone(&told)));
        let tell = |items, total| {
            progress.step("walking", total);
            (0..items).for_each(|_| progress.advance(1));
            told.swap(0, Ordering::Relaxed)
        };
        assert_eq!(tell(61, Some(61)), 61);
        assert_eq!(tell(6400, Some(6400)), 64);
        assert_eq!(tell(3 * STRIDE, Some(1 << 40)), 3);
        assert_eq!(tell(STRIDE, None), 1);
    }
}
