//! Ctrl-C and other interrupts: the process ends and leaves nothing half-written behind.

use crate::{context, pager, sql};
use obook_engine::{Stop, kill_engines};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// The signal of Ctrl-C.
const SIGINT: u8 = 2;

/// The last signal.
static LAST: AtomicU8 = AtomicU8::new(SIGINT);

/// The exit status after an interrupt, as in shells: 128 + the number of the signal.
pub(crate) fn status() -> u8 {
    128 + LAST.load(Ordering::Relaxed)
}

/// The search that the first interrupt ends, instead of the process.
static SEARCH: OnceLock<Stop> = OnceLock::new();

/// From now on the first interrupt only sets this, so that the command can end in order and keep its results.
pub(crate) fn stop() -> Stop {
    SEARCH.get_or_init(Stop::default).clone()
}

/// Whether engines start, before any search.
static IS_STARTING: AtomicBool = AtomicBool::new(false);

/// Starts an engine, which doesn't heed [`stop`]: meanwhile an interrupt ends the process.
pub(crate) fn ends_process_during<T>(start: impl FnOnce() -> T) -> T {
    IS_STARTING.store(true, Ordering::Relaxed);
    let started = start();
    IS_STARTING.store(false, Ordering::Relaxed);
    started
}

/// Stops the search. Returns `false` if none is running or it was stopped before.
fn stop_search() -> bool {
    let is_starting = IS_STARTING.load(Ordering::Relaxed);
    SEARCH.get().filter(|_| !is_starting).is_some_and(|stop| {
        let runs = !stop.is_set();
        stop.set();
        runs
    })
}

/// Handles signals from now on. One ends the running search; otherwise it ends the process, its engines, and removes its
/// unfinished files. Ctrl-C only ends the running SQL, and belongs to a pager while one has the terminal.
///
/// Signals that are ignored at the start stay ignored, as under `nohup`. Without a handler, a signal ends the process at once.
pub(crate) fn watch() {
    signals::watch(|signal| {
        LAST.store(signal, Ordering::Relaxed);
        let is_taken = signal == SIGINT && (sql::interrupt() || pager::is_open());
        if !is_taken && !stop_search() {
            kill_engines();
            context::clean_up();
            std::process::exit(status().into());
        }
    });
}

#[cfg(unix)]
mod signals {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use std::sync::Arc;

    /// Calls `handle` with the number of each signal that is not ignored.
    pub(super) fn watch(handle: impl Fn(u8) + Send + 'static) {
        // So a write beyond `ulimit -f` fails like one to a full disk, instead of ending the process.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
        let ignored = ignored();
        let is_watched = |signal: &i32| ignored >> (signal - 1) & 1 == 0;
        let watched = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].into_iter();
        let Ok(mut signals) = Signals::new(watched.filter(is_watched)) else {
            return;
        };
        let watch = move || {
            for signal in signals.forever() {
                handle(u8::try_from(signal).expect("these signals have small numbers"));
            }
        };
        let _ = std::thread::Builder::new().spawn(watch);
    }

    /// The signals that this process ignores: a bit for each, the lowest for signal 1. Only Linux tells.
    fn ignored() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mut lines = status.lines();
        let mask = lines.find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.unwrap_or(0)
    }
}

#[cfg(not(unix))]
mod signals {
    /// Calls `handle` at Ctrl-C.
    pub(super) fn watch(handle: impl Fn(u8) + Send + 'static) {
        let _ = ctrlc::try_set_handler(move || handle(super::SIGINT));
    }
}
