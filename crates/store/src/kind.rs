//! The content of a file, told by its beginning.

use crate::RawFile;
use obook_base::compression::{FRAME, GZIP, decompress, peek};
use obook_base::{is_sqlite, open_file};
use std::fmt;
use std::io::{self, Read};
use std::path::Path;

/// The first three bytes of `PRAGMA application_id` of an obook database: "obo". The last byte tells the game.
const OBOOK: u32 = 0x6f_626f;

/// The position of SQLite's application id: big-endian, in the first page of a database.
const APPLICATION_ID_AT: usize = 68;
/// How many bytes from the beginning tell what a file holds: enough to recognise a manual page.
const HEAD: usize = 1024;

/// Whether a folder is a lake: it has a manifest.
#[must_use]
pub fn is_lake(folder: &Path) -> bool {
    folder.join("manifest.json").is_file()
}

/// The kind of a file, as far as it can be told without knowing any game.
///
/// ```
/// use obook_store::FileKind;
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("notes.txt");
/// std::fs::write(&path, "")?;
/// assert_eq!(FileKind::of(&path)?, FileKind::Empty);
/// std::fs::write(&path, "to do: learn the book")?;
/// assert_eq!(FileKind::of(&path)?, FileKind::Other);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// An empty file.
    Empty,
    /// An obook database, with the number of its game.
    Database(u32),
    /// A SQLite database of another program.
    ForeignDatabase,
    /// A snapshot: an obook database compressed with zstd, with the number of its game.
    Snapshot(u32),
    /// Compressed by gzip, whatever it holds.
    Gzip,
    /// Anything else: a book file, games, a picture.
    Other,
}

impl FileKind {
    /// Returns the kind of the file at `path`.
    ///
    /// # Errors
    /// Returns an error if the file can't be read.
    pub fn of(path: &Path) -> io::Result<FileKind> {
        let head = head_of(RawFile::open(path)?)?;
        if !head.starts_with(&FRAME) {
            return Ok(FileKind::of_head(&head));
        }
        // Readers report why it can't be unpacked.
        Ok(match unpacked(path).map(|head| FileKind::of_head(&head)) {
            Ok(FileKind::Database(game)) => FileKind::Snapshot(game),
            _ => FileKind::Other,
        })
    }

    fn of_head(head: &[u8]) -> FileKind {
        match application_id(head) {
            Some(id) if id >> 8 == OBOOK => FileKind::Database(id),
            _ if is_sqlite(head) => FileKind::ForeignDatabase,
            _ if head.is_empty() => FileKind::Empty,
            _ if head.starts_with(&GZIP) => FileKind::Gzip,
            _ => FileKind::Other,
        }
    }

    /// Its name in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            FileKind::Empty => "an empty file",
            FileKind::Database(_) => "an obook database",
            FileKind::ForeignDatabase => "a SQLite database of another program",
            FileKind::Snapshot(_) => "a snapshot of a database",
            FileKind::Gzip => "a file compressed by gzip",
            FileKind::Other => "a file of some other kind",
        }
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The content that a file is to have. A file that is there already is replaced only if it holds the same: no notes give way to a picture.
///
/// ```
/// use obook_store::Content;
/// let page = Content::file("a page of HTML", |head, _| head.starts_with(b"<html"));
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("page.html");
/// std::fs::write(&path, "<html></html>")?;
/// assert!(page.is_in(&path)?);
/// std::fs::write(&path, "to do: write a page")?;
/// assert!(!page.is_in(&path)?);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Content(ToldBy);

#[derive(Clone, Copy, Debug)]
enum ToldBy {
    Kind(FileKind),
    /// With a name.
    Head(&'static str, fn(&[u8], Option<u64>) -> bool),
}

impl Content {
    /// A database or a snapshot of one: files of one [`FileKind`].
    #[must_use]
    pub const fn of_kind(kind: FileKind) -> Content {
        Content(ToldBy::Kind(kind))
    }

    /// Files of any other kind: what obook calls them, and how they are told by their first kilobyte, unpacked, and their length, if that
    /// is known.
    #[must_use]
    pub const fn file(name: &'static str, is: fn(&[u8], Option<u64>) -> bool) -> Content {
        Content(ToldBy::Head(name, is))
    }

    /// The name of such a file in messages: "a book file".
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.0 {
            ToldBy::Kind(kind) => kind.name(),
            ToldBy::Head(name, _) => name,
        }
    }

    /// Whether the file at `path` holds this. It may be compressed.
    ///
    /// # Errors
    /// Returns an error if the file can't be read.
    pub fn is_in(self, path: &Path) -> io::Result<bool> {
        self.holds(path, FileKind::of(path)?)
    }

    /// As [`Content::is_in`], for a file whose kind is known.
    pub(crate) fn holds(self, path: &Path, found: FileKind) -> io::Result<bool> {
        let is = match (self.0, found) {
            (ToldBy::Kind(kind), _) => return Ok(found == kind),
            (_, FileKind::Database(_) | FileKind::ForeignDatabase) => return Ok(false),
            (ToldBy::Head(_, is), _) => is,
        };
        let length = std::fs::metadata(path)?.len();
        let head = head_of(RawFile::open(path)?)?;
        if !head.starts_with(&GZIP) && !head.starts_with(&FRAME) {
            return Ok(is(&head, Some(length)));
        }
        let Ok(head) = unpacked(path) else {
            return Ok(false);
        };
        // Formats without a mark are told by their length, too.
        let length = || {
            let input = open_file(path).and_then(decompress);
            input.and_then(|mut input| io::copy(&mut input, &mut io::sink()))
        };
        Ok(!is_sqlite(&head) && (is(&head, None) || is(&head, length().ok())))
    }

    /// Whether this is a database or a snapshot, and the found file is one of another game.
    pub(crate) fn is_of_another_game(self, found: FileKind) -> bool {
        matches!(self.0, ToldBy::Kind(kind) if kind != found && kind.name() == found.name())
    }
}

/// The content that a folder is to have. A folder that is there already is replaced only if it holds the same.
#[derive(Clone, Copy, Debug)]
pub struct FolderContent {
    /// Its name in messages: "a site".
    pub name: &'static str,
    /// Whether obook gives a file in such a folder this path.
    pub has: fn(&Path) -> bool,
}

impl FolderContent {
    /// Whether a folder has such files, and nothing else.
    ///
    /// # Errors
    /// Returns an error if the folder can't be read.
    pub fn is_in(self, folder: &Path) -> io::Result<bool> {
        let (mut folders, mut is_any) = (vec![folder.to_owned()], false);
        while let Some(inner) = folders.pop() {
            for entry in std::fs::read_dir(inner)? {
                let (path, kind) = entry.and_then(|it| Ok((it.path(), it.file_type()?)))?;
                match path.strip_prefix(folder) {
                    _ if kind.is_dir() => folders.push(path),
                    Ok(name) if kind.is_file() && (self.has)(name) => is_any = true,
                    _ => return Ok(false),
                }
            }
        }
        Ok(is_any)
    }
}

/// The number in a SQLite database that tells whose it is.
fn application_id(head: &[u8]) -> Option<u32> {
    let id = head.get(APPLICATION_ID_AT..)?.first_chunk()?;
    is_sqlite(head).then(|| u32::from_be_bytes(*id))
}

/// The first bytes of what is compressed in a file.
fn unpacked(path: &Path) -> io::Result<Vec<u8>> {
    open_file(path).and_then(decompress).and_then(head_of)
}

/// Reads the first bytes.
fn head_of(source: impl Read) -> io::Result<Vec<u8>> {
    Ok(peek(source, HEAD)?.0)
}
