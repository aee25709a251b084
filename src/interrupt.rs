//! Ctrl-C and its kin: the process ends and leaves nothing half-written behind.

use crate::{pager, sql};
use obook_book::remove_unfinished;
use obook_engine::{Stop, kill_engines};
use std::sync::OnceLock;

/// The exit status after an interrupt, as shells have it: 128 + SIGINT.
pub(crate) const INTERRUPTED: u8 = 130;

/// What the first interrupt ends, instead of the process.
static SEARCH: OnceLock<Stop> = OnceLock::new();

/// From now on the first interrupt only sets this, and the command ends by itself: what it has found is not lost.
pub(crate) fn sets(stop: &Stop) {
    let _ = SEARCH.set(stop.clone());
}

/// Whether a search was running, and was not told to end before.
fn stop_search() -> bool {
    SEARCH.get().is_some_and(|stop| {
        let runs = !stop.is_set();
        stop.set();
        runs
    })
}

/// From now on an interrupt ends the running SQL or search, or the process with all files and engines that it had begun. While
/// a pager has the terminal it ends no process.
pub(crate) fn watch() {
    // What is to be ignored stays ignored, as `nohup` has it; and where the system has no room for a handler, the process
    // ends as it always does.
    let _ = ctrlc::try_set_handler(|| {
        if !sql::interrupt() && !stop_search() && !pager::is_open() {
            kill_engines();
            remove_unfinished();
            std::process::exit(INTERRUPTED.into());
        }
    });
}
