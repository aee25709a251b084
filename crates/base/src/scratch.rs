//! Folders for unfinished files. If a process is killed, the next one removes its folders.
//!
//! A folder belongs to the process that has locked a file in it, and the lock ends with the process, however that ends.

use crate::locked;
use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

/// How the names of these folders begin and end.
const PREFIX: &str = ".obook-";
const SUFFIX: &str = ".partial";

/// The file in a folder that its owner has locked.
const LOCK: &str = "lock";

/// How often to try again if another process removes a new folder before it is locked.
const ATTEMPTS: usize = 16;

/// A random number that tells this process from all others, earlier ones with its process id included. On some file systems
/// a process can lock what it has locked already, so it must know its own folders by their names.
static PROCESS: LazyLock<String> = LazyLock::new(|| {
    let number = RandomState::new().hash_one(std::process::id());
    format!("{PREFIX}{number:016x}-")
});

/// A folder for unfinished files, which is removed with them when it is dropped.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    /// Keeps other processes from removing the folder.
    lock: Option<File>,
    scratches: Arc<Scratches>,
}

/// The folders of a process, or of a part of it.
#[derive(Debug, Default)]
pub struct Scratches {
    live: Mutex<BTreeSet<PathBuf>>,
    /// The folders that were searched for abandoned files: once is enough.
    swept: Mutex<BTreeSet<PathBuf>>,
}

impl Scratch {
    /// Makes a folder in `parent`, after removing abandoned ones there.
    ///
    /// # Errors
    /// Fails if no folder can be made there.
    pub fn within(parent: &Path, scratches: &Arc<Scratches>) -> io::Result<Scratch> {
        scratches.sweep(parent);
        for _ in 0..ATTEMPTS {
            let name = tempfile::Builder::new()
                .prefix(&*PROCESS)
                .suffix(SUFFIX)
                .tempdir_in(parent)
                .map_err(without_name)?;
            if let Some(scratch) = Scratch::claim(name.keep(), scratches)? {
                return Ok(scratch);
            }
        }
        let problem = "another process removes what is made there";
        Err(io::Error::other(problem))
    }

    /// Locks a new folder; `None` if another process has removed it meanwhile.
    fn claim(folder: PathBuf, scratches: &Arc<Scratches>) -> io::Result<Option<Scratch>> {
        let path = folder.join(LOCK);
        locked(&scratches.live).insert(folder.clone());
        let claimed = match File::create_new(&path) {
            Ok(lock) => match lock.try_lock() {
                Err(TryLockError::WouldBlock) => Ok(None),
                // On a system without locks nothing is ever swept.
                Ok(()) | Err(TryLockError::Error(_)) => Ok(path.exists().then_some(lock)),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        };
        match claimed {
            Ok(Some(lock)) => Ok(Some(Scratch {
                folder,
                lock: Some(lock),
                scratches: Arc::clone(scratches),
            })),
            other => {
                scratches.discard(&folder, None);
                other.map(|_| None)
            }
        }
    }

    /// The path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.folder
    }
}

/// The system's own error, without the name of a folder that nobody asked for.
fn without_name(error: io::Error) -> io::Error {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(found) = cause {
        let number = found.downcast_ref().and_then(io::Error::raw_os_error);
        if let Some(number) = number {
            return io::Error::from_raw_os_error(number);
        }
        cause = found.source();
    }
    error.kind().into()
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.scratches.discard(&self.folder, self.lock.take());
    }
}

impl Scratches {
    fn discard(&self, folder: &Path, lock: Option<File>) {
        // If that fails, the next process tries again.
        let _ = remove(folder, lock);
        locked(&self.live).remove(folder);
    }

    /// Removes all of them when the process is about to exit without dropping them.
    pub fn remove_all(&self) {
        for folder in locked(&self.live).iter() {
            let _ = remove(folder, None);
        }
    }

    /// Removes what killed processes have left in `folder` and in the one for temporary files.
    pub fn sweep(&self, folder: &Path) {
        for folder in [folder, &std::env::temp_dir()] {
            if !locked(&self.swept).insert(folder.to_owned()) {
                continue;
            }
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                if is_sweepable(&entry) {
                    let _ = remove_abandoned(&entry.path());
                }
            }
        }
    }
}

