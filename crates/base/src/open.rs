//! Opening a file by its name.

use crate::locked;
use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read as _, Seek as _};
use std::path::Path;
use std::sync::Mutex;

/// Opens a file for reading. A pipe, a device or a socket is refused: opening it may wait for someone who writes to it, and
/// reading it may never end. So is a SQLite database, which only SQLite may open.
///
/// ```
/// # #[cfg(unix)]
/// assert!(obook_base::open_file("/dev/zero".as_ref()).is_err());
/// ```
///
/// # Errors
/// Returns an error if the file can't be opened, is not a file, or is a database.
pub fn open_file(path: &Path) -> io::Result<File> {
    let refuse = |problem| Err(io::Error::new(ErrorKind::InvalidInput, problem));
    let found = std::fs::metadata(path)?;
    if !found.is_file() && !found.is_dir() {
        return refuse("it is a device, a pipe or a socket; expected a file");
    }
    let mut databases = locked(&DATABASES);
    let is_database = identity(&found).is_some_and(|file| databases.contains_key(&file));
    if !is_database {
        let mut file = File::open(path)?;
        let opened = file.metadata()?;
        let mut head = Vec::new();
        if opened.is_file() {
            (&file).take(MAGIC.len() as u64).read_to_end(&mut head)?;
            file.rewind()?;
        }
        if !is_sqlite(&head) {
            return Ok(file);
        }
        if let Some(identity) = identity(&opened) {
            databases.insert(identity, file);
        }
    }
    refuse("it is a SQLite database; expected a file of another kind")
}

/// Databases that were opened by mistake, by device and inode. In POSIX, a process that closes any descriptor of a file gives up all its
/// locks on that file, SQLite's too (<https://sqlite.org/howtocorrupt.html>, 2.2). So they stay open, each once.
static DATABASES: Mutex<BTreeMap<(u64, u64), File>> = Mutex::new(BTreeMap::new());

/// The device and the inode of a file, by which Unix tells files apart; `None` elsewhere.
#[must_use]
pub fn identity(found: &Metadata) -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        Some((found.dev(), found.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = found;
        None
    }
}

/// The folder that holds a file.
#[must_use]
pub fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// How a SQLite database begins.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Whether a file that begins with these bytes is a SQLite database.
#[must_use]
pub fn is_sqlite(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}
