//! Writing positions as a book of any format.

use crate::record::{BookHeader, BookRecord};
use crate::zst::{Compression, Output};
use crate::{Encoded, Encoder, Error, Format, Header, Writer};
use crate::{edax, edax_text, egbk, egbk2, egbk3, encoder};
use obook_model::Position;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// Writes positions in any format, compressed if wanted.
///
/// The header comes first and holds the number of positions, so the caller has to know it; [`BookWriter::finish`]
/// fails where another number was written.
///
/// ```
/// use obook_converters::{BookReader, BookWriter, Format, Header};
/// use obook_model::{Engine, Leaf, Position};
/// use obook_othello::Board;
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
/// let mut writer = BookWriter::new(Vec::new(), Format::Egbk3, &header, None)?;
/// writer.write(&position)?;
/// let bytes = writer.finish()?;
///
/// let mut reader = BookReader::new(std::io::Cursor::new(bytes), "the book", None)?;
/// assert_eq!(reader.next().unwrap()?, position);
/// # Ok::<(), obook_converters::Error>(())
/// ```
pub struct BookWriter<W: Write> {
    records: Box<dyn Sink<W>>,
    format: Format,
    name: Option<String>,
}

impl BookWriter<File> {
    /// Creates the file at `path`, or empties the one that is there.
    ///
    /// # Errors
    /// The file cannot be written, or the header lacks what the format needs.
    pub fn create(
        path: impl AsRef<Path>,
        format: Format,
        header: &Header,
        compression: Option<Compression>,
    ) -> Result<BookWriter<File>, Error> {
        let name = path.as_ref().display().to_string();
        File::create(&path)
            .map_err(Error::new)
            .and_then(|file| BookWriter::new(file, format, header, compression))
            .map(|writer| writer.named(&name))
            .map_err(|error| error.named(&*name))
    }
}

impl<W: Write + 'static> BookWriter<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// The output cannot be written, or the header lacks what the format needs: the count (but for edax-text), and for
    /// edax the level, the number of empties and the errors.
    pub fn new(
        output: W,
        format: Format,
        header: &Header,
        compression: Option<Compression>,
    ) -> Result<BookWriter<W>, Error> {
        let output = Output::new(output, compression)?;
        let records = match format {
            Format::Edax => sink::<W, edax::Record>(output, header),
            Format::EdaxText => sink::<W, edax_text::Record>(output, header),
            Format::Egbk3 => sink::<W, egbk3::Record>(output, header),
            Format::Egbk2 => sink::<W, egbk2::Record>(output, header),
            Format::Egbk => sink::<W, egbk::Record>(output, header),
        }?;
        Ok(BookWriter {
            records,
            format,
            name: None,
        })
    }

    /// The writer with a name for its output, which errors then tell.
    #[must_use]
    pub fn named(mut self, name: &str) -> BookWriter<W> {
        self.name = Some(name.to_owned());
        self
    }

    /// The format.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// How many positions were written.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.records.records()
    }

    /// Writes a position. What the format lacks is left out; `.egbk3` says of a missing leaf that it is undefined, unless the
    /// position says [more](Position::no_leaf).
    ///
    /// # Errors
    /// The output cannot be written, or the position lacks what the format needs.
    pub fn write(&mut self, position: &Position) -> Result<(), Error> {
        self.records
            .write(position)
            .map_err(|error| error.named(self.name.as_deref()))
    }

    /// What makes bytes for [`BookWriter::write_encoded`], wherever there is a core to spare.
    ///
    /// ```
    /// use obook_converters::{BookWriter, Format, Header};
    /// use obook_model::{Engine, Position};
    /// use obook_othello::{Board, Line};
    ///
    /// let header = Header { count: Some(2), ..Header::default() };
    /// let mut writer = BookWriter::new(Vec::new(), Format::Egbk3, &header, None)?;
    /// let encoder = writer.encoder();
    /// let encode = |before, board: Board| {
    ///     let position = Position::new(board.canonical(), Engine::Egaroucid);
    ///     encoder.encode(before, [position])
    /// };
    /// let second = encode(1, "f5".parse::<Line>()?.board())?;
    /// let first = encode(0, Board::START)?;
    /// writer.write_encoded(&first)?;
    /// writer.write_encoded(&second)?;
    /// assert_eq!(writer.finish()?.len(), 14 + 2 * 25);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn encoder(&self) -> Encoder {
        Encoder::new(self.format, self.name.as_deref())
    }

    /// Writes positions that an [`encoder`](BookWriter::encoder) of this writer made bytes of.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn write_encoded(&mut self, encoded: &Encoded) -> Result<(), Error> {
        self.records
            .write_encoded(encoded)
            .map_err(|error| error.named(self.name.as_deref()))
    }

    /// Writes what is still in memory, flushes and gives the output back.
    ///
    /// # Errors
    /// The output cannot be written; or [`ErrorKind::Written`](crate::ErrorKind::Written): another number of positions
    /// was written than the header says.
    pub fn finish(self) -> Result<W, Error> {
        let output = self.records.finish();
        output
            .and_then(|output| output.finish().map_err(Error::new))
            .map_err(|error| error.named(self.name.as_deref()))
    }
}

impl<W: Write + 'static> std::fmt::Debug for BookWriter<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BookWriter")
            .field("format", &self.format)
            .field("positions", &self.positions())
            .finish_non_exhaustive()
    }
}

fn sink<W: Write + 'static, T: BookRecord>(
    output: Output<W>,
    header: &Header,
) -> Result<Box<dyn Sink<W>>, Error> {
    let header = T::Header::from_neutral(header).map_err(Error::new)?;
    Ok(Box::new(Writer::<_, T>::new(output, header)?))
}

/// A writer of any format.
trait Sink<W: Write> {
    fn write(&mut self, position: &Position) -> Result<(), Error>;
    fn write_encoded(&mut self, encoded: &Encoded) -> Result<(), Error>;
    fn records(&self) -> u64;
    fn finish(self: Box<Self>) -> Result<Output<W>, Error>;
}

impl<W: Write, T: BookRecord> Sink<W> for Writer<Output<W>, T> {
    fn write(&mut self, position: &Position) -> Result<(), Error> {
        let record = encoder::record(position, self.records() + 1)?;
        Writer::write(self, &record)
    }

    fn write_encoded(&mut self, encoded: &Encoded) -> Result<(), Error> {
        Writer::write_encoded(self, &encoded.bytes, encoded.records)
    }

    fn records(&self) -> u64 {
        self.records()
    }

    fn finish(self: Box<Self>) -> Result<Output<W>, Error> {
        Writer::finish(*self)
    }
}
