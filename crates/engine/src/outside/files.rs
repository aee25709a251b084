//! Folders for the files that are exchanged with an engine. A killed process can't remove its own: the next one does.

use std::fs::{self, DirEntry, File, Metadata};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;

/// How the names of these folders begin.
const PREFIX: &str = "obook-engine-";
/// The file that the owner of a folder has locked.
const LOCK: &str = "lock";
/// The same file, until it is locked.
const UNLOCKED: &str = "lock.new";

/// How this process's folders begin: on some file systems it could lock what it has locked already.
static OWN: LazyLock<String> = LazyLock::new(|| {
    let number = RandomState::new().hash_one(std::process::id());
    format!("{PREFIX}{number:016x}-")
});

/// A folder that is removed when it is dropped.
pub(super) struct Files {
    /// Keeps other processes from removing the folder. Dropped first: Windows doesn't remove folders with open files.
    _lock: File,
    folder: TempDir,
}

impl Files {
    /// Makes a folder in `parent`, after removing those of killed processes there.
    pub(super) fn within(parent: &Path) -> io::Result<Files> {
        let folder = tempfile::Builder::new().prefix(&*OWN).tempdir_in(parent)?;
        let lock = File::create_new(folder.path().join(UNLOCKED))?;
        // On a system without locks nothing is ever removed.
        if lock.try_lock().is_ok() {
            fs::rename(folder.path().join(UNLOCKED), folder.path().join(LOCK))?;
            sweep(parent, &fs::metadata(folder.path())?);
        }
        Ok(Files {
            _lock: lock,
            folder,
        })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the folders in `parent` whose owners are gone, if they belong to the same user as `own`.
fn sweep(parent: &Path, own: &Metadata) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if is_abandoned(&entry, own).unwrap_or(false) {
            // If that fails, the next process tries again.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_abandoned(entry: &DirEntry, own: &Metadata) -> io::Result<bool> {
    let name = entry.file_name();
    let name = name.to_string_lossy();
    // It must not be a link: someone else could choose where it leads.
    let found = entry.metadata()?;
    if !name.starts_with(PREFIX) || name.starts_with(&**OWN) || !found.is_dir() {
        return Ok(false);
    }
    Ok(have_same_owner(&found, own) && File::open(entry.path().join(LOCK))?.try_lock().is_ok())
}

#[cfg(unix)]
fn have_same_owner(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    one.uid() == other.uid()
}

/// Elsewhere each user has a folder of their own for temporary files.
#[cfg(not(unix))]
fn have_same_owner(_: &Metadata, _: &Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Law (Crashes, untrusted books, concurrency): Only engine folders that a killed obook left are removed.
    #[test]
    fn abandoned_folders_are_removed_and_others_stay() {
        let parent = tempfile::tempdir().unwrap();
        let make = |name: &str, files: &[&str]| {
            let folder = parent.path().join(name);
            fs::create_dir(&folder).unwrap();
            for file in files {
                fs::write(folder.join(file), "").unwrap();
            }
            folder
        };
        let killed = make("obook-engine-0123-killed", &["lock", "asked.dat"]);
        let starting = make("obook-engine-0123-new", &["lock.new"]);
        let other = make("obook-other", &["lock"]);
        let used = make("obook-engine-4567-used", &["lock"]);
        let lock = File::open(used.join(LOCK)).unwrap();
        lock.try_lock().unwrap();
        let first = Files::within(parent.path()).unwrap();
        let second = Files::within(parent.path()).unwrap();
        assert!(!killed.exists());
        assert!(
            [&*starting, &other, &used, first.path(), second.path()]
                .iter()
                .all(|it| it.exists())
        );
        drop((first, second));
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 3);
        drop(lock);
        let _third = Files::within(parent.path()).unwrap();
        assert!(!used.exists());
    }
}
