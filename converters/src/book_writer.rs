//! Writes positions as a book of any format, and encodes them on all cores.

use crate::record::{BookHeader, BookRecord};
use crate::row::Append;
use crate::{Error, ErrorKind, Format, Header, Writer};
use obook_base::compression::{Compression, Output};
use obook_othello::Position;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// Writes positions in any format, optionally compressed, to a file, or to any output that lives for `'a`.
///
/// The header comes first and contains the number of positions, so you need to know it in advance. [`BookWriter::finish`] fails
/// if a different number was written.
///
/// ```
/// use obook_converters::{BookReader, BookWriter, Format, Header};
/// use obook_othello::{Board, Engine, Leaf, Position};
///
/// let mut position = Position::new(Board::START.canonical(), Engine::Egaroucid);
/// position.value = Some(0);
/// position.level = Some(21);
/// position.lines = Some(1);
/// position.leaf = Some(Leaf {
///     mv: Board::START.moves().next(),
///     score: 0,
///     level: Some(21),
///     engine: Engine::Egaroucid,
/// });
///
/// let header = Header { count: Some(1), ..Header::default() };
/// let mut bytes = Vec::new();
/// let mut writer = BookWriter::new(&mut bytes, Format::Egbk3, &header, None)?;
/// writer.write(&position)?;
/// writer.finish()?;
///
/// let mut reader = BookReader::new(std::io::Cursor::new(bytes), "the book", None)?;
/// assert_eq!(reader.next().unwrap()?, position);
/// # Ok::<(), obook_converters::Error>(())
/// ```
pub struct BookWriter<'a> {
    records: Box<dyn Sink + 'a>,
    append: Append,
    /// Room for a position.
    encoded: Encoded,
    format: Format,
    name: Option<String>,
}

impl<'a> BookWriter<'a> {
    /// Creates the file at `path`, or empties the one that is there.
    ///
    /// # Errors
    /// The file cannot be written, or the header lacks what the format needs.
    pub fn create(
        path: impl AsRef<Path>,
        format: Format,
        header: &Header,
        compression: Option<Compression>,
    ) -> Result<BookWriter<'a>, Error> {
        let name = path.as_ref().display().to_string();
        File::create(&path)
            .map_err(Error::new)
            .and_then(|file| BookWriter::new(file, format, header, compression))
            .map(|writer| writer.named(&name))
            .map_err(|error| error.named(&*name))
    }

    /// Writes the header.
    ///
    /// # Errors
    /// Returns an error if the output can't be written or the header lacks something that the format requires: the count (except
    /// for edax-text), and for edax the level, the number of empties and the errors.
    pub fn new(
        output: impl Write + 'a,
        format: Format,
        header: &Header,
        compression: Option<Compression>,
    ) -> Result<BookWriter<'a>, Error> {
        let writer = format.row().writer.as_ref();
        let writer = writer.ok_or_else(|| Error::new(ErrorKind::ReadOnly { format }))?;
        let output: Box<dyn Write + 'a> = Box::new(output);
        let output = Output::new(output, compression)?;
        Ok(BookWriter {
            records: (writer.begin)(output, header)?,
            append: writer.append,
            encoded: Encoded::default(),
            format,
            name: None,
        })
    }

    /// Names the output for error messages.
    #[must_use]
    pub fn named(mut self, name: &str) -> BookWriter<'a> {
        self.name = Some(name.to_owned());
        self
    }

    /// The format.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// The number of positions written so far.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.records.records()
    }

    /// Writes a position, without anything that the format lacks. In `.egbk3` a missing leaf is undefined unless the position
    /// says [why](Position::no_leaf) it's missing.
    ///
    /// # Errors
    /// Returns an error if the output can't be written or the position lacks something that the format requires.
    pub fn write(&mut self, position: &Position) -> Result<(), Error> {
        self.encoded.records = 1;
        self.encoded.bytes.clear();
        (self.append)(position, self.positions() + 1, &mut self.encoded.bytes)
            .and_then(|()| self.records.write_encoded(&self.encoded))
            .map_err(|error| error.named(self.name.as_deref()))
    }

    /// Returns an encoder for [`BookWriter::write_encoded`], to be used on other cores.
    ///
    /// ```
    /// use obook_converters::{BookWriter, Format, Header};
    /// use obook_othello::{Board, Engine, Line, Position};
    ///
    /// let header = Header { count: Some(2), ..Header::default() };
    /// let mut bytes = Vec::new();
    /// let mut writer = BookWriter::new(&mut bytes, Format::Egbk3, &header, None)?;
    /// let encoder = writer.encoder();
    /// let encode = |before, board: Board| {
    ///     let position = Position::new(board.canonical(), Engine::Egaroucid);
    ///     encoder.encode(before, [position])
    /// };
    /// let second = encode(1, "f5".parse::<Line>()?.board())?;
    /// let first = encode(0, Board::START)?;
    /// writer.write_encoded(&first)?;
    /// writer.write_encoded(&second)?;
    /// writer.finish()?;
    /// assert_eq!(bytes.len(), 14 + 2 * 25);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn encoder(&self) -> Encoder {
        Encoder {
            append: self.append,
            name: self.name.clone(),
        }
    }

    /// Writes positions encoded by an [`encoder`](BookWriter::encoder) of this writer.
    ///
    /// # Errors
    /// Returns an error if the output can't be written.
    pub fn write_encoded(&mut self, encoded: &Encoded) -> Result<(), Error> {
        let written = self.records.write_encoded(encoded);
        written.map_err(|error| error.named(self.name.as_deref()))
    }

    /// Writes what is still in memory, and flushes the output.
    ///
    /// # Errors
    /// Returns an error if the output can't be written, or [`ErrorKind::Written`](crate::ErrorKind::Written) if the number of
    /// positions differs from the header's.
    pub fn finish(self) -> Result<(), Error> {
        let finished = self.records.finish();
        finished.map_err(|error| error.named(self.name.as_deref()))
    }
}

