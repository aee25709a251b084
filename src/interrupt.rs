//! Ctrl-C and its kin: the process ends and leaves nothing half-written behind.

use crate::{pager, sql};
use obook_book::remove_unfinished;
use obook_engine::kill_engines;

/// The exit status after an interrupt, as shells have it: 128 + SIGINT.
pub(crate) const INTERRUPTED: u8 = 130;

/// From now on an interrupt ends the running SQL, or the process with all files and engines that it had begun. While a pager has the
/// terminal it ends no process.
pub(crate) fn watch() {
    // What is to be ignored stays ignored, as `nohup` has it; and where the system has no room for a handler, the process
    // ends as it always does.
    let _ = ctrlc::try_set_handler(|| {
        if !sql::interrupt() && !pager::is_open() {
            kill_engines();
            remove_unfinished();
            std::process::exit(INTERRUPTED.into());
        }
    });
}
