//! Reads records from a stream. The same code serves every format.

use crate::record::{BookHeader, BookRecord, RecordLayout};
use crate::{Error, ErrorKind, Format};
use std::io::{self, Read};

/// If all layouts fit this many bytes, the default is used, so that memory stays bounded.
const LAYOUT_WINDOW: usize = 16 << 20;

/// A streaming reader of one format's raw records. This iterator checks only the structure of the file.
///
/// It does its own buffering, and ends after an error. If the header's count disagrees with the contents, the error comes after
/// the last record, so that everything can be read.
///
/// ```
/// use obook_converters::edax;
/// # let bytes = include_bytes!("../examples/pruned.dat");
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
    promised: Option<i64>,
    layout: T::Layout,
    records: u64,
    /// Whether the input has ended or is damaged.
    done: bool,
}

impl<R: Read, T: BookRecord> Reader<R, T> {
    /// Reads the header.
    ///
    /// # Errors
    /// Returns an error if the input can't be read, ends inside the header, or isn't of this format and version.
    pub fn new(input: R) -> Result<Reader<R, T>, Error> {
        let mut source = Source::new(input);
        let head = source.ahead(T::HEADER_LEN + T::MAX_LEN)?;
        let header = T::Header::decode(head).map_err(|kind| Error::new(kind).at(None, 0))?;
        let len = T::header_len(head);
        source.consume(len);
        let layout = decide_layout(&mut source)?;
        Ok(Reader {
            source,
            name: None,
            promised: header.promised(),
            header,
            layout,
            records: 0,
            done: false,
        })
    }

    /// Like [`Reader::new`], with a name for error messages.
    ///
    /// # Errors
    /// Returns the same errors as [`Reader::new`].
    pub fn named(input: R, name: &str) -> Result<Reader<R, T>, Error> {
        let reader = Reader::new(input).map_err(|error| error.named(name))?;
        let name = Some(name.to_owned());
        Ok(Reader { name, ..reader })
    }

    /// The header, exactly as on disk.
    #[must_use]
    pub fn header(&self) -> &T::Header {
        &self.header
    }

    /// The layout of the records, if the format leaves it open.
    #[must_use]
    pub fn layout(&self) -> T::Layout {
        self.layout
    }

    /// The number of records read so far.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The offset of the next record in bytes.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.source.offset()
    }

    /// Appends the bytes of the next record. Returns `false` if there are no more.
    pub(crate) fn next_raw(&mut self, out: &mut Vec<u8>) -> Result<bool, Error> {
        let record = self.advance(|bytes, layout| {
            let len = T::len(bytes, layout)?;
            out.extend_from_slice(&bytes[..len]);
            Ok(((), len))
        });
        Ok(record?.is_some())
    }

    /// Advances by one record and returns what `parse` makes of it.
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
                let kind = match self.promised_before(self.records + 1) {
                    Some(promised) if !matches!(kind, ErrorKind::Io(_)) => {
                        ErrorKind::Appended { promised }
                    }
                    _ => kind,
                };
                let error = Error::new(kind).at(Some(self.records + 1), self.source.offset());
                Err(error.named(self.name()))
            }
        }
    }

    /// The number of records that the header promises, if this is the number of the first one after them.
    fn promised_before(&self, number: u64) -> Option<i64> {
        let promised = self.promised?;
        (u64::try_from(promised) == Ok(number - 1)).then_some(promised)
    }

    /// If the last record, which began at `offset`, is the first that the header doesn't promise, and impossible, it is something
    /// else: it doesn't count, and reading ends with the error.
    pub(crate) fn appended_if(
        &mut self,
        is_impossible: impl FnOnce() -> bool,
        offset: u64,
    ) -> Option<Error> {
        let number = self.records;
        let promised = self.promised_before(number)?;
        if !is_impossible() {
            return None;
        }
        self.records -= 1;
        self.done = true;
        let error = Error::new(ErrorKind::Appended { promised });
        Some(error.at(Some(number), offset).named(self.name()))
    }

    #[cold]
    fn finish(&mut self) -> Result<(), Error> {
        self.done = true;
        match self.promised {
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
        self.advance(T::decode).transpose()
    }
}

