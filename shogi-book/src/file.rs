//! Book files of any format, recognised by their contents.

use crate::schema::SHOGI;
use obook_converters::{decompress, open_file, without_zst};
use obook_shogi::{Board, Book, Dropped, Fault, ReadError, apery, db, gikou, sbk, ybb};
use obook_store::{Error, FileKind, Result, SHOGI_BOOKS};
use serde::Serialize;
use std::fmt;
use std::io::{self, Read};
use std::path::Path;

/// A format of book files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// YaneuraOu's text.
    Db,
    /// YaneuraOu's binary format.
    Ybb,
    /// Apery's `book.bin`.
    Apery,
    /// Gikou's `book.bin`.
    Gikou,
    /// ShogiGUI's `.sbk`.
    Sbk,
}

impl Format {
    /// The formats that can be written.
    pub const WRITTEN: [Format; 3] = [Format::Db, Format::Ybb, Format::Apery];
    /// All formats.
    pub const ALL: [Format; 5] = [
        Format::Db,
        Format::Ybb,
        Format::Apery,
        Format::Gikou,
        Format::Sbk,
    ];

    /// The name in commands and in table `sources`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Format::Db => "db",
            Format::Ybb => "ybb",
            Format::Apery => "apery",
            Format::Gikou => "gikou",
            Format::Sbk => "sbk",
        }
    }

    /// The format to write into a file with this name.
    #[must_use]
    pub fn of_extension(path: &Path) -> Option<Format> {
        let path = without_zst(path).unwrap_or_else(|| path.to_owned());
        match path.extension()?.to_str()? {
            "db" => Some(Format::Db),
            "ybb" => Some(Format::Ybb),
            "bin" => Some(Format::Apery),
            _ => None,
        }
    }

    /// The format of a file, if it is a book of shogi. Formats without a mark are recognised by their first records.
    ///
    /// # Errors
    /// Returns an error if the file can't be read.
    pub fn of_file(path: &Path) -> io::Result<Option<Format>> {
        let file = open_file(path)?;
        let length = file.metadata()?.len();
        let (mut head, mut unpacked) = (Vec::new(), Vec::new());
        file.take(HEAD).read_to_end(&mut head)?;
        // What is cut off here is read as far as it goes.
        let _ = decompress(&head[..])?.take(HEAD).read_to_end(&mut unpacked);
        let length = (unpacked == head).then_some(length);
        Ok(Format::detect(&unpacked, length))
    }

    /// The format of a book that begins with these bytes. Formats without a mark are recognised only if the length is known.
    fn detect(head: &[u8], length: Option<u64>) -> Option<Format> {
        let [of_db, of_ybb] = SHOGI_BOOKS;
        if head.starts_with(of_ybb) {
            return Some(Format::Ybb);
        }
        if is_db(head, of_db) {
            return Some(Format::Db);
        }
        let length = length?;
        if is_text(head) {
            None
        } else if apery::is_book(head, length) {
            Some(Format::Apery)
        } else if gikou::is_book(head, length) {
            Some(Format::Gikou)
        } else if sbk::is_book(head) {
            Some(Format::Sbk)
        } else {
            None
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How many bytes from the beginning tell the format: Gikou's numbers, and some records.
const HEAD: u64 = 1 << 15;

/// Whether these bytes are a text. The binary formats have small numbers in every record.
fn is_text(head: &[u8]) -> bool {
    head.iter().all(|&byte| byte >= b'\t')
}

/// Whether a text begins with YaneuraOu's header, or its first line that is no comment is a position.
fn is_db(head: &[u8], header: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let first = head
        .split(|&byte| byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .find(|line| !line.is_empty() && !line.starts_with(b"#") && !line.starts_with(b"//"));
    head.starts_with(header) || first.is_some_and(|line| line.starts_with(b"sfen "))
}

/// A file that was read.
#[derive(Clone, Debug)]
pub struct BookFile {
    /// Its format.
    pub format: Format,
    /// Its records, with legal moves only.
    pub book: Book,
    /// Records that can't be read.
    pub faults: Vec<Fault>,
    /// Contents that books can't hold.
    pub dropped: Dropped,
    /// Positions with moves that aren't legal, and how many. They were left out.
    pub illegal: Vec<(Board, usize)>,
    /// How many of its positions are hashes whose position was not found.
    pub missed: u64,
}

/// How many plies beyond a book to look for positions of which a file has only the hash.
const BEYOND: u32 = 1;

impl BookFile {
    /// Reads the bytes of a file in this format. Positions of which it has only hashes are looked for from the start position.
    ///
    /// # Errors
    /// Returns [`ReadError`] if the file is no such file.
    pub fn read(format: Format, bytes: &[u8]) -> Result<BookFile, ReadError> {
        let mut missed = 0;
        let mut walked = |found: obook_shogi::Found, faults| {
            missed = found.missed as u64;
            obook_shogi::Read {
                book: found.book,
                faults,
                dropped: Dropped::default(),
            }
        };
        let read = match format {
            Format::Db => db::read(bytes),
            Format::Ybb => ybb::read(bytes)?,
            Format::Sbk => sbk::read(bytes)?,
            Format::Apery => {
                let file = apery::read(bytes)?;
                let faults = file.faults.clone();
                walked(file.find([Board::start()], BEYOND), faults)
            }
            Format::Gikou => {
                let file = gikou::read(bytes)?;
                let faults = file.faults.clone();
                walked(file.find([Board::start()], BEYOND), faults)
            }
        };
        let mut book = read.book;
        let illegal = book.drop_illegal_moves();
        Ok(BookFile {
            format,
            book,
            faults: read.faults,
            dropped: read.dropped,
            illegal,
            missed,
        })
    }

    /// What was left out.
    #[must_use]
    pub fn left_out(self) -> LeftOut {
        LeftOut {
            illegal_moves: self.illegal.iter().map(|&(_, moves)| moves as u64).sum(),
            not_found: self.missed,
            comments: self.dropped.comments,
            faults: self.faults,
        }
    }

    /// Opens a file in any format, which may be compressed; `-` is standard input. Returns its unpacked bytes, too.
    ///
    /// # Errors
    /// Returns [`Error::Io`] if it can't be read, and [`Error::Unfit`] if it is no book of shogi.
    pub fn open(path: &Path) -> Result<(BookFile, Vec<u8>)> {
        let bytes = contents(path)?;
        let head = &bytes[..bytes.len().min(HEAD as usize)];
        let Some(format) = Format::detect(head, Some(bytes.len() as u64)) else {
            let problem = "not a book of shogi; expected a .db or .ybb of YaneuraOu, a book.bin of Apery or Gikou, or a .sbk of \
                           ShogiGUI";
            return Err(Error::unfit(path, problem));
        };
        let file = BookFile::read(format, &bytes);
        let file = file.map_err(|error| Error::unfit(path, error.to_string()))?;
        Ok((file, bytes))
    }
}

/// The unpacked bytes of a file, which may be compressed; `-` is standard input.
pub(crate) fn contents(path: &Path) -> Result<Vec<u8>> {
    let bytes = match path == Path::new("-") {
        true => unpacked(io::stdin()),
        false => {
            if FileKind::of(path).map_err(Error::io(path, "open"))? == FileKind::Snapshot {
                return Err(Error::Snapshot {
                    path: path.to_owned(),
                });
            }
            open_file(path).and_then(unpacked)
        }
    };
    bytes.map_err(Error::io(path, "read"))
}

/// The most bytes of a file.
const MOST: u64 = 1 << 35;

/// All bytes of a source that may be compressed.
fn unpacked(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    decompress(source)?.take(MOST + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > MOST {
        true => Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it has more than {} GiB unpacked", MOST >> 30),
        )),
        false => Ok(bytes),
    }
}

/// The parts of a file that were left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Moves that aren't legal.
    pub illegal_moves: u64,
    /// Positions of which the file has only a hash, and that no line from the start position reaches.
    pub not_found: u64,
    /// Comments that belong to no position.
    pub comments: u64,
    /// Records that can't be read, with their places.
    #[serde(serialize_with = "as_texts")]
    pub faults: Vec<Fault>,
}

fn as_texts<S: serde::Serializer>(faults: &[Fault], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(faults.iter().map(ToString::to_string))
}

/// Writes a book in a format, and counts what that can't hold.
///
/// # Panics
/// Panics if the format is only [read](Format::WRITTEN).
#[must_use]
pub fn write(format: Format, book: &Book) -> (Vec<u8>, Dropped) {
    match format {
        Format::Db => (db::write(book).into_bytes(), Dropped::default()),
        Format::Ybb => ybb::write(book),
        Format::Apery => apery::write(book),
        Format::Gikou | Format::Sbk => unreachable!("{format} is only read"),
    }
}

/// Whether a file is a book of shogi: a database or a snapshot of one, or a file in any format. `false` if it can't be read.
#[must_use]
pub fn is_book(path: &Path) -> bool {
    let format = || Format::of_file(path).ok().flatten();
    match FileKind::with_game(path) {
        Ok((FileKind::Database | FileKind::Snapshot, game)) => game == Some(SHOGI.application_id()),
        // The other formats have no mark, and a book of Othello may look like one.
        Ok((FileKind::Book, _)) => matches!(format(), Some(Format::Db | Format::Ybb)),
        Ok((FileKind::Other | FileKind::Gzip, _)) => format().is_some(),
        _ => false,
    }
}
