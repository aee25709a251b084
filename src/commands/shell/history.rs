//! What was typed, kept from one time to the next.

use etcetera::BaseStrategy;
use std::path::PathBuf;

/// Creates the folder of the history file and returns the file's path; `None` if that fails.
pub(crate) fn file() -> Option<PathBuf> {
    let folder = etcetera::base_strategy::choose_native_strategy()
        .ok()?
        .data_dir()
        .join("obook");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join("history"))
}
