//! The locks that SQLite has taken for this process, as Linux lists them.

use std::fs;
use std::path::Path;

/// Whether this process has the two locks that a reader of a database in WAL mode keeps while it is open: one on the database, and
/// one on the index of its log.
#[must_use]
pub fn are_held(database: &Path) -> bool {
    let mut index = database.as_os_str().to_owned();
    index.push("-shm");
    is_locked(database) && is_locked(index.as_ref())
}

fn is_locked(path: &Path) -> bool {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let files = fs::read_dir("/proc/self/fd").expect("Linux");
    let mut numbers = files.flatten().map(|file| file.file_name());
    numbers.any(|number| {
        let of = |kind: &str| Path::new("/proc/self").join(kind).join(&number);
        // Another thread may close it meanwhile.
        let leads_there = fs::read_link(of("fd")).is_ok_and(|file| file == path);
        let has_lock = |said: String| said.lines().any(|line| line.starts_with("lock:"));
        leads_there && fs::read_to_string(of("fdinfo")).is_ok_and(has_lock)
    })
}
