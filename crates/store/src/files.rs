//! Output that appears complete or not at all.
//!
//! Output is written in a folder beside the target, flushed to the disk, and only then renamed over the target. Whatever
//! fails before that leaves the target untouched and removes the folder. What a killed process leaves in such a folder, the
//! next process removes.
//!
//! The output itself isn't locked: SQLite has its own locks on it, which on some systems would get in the way.

use crate::{Content, Context, Error, FileKind, FolderContent, Result};
use obook_base::{Scratch, folder_of};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The treatment of a target that exists already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IfExists {
    /// Refuse, with [`Error::Exists`].
    Refuse,
    /// Replace it in one step if it holds [the same](Content); refuse otherwise.
    Replace,
}

/// Where a book is written to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// A file, which appears only when it is complete.
    File(PathBuf, IfExists),
    /// Standard output.
    Stdout,
}

impl Output {
    /// Its name in messages.
    #[must_use]
    pub fn name(&self) -> &Path {
        match self {
            Output::File(path, _) => path,
            Output::Stdout => Path::new("standard output"),
        }
    }

    /// Checks that it is another file than `input`.
    ///
    /// # Errors
    /// Returns [`Error::Unfit`] if they are the same.
    pub fn spare(&self, input: &Path) -> Result<()> {
        match self {
            Output::File(path, _) => spare(input, path),
            Output::Stdout => Ok(()),
        }
    }

    /// Calls `write` with standard output, or with a file with this content that appears when everything is written. Neither has a
    /// buffer.
    ///
    /// # Errors
    /// As [`AtomicFile::create`] and [`AtomicFile::commit`], and any error of `write`.
    pub fn write<T, E: From<Error>>(
        &self,
        content: Content,
        context: &Context,
        write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
    ) -> Result<T, E> {
        match self {
            Output::Stdout => write(&mut io::stdout().lock()),
            Output::File(path, if_exists) => {
                let mut file = AtomicFile::create(path, content, *if_exists, context)?;
                let written = write(file.file())?;
                file.commit()?;
                Ok(written)
            }
        }
    }
}

/// A file that appears under its name only at [`AtomicFile::commit`].
///
/// ```
/// use obook_store::{AtomicFile, Content, Context, IfExists};
/// # let folder = tempfile::tempdir()?;
/// let target = folder.path().join("page.html");
/// let page = Content::file("a page of HTML", |head, _| head.starts_with(b"<html"));
/// let mut output = AtomicFile::create(&target, page, IfExists::Refuse, &Context::default())?;
/// output.write_all(b"contents")?;
/// assert!(!target.exists());
/// output.commit()?;
/// assert!(target.exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    temporary: NamedTempFile,
    /// The folder that holds it, with whatever SQLite puts beside it.
    _scratch: Scratch,
    target: PathBuf,
    content: Content,
    pub(crate) if_exists: IfExists,
}

impl AtomicFile {
    /// Starts a file with this content beside `target`.
    ///
    /// # Errors
    /// Returns [`Error::Exists`] if the target exists and must not be replaced, [`Error::Unfit`] if it is of another game or no regular
    /// file, and [`Error::Io`] if its folder can't be written to or it is a broken link.
    pub fn create(
        target: &Path,
        content: Content,
        if_exists: IfExists,
        context: &Context,
    ) -> Result<AtomicFile> {
        has_folder(target)?;
        if target.is_dir() {
            let problem = "a directory; give the name of a file to write";
            return Err(Error::unfit(target, problem));
        }
        if std::fs::metadata(target).is_ok_and(|found| !found.is_file()) {
            let problem = "a device, a pipe or a socket, which can't be replaced by a file";
            return Err(Error::unfit(target, problem));
        }
        may_be_written(target, content, if_exists)?;
        // A link stays; the file that it points to is replaced.
        let is_link = std::fs::symlink_metadata(target).is_ok_and(|found| found.is_symlink());
        let target = &match is_link {
            true => std::fs::canonicalize(target).map_err(Error::io(target, "follow"))?,
            false => target.to_owned(),
        };
        let scratch = scratch_beside(target, context)?;
        #[cfg_attr(not(unix), allow(unused_mut))]
        let mut builder = tempfile::Builder::new();
        // It should be as readable as any other new file, but on Unix temporary files are private by default. The umask still applies.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let temporary = builder.tempfile_in(scratch.path());
        let temporary = temporary.map_err(Error::io(target, "create"))?;
        Ok(AtomicFile {
            temporary,
            _scratch: scratch,
            target: target.to_owned(),
            content,
            if_exists,
        })
    }

    /// Checks again that the target may be written: another process may have made it meanwhile.
    pub(crate) fn may_be_named(&self) -> Result<()> {
        may_be_named(&self.target, self.content, self.if_exists)
    }

    /// The file that has the contents after [`AtomicFile::commit`].
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The file to write to.
    pub fn file(&mut self) -> &mut File {
        self.temporary.as_file_mut()
    }

