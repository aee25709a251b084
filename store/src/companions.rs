//! The files that SQLite keeps beside a database: it finds them by its name.

use std::path::{Path, PathBuf};

/// What SQLite adds to a database's name for them: two that may hold changes, and an index of the first.
const ENDS: [&str; 3] = ["-wal", "-journal", "-shm"];

/// Where each of them would be.
pub(crate) fn of(path: &Path) -> [PathBuf; 3] {
    // They lie beside what a link leads to.
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    ENDS.map(|end| {
        let mut companion = path.as_os_str().to_owned();
        companion.push(end);
        companion.into()
    })
}

/// The one that holds changes which the database itself may lack: without contents it is of no use.
pub(crate) fn journal(path: &Path) -> Option<PathBuf> {
    let [wal, journal, _] = of(path);
    let has_contents =
        |companion: &PathBuf| std::fs::metadata(companion).is_ok_and(|found| found.len() > 0);
    [wal, journal].into_iter().find(has_contents)
}

/// Whether all is there that a process makes when it opens a database: one that may write nothing there can join it.
pub(crate) fn are_complete(path: &Path) -> bool {
    let [wal, _, index] = of(path);
    wal.exists() && index.exists()
}
