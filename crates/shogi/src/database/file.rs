//! Book files of any format, recognised by their contents.

pub use crate::database::format::Format;

use crate::database::format::HEAD;
use crate::database::schema::SHOGI;
use crate::{Board, Book, BookMove, Comment, Entry, Fault, Packed, Read, ReadError, db, ybb};
use obook_base::compression::{decompress, peek};
use obook_base::{Budget, Source as Input, hex, is_stdin};
use obook_store::{Content, Context, Error, FileKind, Result};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// A file that was read.
#[derive(Clone, Debug, Default)]
pub struct BookFile {
    /// Its format.
    pub format: Format,
    /// Its records, with legal moves only, and what of it can't be read.
    pub read: Read,
    /// Positions with moves that aren't legal, and how many. They were left out.
    pub illegal: Vec<(Board, usize)>,
}

impl BookFile {
    /// Reads the bytes of a file in this format. Positions of which it has only hashes are looked for from the start position.
    ///
    /// # Errors
    /// Returns [`ReadError`] if the file is no such file.
    pub fn read(format: Format, bytes: &[u8]) -> Result<BookFile, ReadError> {
        let mut file = BookFile {
            format,
            ..BookFile::default()
        };
        file.take((format.row().read)(bytes)?);
        Ok(file)
    }

    /// Takes what was read, without moves that aren't legal. Returns the memory that records take, and that of the rest.
    fn take(&mut self, mut read: Read) -> [u64; 2] {
        let illegal = read.book.drop_illegal_moves();
        let entries = read.book.entries.iter().map(memory_of);
        // Each is kept, becomes a text, and is written in a list of all, of which SQLite has a copy.
        let faults =
            (read.faults.iter()).map(|fault| 5 * (size_of::<Fault>() + fault.reason.len()));
        let rest = faults.sum::<usize>() + 2 * size_of::<(Board, usize)>() * illegal.len();
        let taken = [entries.sum::<usize>() as u64, rest as u64];
        self.read.add(read);
        self.illegal.extend(illegal);
        taken
    }

    /// Everything that was left out.
    #[must_use]
    pub fn left_out(self) -> LeftOut {
        LeftOut {
            illegal_moves: self.illegal.iter().map(|&(_, moves)| moves as u64).sum(),
            not_found: self.read.missed,
            comments: self.read.dropped.comments,
            evaluations: self.read.dropped.scores,
            faults: self.read.faults,
        }
    }

    /// Opens a file in any format, which may be compressed; `-` is standard input.
    ///
    /// # Errors
    /// Returns [`Error::Io`] if it can't be read or takes more memory than the context allows, and [`Error::Unfit`] if it is no book
    /// of shogi.
    pub fn open(path: &Path, context: &Context) -> Result<BookFile> {
        let mut parts = Parts::open(path, Budget::new(context.memory()))?;
        parts.fill()?;
        match parts.is_at_end() {
            true => Ok(parts.file),
            false => Err(parts.too_large()),
        }
    }
}

/// The most memory that a record takes, also while its book is put in order.
fn memory_of(entry: &Entry) -> usize {
    let texts = entry.comments.iter().map(|comment| comment.text.capacity());
    2 * size_of::<Entry>()
        + 2 * size_of::<(Packed, usize)>()
        + 2 * size_of::<BookMove>() * entry.moves.capacity()
        + size_of::<Comment>() * entry.comments.capacity()
        + texts.sum::<usize>()
}

/// A file that is read part by part, if its format has records.
pub(crate) struct Parts {
    path: PathBuf,
    /// The source of the records that haven't been read.
    source: Option<Source>,
    budget: Budget,
    /// The contents read so far, and the memory that they take: records, and the rest.
    pub(crate) file: BookFile,
    taken: [u64; 2],
    /// The digest of the unpacked bytes, once they were read.
    pub(crate) digest: Option<String>,
}

/// A file with records.
enum Source {
    Text(Box<db::Reader<Digested>>),
    Packed(ybb::Records<Vec<u8>>),
}

/// The records of a packed book that are read at a time.
const AT_ONCE: usize = 1 << 6;

impl Parts {
    /// Begins to read a file in any format, which may be compressed; `-` is standard input.
    ///
    /// # Errors
    /// As [`BookFile::open`].
    pub(crate) fn open(path: &Path, budget: Budget) -> Result<Parts> {
        let failed = || Error::io(path, "read");
        let (head, input) = peek(unpacked(path)?, HEAD as usize).map_err(failed())?;
        let mut input = Digested {
            input: Box::new(input),
            digest: Sha256::new(),
        };
        let unfit = |problem: String| Error::unfit(path, problem);
        let mut parts = Parts {
            path: path.to_owned(),
            source: None,
            budget,
            file: BookFile::default(),
            taken: [0; 2],
            digest: None,
        };
        if Format::detect(&head, None) == Some(Format::Db) {
            parts.source = Some(Source::Text(Box::new(db::Reader::new(input))));
            return Ok(parts);
        }
        let mut bytes = Vec::new();
        (budget.limit(&mut input, KEPT).read_to_end(&mut bytes)).map_err(failed())?;
        parts.digest = Some(input.digest());
        let Some(format) = Format::detect(&head, Some(bytes.len() as u64)) else {
            let programs = Format::ALL.map(|it| it.row().program).join(", ");
            let problem = format!("not a book of shogi; expected one of {programs}");
            return Err(unfit(problem));
        };
        let Some(expansion) = format.row().expansion else {
            // The text was recognised above.
            parts.file.format = Format::Ybb;
            parts.taken[1] = bytes.len() as u64;
            let records = ybb::Records::new(bytes).map_err(|error| unfit(error.to_string()))?;
            parts.source = Some(Source::Packed(records));
            return Ok(parts);
        };
        if (bytes.len() as u64).saturating_mul(expansion) > budget.bytes() {
            return Err(parts.too_large());
        }
        parts.file = BookFile::read(format, &bytes).map_err(|error| unfit(error.to_string()))?;
        Ok(parts)
    }

