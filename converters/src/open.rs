//! Opening a file by its name.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Seek as _};
use std::path::Path;

/// Opens a file for reading. A pipe, a device or a socket is refused: opening it may wait for someone who writes to it, and
/// reading it may never end. So is a SQLite database, which only SQLite may open.
///
/// ```
/// # #[cfg(unix)]
/// assert!(obook_converters::open_file("/dev/zero".as_ref()).is_err());
/// ```
///
/// # Errors
/// Returns an error if the file can't be opened, is none, or is a database.
pub fn open_file(path: &Path) -> io::Result<File> {
    let refuse = |problem| Err(io::Error::new(ErrorKind::InvalidInput, problem));
    let found = std::fs::metadata(path)?;
    if !found.is_file() && !found.is_dir() {
        return refuse("it is a device, a pipe or a socket; expected a file");
    }
    let mut file = File::open(path)?;
    if found.is_file() {
        let mut head = Vec::new();
        (&file).take(MAGIC.len() as u64).read_to_end(&mut head)?;
        if is_sqlite(&head) {
            // In POSIX, a process that closes any descriptor of a file gives up all its locks on that file, SQLite's too
            // (https://sqlite.org/howtocorrupt.html, 2.2).
            std::mem::forget(file);
            return refuse("it is a SQLite database; expected a file of another kind");
        }
        file.rewind()?;
    }
    Ok(file)
}

/// How a SQLite database begins.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Whether a file that begins with these bytes is a SQLite database.
#[must_use]
pub fn is_sqlite(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}
