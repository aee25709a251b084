//! Reading a book of any format as checked positions.

use crate::batches::Batches;
use crate::checked::{Batch, Positions};
use crate::egbk2::LinkCount;
use crate::format::EGAROUCID_MAGIC;
use crate::record::{BookHeader, BookRecord};
use crate::zst::{Input, peek};
use crate::{Error, ErrorKind, Format, Header, Reader};
use crate::{edax, edax_text, egbk, egbk2, egbk3};
use obook_model::Position;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A book of any format as a stream of checked positions; compressed books are looked through.
///
/// An iterator: a position that cannot be is an error of its own ([`Error::is_fault`]) and reading goes on behind it; a
/// damaged file is the last thing that comes. Where every position is wanted, [`BookReader::batches`] checks them on
/// all cores.
///
/// ```
/// use obook_converters::{BookReader, Format};
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/egaroucid/games.mixed.egbk3");
/// let mut book = BookReader::open(path, None)?;
/// assert_eq!((book.format(), book.header().count), (Format::Egbk3, Some(2236)));
/// let mut deepest = 60;
/// for position in book.by_ref() {
///     let position = position?;
///     deepest = deepest.min(position.board.board().empties());
/// }
/// assert_eq!((book.positions(), deepest), (2236, 1));
/// # Ok::<(), obook_converters::Error>(())
/// ```
pub struct BookReader {
    records: Box<dyn Positions>,
    format: Format,
    compressed: bool,
    header: Header,
    link_count: Option<LinkCount>,
    positions: u64,
    turned: u64,
}

impl BookReader {
    /// Opens the file at `path`. Its format is found by its contents, unless one is given.
    ///
    /// # Errors
    /// The file cannot be read, is in no known format or not in the given one, or ends inside its header.
    pub fn open(path: impl AsRef<Path>, format: Option<Format>) -> Result<BookReader, Error> {
        let name = path.as_ref().display().to_string();
        let open = || {
            let file = File::open(&path)?;
            let metadata = file.metadata()?;
            Ok((file, metadata.is_file().then_some(metadata.len())))
        };
        let (file, len) =
            open().map_err(|error: std::io::Error| Error::new(error).named(&*name))?;
        BookReader::start(file, len, &name, format).map_err(|error| error.named(&*name))
    }

    /// Reads from any input; `name` is what errors call it, such as "standard input".
    ///
    /// # Errors
    /// As [`BookReader::open`].
    ///
    /// ```
    /// # let bytes: &[u8] = include_bytes!("../../tests/data/edax/games.prune.dat");
    /// use obook_converters::BookReader;
    /// let input = &bytes[..1000]; // a file that was cut off
    /// let error = BookReader::new(input, "book.dat", None)?.find_map(Result::err).unwrap();
    /// assert!(error.to_string().starts_with("book.dat: position 22 (byte 974): the file ends too early"));
    /// # Ok::<(), obook_converters::Error>(())
    /// ```
    pub fn new(
        input: impl Read + Send + 'static,
        name: &str,
        format: Option<Format>,
    ) -> Result<BookReader, Error> {
        BookReader::start(input, None, name, format).map_err(|error| error.named(name))
    }

    fn start(
        input: impl Read + Send + 'static,
        len: Option<u64>,
        name: &str,
        format: Option<Format>,
    ) -> Result<BookReader, Error> {
        let input = Input::new(input)?;
        let compressed = input.is_compressed();
        let (head, input) = peek(input, Format::HEAD)?;
        let format = format.or_else(|| Format::detect(&head, len.filter(|_| !compressed)));
        let format = format.ok_or_else(|| unknown(head))?;
        let mut book = match format {
            Format::Edax => BookReader::of(edax::Reader::named(input, name)?),
            Format::EdaxText => BookReader::of(edax_text::Reader::named(input, name)?),
            Format::Egbk3 => BookReader::of(egbk3::Reader::named(input, name)?),
            Format::Egbk2 => {
                let reader = egbk2::Reader::named(input, name)?;
                let link_count = Some(reader.layout());
                BookReader {
                    link_count,
                    ..BookReader::of(reader)
                }
            }
            Format::Egbk => BookReader::of(egbk::Reader::named(input, name)?),
        };
        book.compressed = compressed;
        Ok(book)
    }

    fn of<R: Read + Send + 'static, T: BookRecord>(reader: Reader<R, T>) -> BookReader {
        BookReader {
            format: T::FORMAT,
            compressed: false,
            header: reader.header().neutral(),
            link_count: None,
            positions: 0,
            turned: 0,
            records: Box::new(reader),
        }
    }

    /// The file's format.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// Whether the file was compressed.
    #[must_use]
    pub fn is_compressed(&self) -> bool {
        self.compressed
    }

    /// What the header says.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Of an `.egbk2` file: which of the two layouts of its link counts it has.
    #[must_use]
    pub fn link_count(&self) -> Option<LinkCount> {
        self.link_count
    }

    /// How many positions the iterator has given so far, faults included.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.positions
    }

    /// How many of them stood in the file on a board that is not canonical, and were turned.
    #[must_use]
    pub fn turned(&self) -> u64 {
        self.turned
    }

    /// All positions that were not read yet, in order, in batches that all cores check.
    ///
    /// ```
    /// use obook_converters::BookReader;
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/egaroucid/games.egbk");
    /// let (mut positions, mut turned) = (0, 0);
    /// for batch in BookReader::open(path, None)?.batches() {
    ///     turned += batch.turned;
    ///     for position in batch {
    ///         position?;
    ///         positions += 1;
    ///     }
    /// }
    /// assert_eq!(positions, 4455);
    /// assert!(turned > 2228, "most boards of the oldest format are not canonical");
    /// # Ok::<(), obook_converters::Error>(())
    /// ```
    #[must_use]
    pub fn batches(self) -> Batches {
        self.batches_as(|batch| batch)
    }

    /// [`BookReader::batches`], each made into something else by the core that checked it.
    ///
    /// ```
    /// use obook_converters::BookReader;
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/egaroucid/games.egbk");
    /// let sizes = BookReader::open(path, None)?.batches_as(|batch| batch.positions.len());
    /// assert_eq!(sizes.sum::<usize>(), 4455);
    /// # Ok::<(), obook_converters::Error>(())
    /// ```
    pub fn batches_as<T: Send + 'static>(
        self,
        make: impl Fn(Batch) -> T + Send + Sync + 'static,
    ) -> Batches<T> {
        Batches::new(self.records, make)
    }

    /// [`BookReader::batches`] as one iterator over positions.
    pub fn positions_parallel(self) -> impl Iterator<Item = Result<Position, Error>> {
        self.batches().flatten()
    }
}

impl std::fmt::Debug for BookReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BookReader")
            .field("format", &self.format)
            .field("header", &self.header)
            .field("positions", &self.positions)
            .finish_non_exhaustive()
    }
}

impl Iterator for BookReader {
    type Item = Result<Position, Error>;

    fn next(&mut self) -> Option<Result<Position, Error>> {
        let (position, turned) = self.records.next_position()?;
        self.positions += u64::from(position.as_ref().err().is_none_or(Error::is_fault));
        self.turned += u64::from(turned);
        Some(position)
    }
}

/// What to say of a file that begins with `head` and is in no known format.
fn unknown(head: Vec<u8>) -> Error {
    Error::new(match head.strip_prefix(EGAROUCID_MAGIC) {
        Some([version, ..]) => ErrorKind::Version {
            format: Format::Egbk3,
            found: *version,
            expected: egbk3::VERSION,
        },
        _ => ErrorKind::UnknownFormat { found: head },
    })
}
