//! Atomic output: a file is either as before or complete.
//!
//! The contents are written in a folder beside the target, flushed to the disk, and only then renamed over it. Whatever fails
//! before the rename leaves the target untouched and removes the folder.

use crate::scratch::{Scratch, folder_of};
use crate::{Error, FileKind, Result};
use std::fs::File;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// What to do where the target exists already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IfExists {
    /// Refuse, with [`Error::Exists`].
    Refuse,
    /// Replace it in one step, where it is of the [kind](FileKind::replaces) that is written, and refuse otherwise.
    Replace,
}

/// A file that comes into being under its name only at [`AtomicFile::commit`].
///
/// ```
/// use obook_store::{AtomicFile, FileKind, IfExists};
/// use std::io::Write;
/// # let folder = tempfile::tempdir()?;
/// let target = folder.path().join("book.dat");
/// let mut output = AtomicFile::create(&target, FileKind::Book, IfExists::Refuse)?;
/// output.file().write_all(b"contents")?;
/// assert!(!target.exists());
/// output.commit()?;
/// assert!(target.exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    temporary: NamedTempFile,
    /// In which it is, with whatever SQLite puts beside it.
    scratch: Scratch,
    target: PathBuf,
    kind: FileKind,
    if_exists: IfExists,
}

impl AtomicFile {
    /// Starts a file of this kind beside `target`.
    ///
    /// # Errors
    /// [`Error::Exists`] where the target exists and must not be replaced, [`Error::Unfit`] where it is there and no regular
    /// file, [`Error::Io`] where its folder can't be written or it is a link that leads nowhere.
    pub fn create(target: &Path, kind: FileKind, if_exists: IfExists) -> Result<AtomicFile> {
        if target.is_dir() {
            return Err(Error::unfit(
                target,
                "a directory; give the name of a file to write",
            ));
        }
        if std::fs::metadata(target).is_ok_and(|found| !found.is_file()) {
            let problem = "a device, a pipe or a socket, which no file takes the place of";
            return Err(Error::unfit(target, problem));
        }
        may_be_written(target, kind, if_exists)?;
        // A link stays one, and what it leads to is replaced.
        let is_link = std::fs::symlink_metadata(target).is_ok_and(|found| found.is_symlink());
        let target = &match is_link {
            true => std::fs::canonicalize(target).map_err(Error::io(target, "follow"))?,
            false => target.to_owned(),
        };
        let failed = || Error::io(target, "create");
        let scratch = Scratch::within(folder_of(target)).map_err(failed())?;
        let temporary = tempfile::Builder::new()
            .permissions(default_permissions())
            .tempfile_in(scratch.path())
            .map_err(failed())?;
        Ok(AtomicFile {
            temporary,
            scratch,
            target: target.to_owned(),
            kind,
            if_exists,
        })
    }

    /// That it may have its name, whatever has that now: it may have come meanwhile.
    ///
    /// # Errors
    /// [`Error::Exists`].
    pub fn may_be_named(&self) -> Result<()> {
        may_be_written(&self.target, self.kind, self.if_exists)
    }

    /// What becomes of what is there under the name now.
    pub fn if_exists(&self) -> IfExists {
        self.if_exists
    }

    /// The name that it will have.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The file to write to.
    pub fn file(&mut self) -> &mut File {
        self.temporary.as_file_mut()
    }

    /// The temporary file's path, for those that must open it by name.
    #[must_use]
    pub fn temporary_path(&self) -> &Path {
        self.temporary.path()
    }

    /// Puts the contents on the disk and gives them their name.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Exists`] where another process made the target in the meantime. The target is then as
    /// before.
    pub fn commit(self) -> Result<()> {
        self.may_be_named()?;
        self.name()
    }

    /// As [`AtomicFile::commit`], without opening the target: to close it would end this process's locks on it.
    pub fn name(self) -> Result<()> {
        let AtomicFile {
            temporary,
            scratch: _scratch,
            target,
            kind,
            if_exists,
        } = self;

        temporary
            .as_file()
            .sync_all()
            .map_err(Error::io(&target, "write"))?;
        let persisted = match if_exists {
            IfExists::Replace => temporary.persist(&target),
            IfExists::Refuse => temporary.persist_noclobber(&target),
        };
        if let Err(failed) = persisted {
            if failed.error.kind() == std::io::ErrorKind::AlreadyExists {
                may_be_written(&target, kind, if_exists)?;
            }
            return Err(Error::io(&target, "write")(failed.error));
        }
        sync_folder(folder_of(&target)).map_err(Error::io(&target, "write"))
    }
}

/// That a file of this kind may get this name, whatever has it now.
fn may_be_written(target: &Path, kind: FileKind, if_exists: IfExists) -> Result<()> {
    let found = match FileKind::of(target) {
        Ok(found) => found,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Error::io(target, "open")(error)),
    };
    match if_exists {
        IfExists::Replace if kind.replaces(found) => Ok(()),
        _ => Err(Error::Exists {
            path: target.to_owned(),
            found,
            output: kind,
        }),
    }
}

/// Refuses to write to `output` what comes from `input`, where they are one file.
///
/// # Errors
/// [`Error::Unfit`].
pub fn spare(input: &Path, output: &Path) -> Result<()> {
    // Another name of the same contents keeps them.
    match (std::fs::canonicalize(input), std::fs::canonicalize(output)) {
        (Ok(one), Ok(other)) if one == other => {
            let problem = "input and output at once; give the output another name";
            Err(Error::unfit(input, problem))
        }
        _ => Ok(()),
    }
}

/// Temporary files are private by default; a book should be as readable as any other new file.
#[cfg(unix)]
fn default_permissions() -> std::fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    // The process's umask still applies.
    std::fs::Permissions::from_mode(0o666)
}

#[cfg(not(unix))]
fn default_permissions() -> std::fs::Permissions {
    unreachable!("tempfile asks for permissions only on Unix")
}

/// A rename survives a power cut only when the folder is on the disk too.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> std::io::Result<()> {
    Ok(())
}
