//! One run at a time: two that learn one book would search the same and take turns in its history.

use obook::{Error, Result, StoreError};
use obook_store::{FileIdentity, beside};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How often to look whether it is done.
const GLANCE: Duration = Duration::from_millis(20);

/// As long as it lives, no other run of this book begins. It ends with its process, however that ends.
///
/// It is a lock on a file beside the book, `BOOK-run`. Where files can't be locked, there is none.
#[derive(Debug)]
pub(crate) struct RunLock {
    path: PathBuf,
    file: Option<File>,
}

impl RunLock {
    /// Takes the lock, and waits for it if need be.
    ///
    /// # Errors
    /// Returns [`Error::Unfit`] if another run is still in progress after this time, or the book's folder is write-protected.
    pub(crate) fn take(book: &Path, patience: Duration) -> Result<RunLock> {
        let path = beside(book, "-run");
        let end = Instant::now() + patience;
        loop {
            match attempt(&path) {
                Ok(Some(lock)) => return Ok(lock),
                Ok(None) if Instant::now() < end => sleep(GLANCE),
                Ok(None) => return Err(Error::unfit(book, "another run is in progress")),
                Err(error) if is_forbidden(&error) && book.exists() && !path.exists() => {
                    return Err(StoreError::write_protected(book).into());
                }
                Err(error) => return Err(Error::io(&path, "lock")(error)),
            }
        }
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        // Removed while it is locked: a process that has opened it meanwhile sees that it is gone.
        if self.file.is_some() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn is_forbidden(error: &io::Error) -> bool {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem)
}

fn attempt(path: &Path) -> io::Result<Option<RunLock>> {
    loop {
        let file = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let file = match file.try_lock() {
            Ok(()) if !FileIdentity::of(&file.metadata()?).is_at(path) => continue,
            Ok(()) => Some(file),
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(_)) => None,
        };
        let path = path.to_owned();
        return Ok(Some(RunLock { path, file }));
    }
}
