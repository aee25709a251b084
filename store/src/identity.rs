//! Whether a name still means the file that was opened by it.

use std::io;
use std::path::Path;

/// A file, whatever its name. Where the system does not tell (only Unix does), all are the same; there an open file can't
/// be replaced anyway.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FileIdentity(u64, u64);

impl FileIdentity {
    /// The file that has this name now.
    #[cfg(unix)]
    pub(crate) fn of(path: &Path) -> io::Result<FileIdentity> {
        use std::os::unix::fs::MetadataExt;
        let found = std::fs::metadata(path)?;
        Ok(FileIdentity(found.dev(), found.ino()))
    }

    /// The file that has this name now.
    #[cfg(not(unix))]
    pub(crate) fn of(path: &Path) -> io::Result<FileIdentity> {
        std::fs::metadata(path).map(|_| FileIdentity(0, 0))
    }

    /// Whether it still has this name.
    pub(crate) fn is_at(self, path: &Path) -> bool {
        FileIdentity::of(path).is_ok_and(|now| now == self)
    }
}
