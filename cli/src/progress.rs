//! Progress on the terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use obook::{Meter, Progress};
use std::fmt;
use std::io::{self, IsTerminal};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// The time before progress appears.
const DELAY: Duration = Duration::from_secs(1);
/// The time between movements, which show that the command is alive.
const TICK: Duration = Duration::from_millis(120);

/// The templates of a step with a known total, and without one.
const MEASURED: &str =
    "{spinner} {msg:<22} {bar:24} {human_pos}/{human_len} {elapsed}, {eta} left{prefix}";
const COUNTED: &str = "{spinner} {msg:<22} {counted}{elapsed}";

/// Shows progress on standard error if that is a terminal.
pub(crate) fn on_terminal() -> Progress {
    match io::stderr().is_terminal() {
        true => Progress::shown_by(Bar::new()),
        false => Progress::hidden(),
    }
}

/// A progress bar that appears after a second, and disappears when it is dropped.
struct Bar {
    bar: ProgressBar,
    /// Ends the thread that lets it appear.
    _end: Sender<()>,
}

impl Bar {
    fn new() -> Bar {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let (end, ended) = channel::<()>();
        let appearing = bar.clone();
        let appear = move || {
            if ended.recv_timeout(DELAY) == Err(RecvTimeoutError::Timeout) {
                appearing.set_draw_target(ProgressDrawTarget::stderr());
                appearing.enable_steady_tick(TICK);
            }
        };
        // If no thread can be started, the work goes on without a bar.
        let _ = thread::Builder::new().spawn(appear);
        Bar { bar, _end: end }
    }
}

impl Meter for Bar {
    fn step(&self, doing: &'static str, total: Option<u64>) {
        let template = match total {
            Some(_) => MEASURED,
            None => COUNTED,
        };
        let style = ProgressStyle::with_template(template).expect("a valid template");
        self.bar.set_style(style.with_key("counted", counted));
        self.bar.set_message(doing);
        self.bar.set_prefix("");
        self.bar.reset();
        match total {
            Some(total) => self.bar.set_length(total),
            None => self.bar.unset_length(),
        }
    }

    fn advance(&self, items: u64) {
        self.bar.inc(items);
    }

    fn note(&self, words: &str) {
        self.bar.set_prefix(format!(", {words}"));
    }

    fn aside(&self, write: &mut dyn FnMut()) {
        self.bar.suspend(write);
    }
}

/// Writes the count, if there is one.
fn counted(state: &ProgressState, out: &mut dyn fmt::Write) {
    if state.pos() > 0 {
        // Writing to a string doesn't fail.
        let _ = write!(out, "{}, ", indicatif::HumanCount(state.pos()));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        // A finished bar doesn't appear any more.
        self.bar.finish_and_clear();
    }
}
