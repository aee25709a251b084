//! What kind of file has a name, told by its contents: what may take its place, and what reads it.

use obook_converters::{Format, decompress};
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// `PRAGMA application_id` of an obook database: "obok".
pub const APPLICATION_ID: u32 = 0x6f62_6f6b;

/// Where SQLite keeps the application id: big-endian, in the first page of a database.
const APPLICATION_ID_AT: usize = 68;
/// What a file that gzip compressed begins with.
const GZIP: &[u8] = &[0x1f, 0x8b];
/// What a file that zstd compressed begins with.
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
/// Bytes from the beginning that tell: enough for a manual page to say that it is one.
const HEAD: usize = 4 * Format::HEAD;

/// The kind of a file that exists, or of one that is to be written.
///
/// ```
/// use obook_store::FileKind;
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("notes.txt");
/// std::fs::write(&path, "")?;
/// assert_eq!(FileKind::of(&path)?, FileKind::Empty);
/// std::fs::write(&path, "to do: learn the book")?;
/// assert_eq!(FileKind::of(&path)?, FileKind::Other);
/// assert!(FileKind::Book.replaces(FileKind::Empty) && !FileKind::Book.replaces(FileKind::Other));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// Nothing is in it.
    Empty,
    /// A book file of any format, compressed with zstd or not.
    Book,
    /// A database of obook's.
    Database,
    /// A SQLite database of another program's.
    ForeignDatabase,
    /// A database of obook's, compressed with zstd.
    Snapshot,
    /// An SVG picture.
    Picture,
    /// The numbers of a picture as JSON.
    PictureData,
    /// A manual page.
    ManualPage,
    /// Records of games with remarks on their moves: GGF or SGF. Of other texts it can't be told for sure that they are games.
    Games,
    /// Whatever gzip has compressed.
    Gzip,
    /// Anything else.
    Other,
}

impl FileKind {
    /// The kind of the file at `path`, which must be a regular file: of a pipe this would wait for who writes to it.
    ///
    /// # Errors
    /// Where it can't be read.
    pub fn of(path: &Path) -> io::Result<FileKind> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        let head = head_of(file)?;
        if !head.starts_with(ZSTD) {
            return Ok(FileKind::of_head(&head, Some(length)));
        }
        // What can't be unpacked is left to those who read it: they say why.
        let unpacked = File::open(path).and_then(decompress).and_then(head_of);
        Ok(match unpacked.map(|head| FileKind::of_head(&head, None)) {
            Ok(FileKind::Database) => FileKind::Snapshot,
            Ok(FileKind::Book | FileKind::Empty) => FileKind::Book,
            _ => FileKind::Other,
        })
    }

    fn of_head(head: &[u8], length: Option<u64>) -> FileKind {
        if head.is_empty() {
            FileKind::Empty
        } else if is_sqlite(head) {
            let id = head.get(APPLICATION_ID_AT..).and_then(<[u8]>::first_chunk);
            match id.map(|id| u32::from_be_bytes(*id)) {
                Some(APPLICATION_ID) => FileKind::Database,
                _ => FileKind::ForeignDatabase,
            }
        } else if Format::detect(head, length).is_some() {
            FileKind::Book
        } else if head.starts_with(GZIP) {
            FileKind::Gzip
        } else {
            FileKind::of_text(head)
        }
    }

    fn of_text(head: &[u8]) -> FileKind {
        let text = String::from_utf8_lossy(head);
        let text = text.trim_start();
        if text.starts_with("<svg") || text.starts_with("<?xml") && text.contains("<svg") {
            FileKind::Picture
        } else if is_picture_data(text) {
            FileKind::PictureData
        } else if text.lines().any(|line| line.starts_with(".TH ")) {
            FileKind::ManualPage
        } else if is_annotated_games(head) {
            FileKind::Games
        } else {
            FileKind::Other
        }
    }

    /// Whether a file of this kind may take the place of one that is there.
    #[must_use]
    pub fn replaces(self, found: FileKind) -> bool {
        found == FileKind::Empty || found == self
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FileKind::Empty => "an empty file",
            FileKind::Book => "a book file",
            FileKind::Database => "an obook database",
            FileKind::ForeignDatabase => "a SQLite database of another program",
            FileKind::Snapshot => "a snapshot of a database",
            FileKind::Picture => "an SVG picture",
            FileKind::PictureData => "the JSON of a picture",
            FileKind::ManualPage => "a manual page",
            FileKind::Games => "a file of games",
            FileKind::Gzip => "a file that gzip compressed",
            FileKind::Other => "a file of some other kind",
        })
    }
}

fn is_annotated_games(head: &[u8]) -> bool {
    use obook_games::Format::{Ggf, Sgf};
    matches!(obook_games::Format::detect(head), Some(Ggf | Sgf))
}

/// Whether the first keys are those of the bars or of the tree of a picture.
fn is_picture_data(text: &str) -> bool {
    let text: String = text.split_whitespace().collect();
    [
        ("{\"title\":", "\"across\":"),
        ("{\"start\":", "\"score\":"),
    ]
    .iter()
    .any(|(first, second)| text.starts_with(first) && text.contains(second))
}

/// Whether a file that starts with these bytes is a SQLite database.
#[must_use]
pub fn is_sqlite(head: &[u8]) -> bool {
    head.starts_with(b"SQLite format 3\0")
}

/// The first bytes of what is read.
fn head_of(source: impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    source.take(HEAD as u64).read_to_end(&mut head)?;
    Ok(head)
}