impl std::fmt::Debug for BookWriter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BookWriter")
            .field("format", &self.format)
            .field("positions", &self.positions())
            .finish_non_exhaustive()
    }
}

/// An output of any type, perhaps compressed.
pub(crate) type Out<'a> = Output<Box<dyn Write + 'a>>;

/// A writer of any format.
pub(crate) trait Sink {
    fn write_encoded(&mut self, encoded: &Encoded) -> Result<(), Error>;
    fn records(&self) -> u64;
    /// Writes what is still in memory, and ends the output.
    fn finish(self: Box<Self>) -> Result<(), Error>;
}

/// Begins a sequence of records.
pub(crate) fn begin_records<'a, T: BookRecord>(
    output: Out<'a>,
    header: &Header,
) -> Result<Box<dyn Sink + 'a>, Error> {
    let header = T::Header::from_neutral(header).map_err(Error::new)?;
    Ok(Box::new(Writer::<_, T>::new(output, header)?))
}

impl<T: BookRecord> Sink for Writer<Out<'_>, T> {
    fn write_encoded(&mut self, encoded: &Encoded) -> Result<(), Error> {
        Writer::write_encoded(self, &encoded.bytes, encoded.records)
    }

    fn records(&self) -> u64 {
        self.records()
    }

    fn finish(self: Box<Self>) -> Result<(), Error> {
        Ok(Writer::finish(*self)?.finish().map(drop)?)
    }
}

/// Encodes positions for a [`BookWriter`]. Created by [`BookWriter::encoder`]. Threads can share it.
#[derive(Clone, Debug)]
pub struct Encoder {
    append: Append,
    name: Option<String>,
}

/// Consecutive positions of a book, ready to be written.
#[derive(Clone, Debug, Default)]
pub struct Encoded {
    pub(crate) bytes: Vec<u8>,
    pub(crate) records: u64,
}

impl Encoder {
    /// Encodes positions that come after `before` others in the book.
    ///
    /// # Errors
    /// Returns an error if a position lacks something that the format requires.
    pub fn encode(
        &self,
        before: u64,
        positions: impl IntoIterator<Item = Position>,
    ) -> Result<Encoded, Error> {
        let mut encoded = Encoded::default();
        for position in positions {
            encoded.records += 1;
            let number = before + encoded.records;
            (self.append)(&position, number, &mut encoded.bytes)
                .map_err(|error| error.named(self.name.as_deref()))?;
        }
        Ok(encoded)
    }
}

/// Appends the record of the position with this number in the book.
pub(crate) fn append_record<T: BookRecord>(
    position: &Position,
    number: u64,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let record = T::from_position(position).map_err(ErrorKind::from);
    let encoded = record.and_then(|record| record.encode(T::Layout::default(), out));
    encoded.map_err(|kind| Error::new(kind).in_record(number))
}
