//! Ctrl-C and other interrupts: the process ends and leaves nothing half-written behind.

use crate::context;
use crate::{pager, sql};
use obook_engine::{Stop, kill_engines};
use std::sync::OnceLock;

/// The exit status after an interrupt, as in shells: 128 + SIGINT.
pub(crate) const INTERRUPTED: u8 = 130;

/// The search that the first interrupt ends, instead of the process.
static SEARCH: OnceLock<Stop> = OnceLock::new();

/// Makes the first interrupt only set `stop`, so that the command can end in order and keep its results.
pub(crate) fn sets(stop: &Stop) {
    let _ = SEARCH.set(stop.clone());
}

/// Stops the search. Returns `false` if none is running or it was stopped before.
fn stop_search() -> bool {
    SEARCH.get().is_some_and(|stop| {
        let runs = !stop.is_set();
        stop.set();
        runs
    })
}

/// Installs the handler. An interrupt ends the running SQL or search; otherwise it ends the process, its engines, and
/// removes its unfinished files. While a pager has the terminal, an interrupt is the pager's business.
pub(crate) fn watch() {
    // Ignored signals stay ignored, as under `nohup`. If no handler can be installed, an interrupt ends the process at once.
    let _ = ctrlc::try_set_handler(|| {
        if !sql::interrupt() && !stop_search() && !pager::is_open() {
            kill_engines();
            context::quiet().remove_unfinished();
            std::process::exit(INTERRUPTED.into());
        }
    });
}
