//! Telling those who wait what is being done and how far it is.
//!
//! The library reports steps and counts; who shows them, and how, is the caller's business.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many items pass before a meter is told of them.
const STRIDE: u64 = 1 << 12;

/// Shows what is being done and how far it is.
pub trait Meter: Send + Sync {
    /// The next step begins: `doing` names it, `total` says how many items it has, if that is known.
    fn step(&self, doing: &'static str, total: Option<u64>);

    /// So many more items of the step are done. Called for thousands of items at once, from any thread.
    fn advance(&self, items: u64);
}

/// What a long operation tells of itself.
///
/// ```
/// use obook_book::{Meter, Progress};
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
#[derive(Default)]
pub struct Progress {
    meter: Option<Box<dyn Meter>>,
    /// Items done of which the meter does not know yet.
    pending: AtomicU64,
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
        if let Some(meter) = &self.meter {
            meter.step(doing, total);
        }
    }

    /// Says that so many more items are done. Cheap: the meter is told of thousands at once.
    pub fn advance(&self, items: u64) {
        let Some(meter) = &self.meter else { return };
        let before = self.pending.fetch_add(items, Ordering::Relaxed);
        if before + items >= STRIDE {
            meter.advance(self.pending.swap(0, Ordering::Relaxed));
        }
    }

    /// The items, each of which is told of as it comes.
    pub(crate) fn counted<I: Iterator>(&self, items: I) -> impl Iterator<Item = I::Item> {
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
