//! Progress on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use obook_book::{Meter, Progress};
use std::time::{Duration, Instant};

/// How long a command may take before it shows how far it is.
const DELAY: Duration = Duration::from_secs(1);

/// Shows itself on standard error where that is a terminal.
pub(crate) fn on_terminal() -> Progress {
    Progress::shown_by(Bar {
        bar: ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()),
        started: Instant::now(),
    })
}

/// What is being done and how far it is, once it has taken a second.
struct Bar {
    bar: ProgressBar,
    started: Instant,
}

impl Bar {
    fn appear(&self) {
        if self.bar.is_hidden() && self.started.elapsed() > DELAY {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Meter for Bar {
    fn step(&self, doing: &'static str, total: Option<u64>) {
        let template = match total {
            Some(_) => "{msg:<24} {bar:30} {human_pos}/{human_len} {eta}",
            None => "{msg:<24} {spinner} {human_pos}",
        };
        let style = ProgressStyle::with_template(template).expect("a valid template");
        self.bar.set_style(style);
        self.bar.set_message(doing);
        self.bar.reset();
        if let Some(total) = total {
            self.bar.set_length(total);
        }
        self.appear();
    }

    fn advance(&self, items: u64) {
        self.bar.inc(items);
        self.appear();
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