/// The number of bytes read at once.
const CHUNK: usize = 256 * 1024;

/// A buffered input. [`Source::ahead`] returns the next bytes as one slice.
#[derive(Debug)]
pub(crate) struct Source<R> {
    input: R,
    buffer: Vec<u8>,
    /// `buffer[start..end]` hasn't been consumed yet.
    start: usize,
    end: usize,
    at_end: bool,
    /// The offset of `start` in the input.
    offset: u64,
}

impl<R: Read> Source<R> {
    pub(crate) fn new(input: R) -> Source<R> {
        Source {
            input,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            at_end: false,
            offset: 0,
        }
    }

    /// Returns the next bytes: at least `wanted`, unless the input has fewer.
    #[inline]
    pub(crate) fn ahead(&mut self, wanted: usize) -> io::Result<&[u8]> {
        if self.end - self.start < wanted && !self.at_end {
            self.fill(wanted)?;
        }
        Ok(&self.buffer[self.start..self.end])
    }

    /// Consumes `len` of the bytes returned by [`Source::ahead`].
    #[inline]
    pub(crate) fn consume(&mut self, len: usize) {
        assert!(len <= self.end - self.start);
        self.start += len;
        self.offset += len as u64;
    }

    /// The number of bytes consumed.
    #[inline]
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    #[cold]
    fn fill(&mut self, wanted: usize) -> io::Result<()> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        let target = wanted.max(CHUNK);
        if self.buffer.len() < target {
            // The allocator zeroes pages when they are first touched, so a short input costs little.
            let mut larger = vec![0; target];
            larger[..self.end].copy_from_slice(&self.buffer[..self.end]);
            self.buffer = larger;
        }
        while self.end < wanted {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(0) => {
                    self.at_end = true;
                    break;
                }
                Ok(len) => self.end += len,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Little-endian numbers at the front of a slice.
pub(crate) struct Fields<'a> {
    rest: &'a [u8],
}

macro_rules! number {
    ($($name:ident)*) => {$(
        #[inline(always)]
        pub(crate) fn $name(&mut self) -> $name {
            const LEN: usize = size_of::<$name>();
            let (bytes, rest) = self.rest.split_first_chunk::<LEN>().expect("length was checked");
            self.rest = rest;
            $name::from_le_bytes(*bytes)
        }
    )*};
}

impl<'a> Fields<'a> {
    /// The fields of the first `len` bytes. Reading beyond them panics.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`] if there are fewer bytes.
    #[inline(always)]
    pub(crate) fn new(bytes: &'a [u8], len: usize) -> Result<Fields<'a>, ErrorKind> {
        match bytes.get(..len) {
            Some(rest) => Ok(Fields { rest }),
            None => Err(ErrorKind::cut_off(bytes.len() as u64, len as u64)),
        }
    }

    /// The fields of a header of `len` bytes that follow the magic and the version.
    ///
    /// # Errors
    /// Returns an error if these are others, or there are fewer bytes.
    pub(crate) fn after_version(
        bytes: &'a [u8],
        len: usize,
        format: Format,
        magic: &'static str,
        version: u8,
    ) -> Result<Fields<'a>, ErrorKind> {
        let found = &bytes[..bytes.len().min(magic.len())];
        if !magic.as_bytes().starts_with(found) {
            return Err(ErrorKind::magic(format, found, magic));
        }
        let mut fields = Fields::new(bytes, len)?;
        fields.skip(magic.len());
        match fields.u8() {
            found if found == version => Ok(fields),
            found => Err(ErrorKind::version(format, found, version)),
        }
    }

    /// Skips `len` bytes.
    #[inline(always)]
    pub(crate) fn skip(&mut self, len: usize) {
        self.rest = &self.rest[len..];
    }

    number! { u8 i8 u16 i16 u32 i32 u64 }
}
