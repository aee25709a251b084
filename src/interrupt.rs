//! Ctrl-C and its kin: the process ends and leaves nothing half-written behind.

use crate::sql;
use std::fs;
use std::path::{Path, PathBuf};

/// The exit status after an interrupt, as shells have it: 128 + SIGINT.
pub(crate) const INTERRUPTED: u8 = 130;

/// From now on an interrupt ends the running SQL, or the process with all files that it had begun.
pub(crate) fn watch() {
    // What is to be ignored stays ignored, as `nohup` has it; and where the system has no room for a handler, the process
    // ends as it always does.
    let _ = ctrlc::try_set_handler(|| {
        if !sql::interrupt() {
            for partial in open_files().filter(|path| is_partial(path)) {
                let _ = fs::remove_file(partial);
            }
            std::process::exit(INTERRUPTED.into());
        }
    });
}

/// Whether it is a file on its way to its name, or what SQLite keeps beside one.
fn is_partial(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(".obook-") && name.contains(".partial"))
}

/// The files that this process has open, where the system tells.
fn open_files() -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir("/proc/self/fd").into_iter().flatten();
    entries.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok())
}