    /// Writes bytes to the file.
    ///
    /// # Errors
    /// Returns [`Error::Io`] with the name of the target.
    pub fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.file().write_all(bytes);
        written.map_err(Error::io(&self.target, "write"))
    }

    /// The temporary file's path, for writers that open it by name.
    #[must_use]
    pub fn temporary_path(&self) -> &Path {
        self.temporary.path()
    }

    /// Flushes the contents to the disk and gives the file its name.
    ///
    /// # Errors
    /// Returns [`Error::Io`] if that fails, and [`Error::Unfit`] or [`Error::Exists`] if another process has made the target
    /// meanwhile. The target is then as before.
    pub fn commit(self) -> Result<()> {
        self.may_be_named()?;
        self.name()
    }

    /// As [`AtomicFile::commit`], without opening the target: closing it would end this process's locks on it.
    pub(crate) fn name(self) -> Result<()> {
        let target = &self.target;
        let failed = || Error::io(target, "write");
        self.temporary.as_file().sync_all().map_err(failed())?;
        // It is closed before others can find it: a database whose file is closed loses this process's locks.
        let temporary = self.temporary.into_temp_path();
        let persisted = match self.if_exists {
            IfExists::Replace => temporary.persist(target),
            IfExists::Refuse => temporary.persist_noclobber(target),
        };
        if let Err(error) = persisted.map_err(|refused| refused.error) {
            if error.kind() == ErrorKind::AlreadyExists {
                may_be_named(target, self.content, self.if_exists)?;
            }
            return Err(failed()(error));
        }
        sync_folder(folder_of(target)).map_err(failed())
    }
}

/// A folder of files that appears completely or not at all.
#[derive(Debug)]
pub struct AtomicFolder {
    scratch: Scratch,
    target: PathBuf,
    content: FolderContent,
    if_exists: IfExists,
}

impl AtomicFolder {
    /// Begins a folder with this content at `target`, which must be new, empty or, if it may be replaced, have the same content.
    ///
    /// # Errors
    /// Returns [`Error::Exists`] if the target has the same content and must not be replaced, [`Error::Unfit`] if there is something
    /// else, and [`Error::Io`] if no folder can be made beside it.
    pub fn create(
        target: &Path,
        content: FolderContent,
        if_exists: IfExists,
        context: &Context,
    ) -> Result<AtomicFolder> {
        has_folder(target)?;
        // A link stays; the folder that it points to is filled.
        let target = match target.try_exists().map_err(Error::io(target, "look for"))? {
            true => fs::canonicalize(target).map_err(Error::io(target, "follow"))?,
            false => target.to_owned(),
        };
        may_be_filled(&target, content, if_exists)?;
        let scratch = scratch_beside(&target, context)?;
        let folder = AtomicFolder {
            scratch,
            target,
            content,
            if_exists,
        };
        fs::create_dir(folder.path()).map_err(Error::io(&folder.target, "create"))?;
        Ok(folder)
    }

    /// The temporary folder, to which files are written.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.scratch.path().join("folder")
    }

    /// Flushes the files to the disk and gives the folder its name.
    ///
    /// # Errors
    /// Returns [`Error::Io`] if that fails, and [`Error::Unfit`] or [`Error::Exists`] if another process has filled the target
    /// meanwhile. It is then as before.
    pub fn commit(self) -> Result<()> {
        let (folder, target) = (self.path(), &self.target);
        sync_all(&folder).map_err(Error::io(target, "write"))?;
        let named = match may_be_filled(target, self.content, self.if_exists)? {
            true => exchange(&folder, target),
            false => fs::rename(&folder, target),
        };
        named.map_err(Error::io(target, "write"))?;
        sync_folder(folder_of(target)).map_err(Error::io(target, "write"))
    }
}

/// Flushes a folder and everything in it.
fn sync_all(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => sync_all(&path)?,
            // Windows flushes only what can be written.
            false => File::options().write(true).open(path)?.sync_all()?,
        }
    }
    sync_folder(folder)
}

/// Checks that the folder of `target` exists.
fn has_folder(target: &Path) -> Result<()> {
    let folder = folder_of(target);
    let (found, folder) = (fs::metadata(folder), folder.display());
    let is_none = [ErrorKind::NotFound, ErrorKind::NotADirectory];
    let problem = match found {
        Ok(found) if !found.is_dir() => {
            format!("{folder} is a file, not a folder; give another name")
        }
        Err(error) if is_none.contains(&error.kind()) => {
            format!("there is no folder {folder}; make it, or give another name")
        }
        _ => return Ok(()),
    };
    Err(Error::unfit(target, problem))
}

/// Makes a folder for unfinished files in the folder of `target`.
fn scratch_beside(target: &Path, context: &Context) -> Result<Scratch> {
    let scratch = Scratch::within(folder_of(target), context.scratches());
    scratch.map_err(Error::io(target, "create"))
}