/// Whether this is such a folder of another process of this user. It must not be a link or another user's folder, who could
/// put something else in its place.
fn is_sweepable(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    let name = name.to_string_lossy();
    let is_named =
        name.starts_with(PREFIX) && name.ends_with(SUFFIX) && !name.starts_with(&**PROCESS);
    let is_own_folder = |found: fs::Metadata| found.is_dir() && is_own(&found);
    is_named && entry.metadata().is_ok_and(is_own_folder)
}

#[cfg(unix)]
fn is_own(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    found.uid() == rustix::process::geteuid().as_raw()
}

/// Elsewhere each user has a folder of their own for temporary files.
#[cfg(not(unix))]
fn is_own(_: &fs::Metadata) -> bool {
    true
}

/// Removes a folder unless its owner is still running.
fn remove_abandoned(folder: &Path) -> io::Result<()> {
    let path = folder.join(LOCK);
    let lock = match File::options().read(true).write(true).open(path) {
        Ok(lock) => lock,
        // It is not locked yet, or only the lock was removed: this removes an empty folder and nothing else.
        Err(error) if error.kind() == ErrorKind::NotFound => return fs::remove_dir(folder),
        Err(error) => return Err(error),
    };
    match lock.try_lock() {
        Ok(()) => remove(folder, Some(lock)),
        Err(_) => Ok(()),
    }
}

/// Removes a folder, the lock last: if that is interrupted, the rest can still be swept. Closes the lock once it has no name any
/// more: Windows doesn't remove folders with open files.
fn remove(folder: &Path, lock: Option<File>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name() == LOCK {
            continue;
        }
        match entry.file_type()?.is_dir() {
            true => remove(&entry.path(), None)?,
            false => fs::remove_file(entry.path())?,
        }
    }
    match fs::remove_file(folder.join(LOCK)) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => drop(lock),
    }
    fs::remove_dir(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Law (Crashes, untrusted books, concurrency): Only folders that a killed obook left are removed.
    #[test]
    fn only_abandoned_folders_are_swept() {
        let parent = tempfile::tempdir().unwrap();
        let held = Scratch::within(parent.path(), &Arc::default()).unwrap();
        let make = |name: &str| {
            let folder = parent.path().join(name);
            fs::create_dir(&folder).unwrap();
            folder
        };
        let dead = make(".obook-dead.partial");
        for name in [LOCK, "book", "book-wal"] {
            fs::write(dead.join(name), "contents").unwrap();
        }
        let inner = dead.join(".obook-inner.partial");
        fs::create_dir(&inner).unwrap();
        fs::write(inner.join("book"), "contents").unwrap();
        let empty = make(".obook-empty.partial");
        let unlocked = make(".obook-unlocked.partial");
        fs::write(unlocked.join("somebody's"), "contents").unwrap();
        let other = make("obook.partial");
        fs::write(parent.path().join(".obook-file.partial"), "contents").unwrap();
        // Another process holds this one.
        let locked_by_other = make(".obook-other.partial");
        let lock = File::create_new(locked_by_other.join(LOCK)).unwrap();
        lock.try_lock().unwrap();
        let sweep = || Scratches::default().sweep(parent.path());
        sweep();
        assert!(!dead.exists() && !empty.exists());
        assert!(held.path().exists() && unlocked.exists() && other.exists());
        assert!(locked_by_other.exists());
        drop((held, lock));
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 4);
        sweep();
        assert!(!locked_by_other.exists());
    }

    #[test]
    fn a_folder_that_is_swept_before_it_is_locked_is_made_again() {
        let parent = tempfile::tempdir().unwrap();
        let scratches = Arc::default();
        let gone = parent.path().join(".obook-gone.partial");
        assert!(Scratch::claim(gone.clone(), &scratches).unwrap().is_none());
        fs::create_dir(&gone).unwrap();
        let claimed = Scratch::claim(gone.clone(), &scratches).unwrap();
        assert!(claimed.is_some());
        drop(claimed);
        assert!(!gone.exists());
    }
}
