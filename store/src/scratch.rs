//! Folders for files that are on their way to their names, or that only one process needs. What a killed process leaves in
//! them the next one sweeps away.
//!
//! A folder belongs to the process that holds the lock on a file in it, and that ends with the process, however it ends.
//! The lock is not on the files themselves: SQLite has locks of its own on them, which on some systems get in each other's
//! way.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

/// What the name of each of these folders begins and ends with.
const PREFIX: &str = ".obook-";
const SUFFIX: &str = ".partial";

/// The file that the owner of a folder has locked.
const LOCK: &str = "lock";

/// How often a folder may be swept away before it is locked.
const ATTEMPTS: usize = 16;

/// A folder of this process, which goes with the value and all that is in it.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: PathBuf,
    /// As long as it is open, no other process removes the folder.
    _lock: File,
}

/// The folders of this process: on some systems a process is not kept from what it has locked itself.
static OWN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Where this process has swept: once is enough.
static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn locked(set: &Mutex<BTreeSet<PathBuf>>) -> MutexGuard<'_, BTreeSet<PathBuf>> {
    set.lock().expect("nothing panics while it holds the lock")
}

impl Scratch {
    /// A new folder in `parent`, where others are swept away first.
    pub(crate) fn within(parent: &Path) -> io::Result<Scratch> {
        sweep(parent);
        for _ in 0..ATTEMPTS {
            let name = tempfile::Builder::new()
                .prefix(PREFIX)
                .suffix(SUFFIX)
                .tempdir_in(parent)?;
            if let Some(scratch) = Scratch::claim(name.keep())? {
                return Ok(scratch);
            }
        }
        Err(io::Error::other("others remove what is made there"))
    }

    /// Locks a folder that is new; `None` where another process has swept it away meanwhile.
    fn claim(folder: PathBuf) -> io::Result<Option<Scratch>> {
        let path = folder.join(LOCK);
        locked(&OWN).insert(folder.clone());
        let claimed = match File::create_new(&path) {
            Ok(lock) => match lock.try_lock() {
                Err(TryLockError::WouldBlock) => Ok(None),
                // Where there are no locks nothing is swept, either.
                Ok(()) | Err(TryLockError::Error(_)) => Ok(path.exists().then_some(lock)),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        };
        match claimed {
            Ok(Some(_lock)) => Ok(Some(Scratch { folder, _lock })),
            other => {
                discard(&folder);
                other.map(|_| None)
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        discard(&self.folder);
    }
}

/// Removes a folder of this process.
fn discard(folder: &Path) {
    // What can't be removed now is swept away later.
    let _ = remove(folder);
    locked(&OWN).remove(folder);
}

/// Removes all files of this process that are not finished: for those who end it in the middle of its work.
pub fn remove_unfinished() {
    for folder in locked(&OWN).iter() {
        let _ = remove(folder);
    }
}

/// The folder that holds `target`.
pub(crate) fn folder_of(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Removes what killed processes have left in a folder, and in that for temporary files.
pub(crate) fn sweep(folder: &Path) {
    for folder in [folder, &std::env::temp_dir()] {
        if !locked(&SWEPT).insert(folder.to_owned()) {
            continue;
        }
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if is_scratch(&entry) && !locked(&OWN).contains(&entry.path()) {
                // What is another user's stays.
                let _ = remove_abandoned(&entry.path());
            }
        }
    }
}

/// Whether it is named as these folders are, is one and not a link, and belongs to the user: another one could put something
/// else in its place.
fn is_scratch(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    let name = name.to_string_lossy();
    let is_named = name.starts_with(PREFIX) && name.ends_with(SUFFIX);
    is_named
        && entry
            .metadata()
            .is_ok_and(|found| found.is_dir() && is_own(&found))
}

#[cfg(unix)]
fn is_own(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    found.uid() == rustix::process::geteuid().as_raw()
}

/// Where a folder for temporary files is each user's own.
#[cfg(not(unix))]
fn is_own(_: &fs::Metadata) -> bool {
    true
}

/// Removes a folder unless its owner lives.
fn remove_abandoned(folder: &Path) -> io::Result<()> {
    let lock = match File::options()
        .read(true)
        .write(true)
        .open(folder.join(LOCK))
    {
        Ok(lock) => lock,
        // It has not come to the lock, or only the lock had gone: this removes nothing but an empty folder.
        Err(error) if error.kind() == ErrorKind::NotFound => return fs::remove_dir(folder),
        Err(error) => return Err(error),
    };
    match lock.try_lock() {
        Ok(()) => remove(folder),
        Err(_) => Ok(()),
    }
}

/// Removes a folder, the lock after all else: what is interrupted can be swept away later.
fn remove(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name() == LOCK {
            continue;
        }
        match entry.file_type()?.is_dir() {
            true => remove(&entry.path())?,
            false => fs::remove_file(entry.path())?,
        }
    }
    match fs::remove_file(folder.join(LOCK)) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::remove_dir(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    #[test]
    fn only_what_nobody_holds_is_swept_away() {
        let parent = tempfile::tempdir().unwrap();
        let held = Scratch::within(parent.path()).unwrap();
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
        locked(&SWEPT).remove(parent.path());
        sweep(parent.path());
        assert!(!dead.exists() && !empty.exists());
        assert!(held.path().exists() && unlocked.exists() && other.exists());
        assert!(locked_by_other.exists());
        drop((held, lock));
        assert_eq!(names(parent.path()).len(), 4);
        locked(&SWEPT).remove(parent.path());
        sweep(parent.path());
        assert!(!locked_by_other.exists());
    }

    #[test]
    fn a_folder_that_is_swept_away_before_it_is_locked_is_made_again() {
        let parent = tempfile::tempdir().unwrap();
        let gone = parent.path().join(".obook-gone.partial");
        assert!(Scratch::claim(gone.clone()).unwrap().is_none());
        fs::create_dir(&gone).unwrap();
        let claimed = Scratch::claim(gone.clone()).unwrap();
        assert!(claimed.is_some());
        drop(claimed);
        assert!(!gone.exists());
    }
}