/// Checks that there is nothing at `target`, an empty folder, or one that may be replaced. Returns whether there is a folder.
fn may_be_filled(target: &Path, content: FolderContent, if_exists: IfExists) -> Result<bool> {
    let (failed, name) = (|| Error::io(target, "write to"), content.name);
    let is_empty = match fs::read_dir(target) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            let problem =
                format!("a file, and {name} needs a folder of its own; give another name");
            return Err(Error::unfit(target, problem));
        }
        Err(error) => return Err(failed()(error)),
    };
    if is_empty {
        return Ok(true);
    }
    match (content.is_in(target).map_err(failed())?, if_exists) {
        (true, IfExists::Replace) => Ok(true),
        (true, IfExists::Refuse) => Err(Error::Exists {
            path: target.to_owned(),
            found: name,
            output: name,
            replaceable: true,
        }),
        (false, _) => {
            let problem = format!("the folder is not empty; {name} needs a folder of its own");
            Err(Error::unfit(target, problem))
        }
    }
}

/// Lets two folders change their names.
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        if renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).is_ok() {
            return Ok(());
        }
    }
    // Some file systems can't do that at once. A process that is killed meanwhile leaves the old folder under this name.
    let mut aside = other.as_os_str().to_owned();
    aside.push(".old");
    fs::rename(other, &aside).map_err(|error| {
        let aside = aside.display();
        io::Error::new(error.kind(), format!("{error}, while {aside} is there"))
    })?;
    if let Err(error) = fs::rename(one, other) {
        fs::rename(&aside, other)?;
        return Err(error);
    }
    fs::rename(&aside, one)
}

/// Checks that a file with this content may be written to `target`.
fn may_be_written(target: &Path, content: Content, if_exists: IfExists) -> Result<()> {
    let look = FileKind::of(target).and_then(|found| Ok((found, content.holds(target, found)?)));
    let (found, is_alike) = match look {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Error::io(target, "open")(error)),
    };
    if content.is_of_another_game(found) {
        let problem =
            format!("{found} of another game, which can't be replaced; give another name");
        return Err(Error::unfit(target, problem));
    }
    let replaceable = is_alike || found == FileKind::Empty;
    match if_exists {
        IfExists::Replace if replaceable => Ok(()),
        _ => Err(Error::Exists {
            path: target.to_owned(),
            found: if is_alike {
                content.name()
            } else {
                found.name()
            },
            output: content.name(),
            replaceable,
        }),
    }
}

/// The same once the file is written. Not every command that makes a file can be told to replace one, but each can be run again.
fn may_be_named(target: &Path, content: Content, if_exists: IfExists) -> Result<()> {
    match may_be_written(target, content, if_exists) {
        Err(Error::Exists { path, .. }) if if_exists == IfExists::Refuse => {
            let problem = "another process has made this file meanwhile; run the command again";
            Err(Error::unfit(&path, problem))
        }
        checked => checked,
    }
}

/// Checks that `input` and `output` are different files.
///
/// # Errors
/// Returns [`Error::Unfit`] if they are the same.
pub fn spare(input: &Path, output: &Path) -> Result<()> {
    // A hard link to the same contents is fine: it keeps them.
    match (std::fs::canonicalize(input), std::fs::canonicalize(output)) {
        (Ok(one), Ok(other)) if one == other => {
            let problem = "input and output are the same file; give the output another name";
            Err(Error::unfit(input, problem))
        }
        _ => Ok(()),
    }
}

/// A rename survives a power cut only once the folder is on the disk too. Only Unix opens folders.
fn sync_folder(folder: &Path) -> io::Result<()> {
    match cfg!(unix) {
        true => File::open(folder)?.sync_all(),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    #[test]
    fn a_folder_appears_completely_or_not_at_all() {
        let parent = tempfile::tempdir().unwrap();
        let context = Context::default();
        let target = parent.path().join("target");
        let content = FolderContent {
            name: "a test",
            has: |path| path == Path::new("file"),
        };
        let create = |if_exists| AtomicFolder::create(&target, content, if_exists, &context);
        let begin = || {
            let folder = create(IfExists::Refuse).unwrap();
            fs::write(folder.path().join("file"), "contents").unwrap();
            folder
        };
        drop(begin());
        assert!(names(parent.path()).is_empty());
        for is_there in [false, true] {
            if is_there {
                fs::create_dir(&target).unwrap();
            }
            begin().commit().unwrap();
            assert_eq!(names(parent.path()), std::slice::from_ref(&target));
            assert_eq!(fs::read(target.join("file")).unwrap(), b"contents");
            create(IfExists::Refuse).unwrap_err();
            let newer = create(IfExists::Replace).unwrap();
            fs::write(newer.path().join("file"), "newer").unwrap();
            assert_eq!(fs::read(target.join("file")).unwrap(), b"contents");
            newer.commit().unwrap();
            assert_eq!(fs::read(target.join("file")).unwrap(), b"newer");
            assert_eq!(names(parent.path()), std::slice::from_ref(&target));
            fs::write(target.join("notes"), "somebody's").unwrap();
            create(IfExists::Replace).unwrap_err();
            fs::remove_dir_all(&target).unwrap();
        }
        let late = begin();
        fs::create_dir(&target).unwrap();
        fs::write(target.join("other"), "other").unwrap();
        late.commit().unwrap_err();
        assert_eq!(names(&target), [target.join("other")]);
        assert_eq!(names(parent.path()), [target]);
    }
}
