//! Reading records from a stream, the same for every format.

use crate::record::{BookHeader, BookRecord, RecordLayout};
use crate::source::Source;
use crate::{Error, ErrorKind};
use std::io::Read;

/// After so many bytes on which all layouts agree, the default one is taken, so that memory stays bounded.
const LAYOUT_WINDOW: usize = 16 << 20;

/// A streaming reader of one format's raw records: an iterator that checks the structure of the file and nothing else.
///
/// It does its own buffering. After an error it ends; a header whose count and contents disagree is an error behind
/// the last record, so that everything that is there can be read.
///
/// ```
/// use obook_converters::edax;
/// # let bytes = include_bytes!("../../tests/data/edax/games.prune.dat");
/// let mut reader = edax::Reader::new(&bytes[..])?;
/// assert_eq!(reader.header().level, 2);
/// let links: usize = reader
///     .by_ref()
///     .map(|record| Ok(record?.links.len()))
///     .sum::<Result<usize, obook_converters::Error>>()?;
/// assert_eq!((reader.records(), links), (72, 76));
/// # Ok::<(), obook_converters::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R, T: BookRecord> {
    source: Source<R>,
    name: Option<String>,
    header: T::Header,
    layout: T::Layout,
    records: u64,
    /// Nothing more comes: the input has ended or is damaged.
    done: bool,
}

impl<R: Read, T: BookRecord> Reader<R, T> {
    /// Reads the header.
    ///
    /// # Errors
    /// The input cannot be read, ends inside the header, or is not of this format and version.
    pub fn new(input: R) -> Result<Reader<R, T>, Error> {
        Reader::open(input, None)
    }

    /// The same for an input that has a name, which errors then tell.
    ///
    /// # Errors
    /// As [`Reader::new`].
    pub fn named(input: R, name: &str) -> Result<Reader<R, T>, Error> {
        Reader::open(input, Some(name.to_owned())).map_err(|error| error.named(name))
    }

    fn open(input: R, name: Option<String>) -> Result<Reader<R, T>, Error> {
        let mut source = Source::new(input);
        let head = source.ahead(T::HEADER_LEN)?;
        let header = T::Header::decode(head).map_err(|kind| Error::new(kind).at(None, 0))?;
        source.consume(T::HEADER_LEN);
        let layout = decide_layout(&mut source)?;
        Ok(Reader {
            source,
            name,
            header,
            layout,
            records: 0,
            done: false,
        })
    }

    /// The header, exactly as on disk.
    #[must_use]
    pub fn header(&self) -> &T::Header {
        &self.header
    }

    /// How the records are laid out, where the format leaves that open.
    #[must_use]
    pub fn layout(&self) -> T::Layout {
        self.layout
    }

    /// How many records were read.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Where the next record begins, in bytes.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.source.offset()
    }

    /// Clears `batch` and reads up to `len` records into it; `false` when there are no more. The batch's memory is
    /// used again. On an error the batch holds the records before it.
    ///
    /// ```
    /// # let bytes = include_bytes!("../../tests/data/edax/games.prune.dat");
    /// let mut reader = obook_converters::edax::Reader::new(&bytes[..])?;
    /// let (mut batch, mut records) = (Vec::new(), 0);
    /// while reader.read_batch(&mut batch, 50)? {
    ///     records += batch.len();
    /// }
    /// assert_eq!(records, 72);
    /// # Ok::<(), obook_converters::Error>(())
    /// ```
    ///
    /// # Errors
    /// As the iterator.
    pub fn read_batch(&mut self, batch: &mut Vec<T>, len: usize) -> Result<bool, Error> {
        batch.clear();
        while batch.len() < len {
            match self.next_record() {
                Ok(Some(record)) => batch.push(record),
                Ok(None) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(!batch.is_empty())
    }

    fn next_record(&mut self) -> Result<Option<T>, Error> {
        self.advance(T::decode)
    }

    /// Appends the bytes of the next record; `false` when there are no more.
    pub(crate) fn next_raw(&mut self, out: &mut Vec<u8>) -> Result<bool, Error> {
        let record = self.advance(|bytes, layout| {
            let len = T::len(bytes, layout)?;
            out.extend_from_slice(&bytes[..len]);
            Ok(((), len))
        });
        Ok(record?.is_some())
    }

    /// Moves on by one record: what `parse` makes of it.
    fn advance<P>(
        &mut self,
        parse: impl FnOnce(&[u8], T::Layout) -> Result<(P, usize), ErrorKind>,
    ) -> Result<Option<P>, Error> {
        if self.done {
            return Ok(None);
        }
        let result = match self.source.ahead(T::MAX_LEN) {
            Ok([]) => return self.finish().map(|()| None),
            Ok(bytes) => parse(bytes, self.layout),
            Err(error) => Err(error.into()),
        };
        match result {
            Ok((parsed, len)) => {
                self.source.consume(len);
                self.records += 1;
                Ok(Some(parsed))
            }
            Err(kind) => {
                self.done = true;
                let error = Error::new(kind).at(Some(self.records + 1), self.source.offset());
                Err(error.named(self.name()))
            }
        }
    }

    #[cold]
    fn finish(&mut self) -> Result<(), Error> {
        self.done = true;
        match self.header.promised() {
            Some(promised) if u64::try_from(promised) != Ok(self.records) => {
                let found = self.records;
                Err(Error::new(ErrorKind::Count { promised, found }).named(self.name()))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
}

fn decide_layout<L: RecordLayout>(source: &mut Source<impl Read>) -> Result<L, Error> {
    let mut window = 1 << 16;
    loop {
        let bytes = source.ahead(window)?;
        if let Some(layout) = L::decide(bytes, bytes.len() < window) {
            return Ok(layout);
        }
        if window >= LAYOUT_WINDOW {
            return Ok(L::default());
        }
        window *= 4;
    }
}

impl<R: Read, T: BookRecord> Iterator for Reader<R, T> {
    type Item = Result<T, Error>;

    #[inline]
    fn next(&mut self) -> Option<Result<T, Error>> {
        self.next_record().transpose()
    }
}
