//! Progress of long operations: the library reports steps and counts, and the caller decides how to show them.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// The meter hears of items at least this often.
const STRIDE: u64 = 1 << 12;
/// A step of known length is reported in at least this many parts.
const PARTS: u64 = 64;

/// Shows the progress of an operation.
pub trait Meter: Send + Sync {
    /// Begins the next step, which is called `doing` and has `total` items if their number is known.
    fn step(&self, doing: &'static str, total: Option<u64>);

    /// Counts more items as done. A long step counts thousands at once. Called from any thread.
    fn advance(&self, items: u64);

    /// Shows a short remark in place of the one before.
    fn note(&self, _words: &str) {}

    /// Calls `write`, which writes lines to the terminal, while nothing else is on the line.
    fn aside(&self, write: &mut dyn FnMut()) {
        write();
    }
}

/// Reports the progress of an operation to a [`Meter`], or to nobody.
///
/// ```
/// use obook_base::{Meter, Progress};
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
    /// Items done that the meter has not heard of yet.
    pending: AtomicU64,
    /// How many of them to report at once.
    stride: AtomicU64,
}

impl Default for Progress {
    /// Reports to nobody.
    fn default() -> Progress {
        Progress {
            meter: None,
            pending: AtomicU64::new(0),
            stride: AtomicU64::new(STRIDE),
        }
    }
}

impl Progress {
    /// Reports to nobody.
    #[must_use]
    pub fn hidden() -> Progress {
        Progress::default()
    }

    /// Reports to this meter.
    #[must_use]
    pub fn shown_by(meter: impl Meter + 'static) -> Progress {
        Progress {
            meter: Some(Box::new(meter)),
            ..Progress::default()
        }
    }

    /// Begins the next step, which is called `doing` and has `total` items if their number is known.
    pub fn step(&self, doing: &'static str, total: Option<u64>) {
        self.pending.store(0, Ordering::Relaxed);
        let stride = total.map_or(STRIDE, |total| (total / PARTS).clamp(1, STRIDE));
        self.stride.store(stride, Ordering::Relaxed);
        if let Some(meter) = &self.meter {
            meter.step(doing, total);
        }
    }

    /// Counts more items as done. Cheap: in a long step the meter hears of thousands at once.
    pub fn advance(&self, items: u64) {
        let Some(meter) = &self.meter else { return };
        let before = self.pending.fetch_add(items, Ordering::Relaxed);
        if before + items >= self.stride.load(Ordering::Relaxed) {
            meter.advance(self.pending.swap(0, Ordering::Relaxed));
        }
    }

    /// Counts an item that took long, and tells the meter at once.
    pub fn advance_slowly(&self) {
        if let Some(meter) = &self.meter {
            meter.advance(1 + self.pending.swap(0, Ordering::Relaxed));
        }
    }

    /// Calls `write`, which writes lines to the terminal, while the meter leaves the line alone.
    pub fn aside(&self, mut write: impl FnMut()) {
        match &self.meter {
            Some(meter) => meter.aside(&mut write),
            None => write(),
        }
    }

    /// Shows a short remark in place of the one before.
    pub fn note(&self, words: &str) {
        if let Some(meter) = &self.meter {
            meter.note(words);
        }
    }

    /// Counts each item as it is taken.
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

    struct Calls(Arc<AtomicU64>);

    impl Meter for Calls {
        fn step(&self, _: &'static str, _: Option<u64>) {}

        fn advance(&self, _: u64) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_step_of_few_items_is_reported_item_by_item() {
        let calls = Arc::default();
        let progress = Progress::shown_by(Calls(Arc::clone(&calls)));
        let reported = |items, total| {
            progress.step("walking", total);
            (0..items).for_each(|_| progress.advance(1));
            calls.swap(0, Ordering::Relaxed)
        };
        assert_eq!(reported(61, Some(61)), 61);
        assert_eq!(reported(6400, Some(6400)), 64);
        assert_eq!(reported(3 * STRIDE, Some(1 << 40)), 3);
        assert_eq!(reported(STRIDE, None), 1);
        progress.step("searching", Some(1 << 40));
        progress.advance(1);
        progress.advance_slowly();
        progress.advance_slowly();
        assert_eq!(calls.load(Ordering::Relaxed), 2);
    }
}
