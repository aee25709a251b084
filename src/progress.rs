//! Progress for whoever waits.
//!
//! The library reports steps and counts; who shows them is the caller's business. [`Progress::hidden`] shows nothing.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a step may take before anybody is told of it.
const PATIENCE: Duration = Duration::from_secs(1);

/// How many items pass before the bar is told of them.
const STRIDE: u64 = 1 << 12;

/// Shows what is being done and how far it is, on a terminal, once it has taken a second.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    visible: bool,
    started: Instant,
    /// Items done of which the bar does not know yet.
    pending: AtomicU64,
}

impl Progress {
    /// Shows itself on standard error where that is a terminal.
    #[must_use]
    pub fn on_terminal() -> Progress {
        Progress::new(true)
    }

    /// Shows nothing.
    #[must_use]
    pub fn hidden() -> Progress {
        Progress::new(false)
    }

    fn new(visible: bool) -> Progress {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        Progress {
            bar,
            visible,
            started: Instant::now(),
            pending: AtomicU64::new(0),
        }
    }

    /// Starts the next step: `doing` names it, `total` says how many items it has, if that is known.
    pub fn step(&self, doing: &'static str, total: Option<u64>) {
        let template = match total {
            Some(_) => "{msg:<24} {bar:30} {human_pos}/{human_len} {eta}",
            None => "{msg:<24} {spinner} {human_pos}",
        };
        self.bar
            .set_style(ProgressStyle::with_template(template).expect("a valid template"));
        self.bar.set_message(doing);
        self.bar.reset();
        if let Some(total) = total {
            self.bar.set_length(total);
        }
        self.appear();
    }

    /// Says that so many more items are done. Cheap: the bar, which looks at the clock, is told of thousands at once.
    pub fn advance(&self, items: u64) {
        let before = self.pending.fetch_add(items, Ordering::Relaxed);
        if before + items < STRIDE {
            return;
        }
        self.bar.inc(self.pending.swap(0, Ordering::Relaxed));
        self.appear();
    }

    /// Whoever has waited for a second is told what for.
    fn appear(&self) {
        if self.visible && self.bar.is_hidden() && self.started.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