    /// Reads records until they take the memory that the budget allows.
    ///
    /// # Errors
    /// If the file can't be read.
    pub(crate) fn fill(&mut self) -> Result<()> {
        while let Some(read) = self.next().map_err(Error::io(&self.path, "read"))? {
            let [records, rest] = self.file.take(read);
            self.taken[0] += records;
            self.taken[1] += rest;
            if self.taken[1] > self.budget.bytes() {
                return Err(self.too_large());
            }
            if self.taken[0] + self.taken[1] > self.budget.bytes() {
                break;
            }
        }
        Ok(())
    }

    /// Takes the records that were read.
    pub(crate) fn records(&mut self) -> Book {
        self.taken[0] = 0;
        std::mem::take(&mut self.file.read.book)
    }

    /// Whether all was read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.source.is_none()
    }

    fn next(&mut self) -> io::Result<Option<Read>> {
        let part = match &mut self.source {
            Some(Source::Text(reader)) => reader.next_part()?,
            Some(Source::Packed(records)) => {
                let mut read = Read::default();
                for (entry, fault) in records.take(AT_ONCE) {
                    read.book.entries.extend(entry);
                    read.faults.extend(fault);
                }
                (read != Read::default()).then_some(read)
            }
            None => None,
        };
        if part.is_none()
            && let Some(Source::Text(reader)) = self.source.take()
        {
            self.digest = Some(reader.into_inner().digest());
        }
        Ok(part)
    }

    fn too_large(&self) -> Error {
        Error::io(&self.path, "read")(self.budget.exceeded())
    }
}

/// The memory that an unpacked byte takes while it is kept, as it is.
const KEPT: u64 = 2;

/// An input of which a digest is made.
struct Digested {
    input: Box<dyn io::Read>,
    digest: Sha256,
}

impl Digested {
    fn digest(self) -> String {
        hex(&self.digest.finalize())
    }
}

impl io::Read for Digested {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.digest.update(&buffer[..read]);
        Ok(read)
    }
}

/// Whether this is a database; standard input, `-`, is none.
pub(crate) fn is_database(path: &Path) -> Result<bool> {
    if is_stdin(path) {
        return Ok(false);
    }
    let kind = FileKind::of(path).map_err(Error::io(path, "open"))?;
    Ok(matches!(kind, FileKind::Database(_)))
}

/// The unpacked bytes of a file, which may be compressed or in an archive; `-` is standard input.
pub(crate) fn unpacked(path: &Path) -> Result<Box<dyn io::Read>> {
    let source = Input::open_or_stdin(path).map_err(Error::io(path, "open"))?;
    let is_snapshot = |kind| matches!(kind, FileKind::Snapshot(_));
    if !is_stdin(path) && FileKind::of(path).is_ok_and(is_snapshot) {
        return Err(Error::Snapshot {
            path: path.to_owned(),
        });
    }
    let input = decompress(source).map_err(Error::io(path, "read"))?;
    Ok(Box::new(input))
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
    /// Evaluations of positions by engines, beside the weights of moves.
    pub evaluations: u64,
    /// Records that can't be read, with their places.
    #[serde(serialize_with = "as_texts")]
    pub faults: Vec<Fault>,
}

fn as_texts<S: serde::Serializer>(faults: &[Fault], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(faults.iter().map(ToString::to_string))
}

/// A book file in a format that has a mark.
pub const BOOK_FILE: Content = Content::file("a book file", |head, _| {
    Format::detect(head, None).is_some()
});

/// A book file in a format that is written: what another may replace.
pub const WRITTEN: Content = Content::file("a book file", |head, length| {
    let format = Format::detect(head, length);
    format.is_some_and(|format| Format::written().any(|written| written == format))
});

/// Whether a file is a book of shogi: a database or a snapshot of one, or a file in any format. `false` if it can't be read. A file of
/// another game may look like a format without a mark; [`BOOK_FILE`] tells those that have one.
#[must_use]
pub fn is_book(path: &Path) -> bool {
    match FileKind::of(path) {
        Ok(FileKind::Database(game) | FileKind::Snapshot(game)) => game == SHOGI.application_id,
        Ok(FileKind::Other | FileKind::Gzip) => matches!(Format::of_file(path), Ok(Some(_))),
        _ => false,
    }
}
