//! Reads a book of any format as checked positions, one by one or on all cores.

use crate::egaroucid::EGAROUCID_MAGIC;
use crate::egbk2::LinkCount;
use crate::legible::{self, Legible};
use crate::record::{BookHeader, BookRecord};
use crate::row::{Bytes, Source};
use crate::{Account, Error, ErrorKind, Format, Header, Reader, egbk3};
use obook_base::Budget;
use obook_base::compression::{Input, peek};
use obook_othello::Position;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvError, TryRecvError, sync_channel};
use std::thread;

/// A book of any format as a stream of checked positions. Decompresses compressed books.
///
/// As an iterator it yields an error for each impossible position ([`Error::is_fault`]) and continues after it. An error about
/// a damaged file comes last. To check positions on all cores, use [`BookReader::batches`].
///
/// ```
/// use obook_converters::{BookReader, Format};
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pruned.dat");
/// let mut book = BookReader::open(path, None)?;
/// assert_eq!((book.format(), book.header().count), (Format::Edax, Some(72)));
/// let mut deepest = 60;
/// for position in book.by_ref() {
///     let position = position?;
///     deepest = deepest.min(position.board.board().empties());
/// }
/// assert_eq!((book.positions(), deepest), (72, 53));
/// # Ok::<(), obook_converters::Error>(())
/// ```
pub struct BookReader {
    opened: Opened,
    format: Format,
    compressed: bool,
    positions: u64,
    turned: u64,
}

impl BookReader {
    /// Opens the file or the folder at `path`. Detects the format from the contents unless one is given.
    ///
    /// # Errors
    /// Returns an error if the file can't be read, isn't in a known format or in the given one, or ends inside its header.
    pub fn open(path: impl AsRef<Path>, format: Option<Format>) -> Result<BookReader, Error> {
        BookReader::open_within(path, format, Budget::UNLIMITED)
    }

    /// Like [`BookReader::open`], within a limit of memory.
    ///
    /// # Errors
    /// Returns the same errors, and one if more is needed.
    pub fn open_within(
        path: impl AsRef<Path>,
        format: Option<Format>,
        budget: Budget,
    ) -> Result<BookReader, Error> {
        let name = path.as_ref().display().to_string();
        for folder in Format::ALL {
            if let Source::Folder { is_at, open } = folder.row().source
                && format.is_none_or(|it| it == folder)
                && is_at(path.as_ref())
            {
                return Ok(BookReader::of(folder, false, open(path.as_ref())?));
            }
        }
        let file = obook_base::Source::open(path.as_ref());
        let file = file.map_err(|error| Error::new(error).named(&*name))?;
        let length = file.length;
        BookReader::start(file, length, &name, format, budget).map_err(|error| error.named(&*name))
    }

    /// Reads from any input. Errors refer to it as `name`, for example "standard input".
    ///
    /// # Errors
    /// Returns the same errors as [`BookReader::open`].
    ///
    /// ```
    /// # let bytes: &[u8] = include_bytes!("../examples/pruned.dat");
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
        BookReader::new_within(input, name, format, Budget::UNLIMITED)
    }

    /// Like [`BookReader::new`], within a limit of memory.
    ///
    /// # Errors
    /// Returns the same errors, and one if more is needed.
    pub fn new_within(
        input: impl Read + Send + 'static,
        name: &str,
        format: Option<Format>,
        budget: Budget,
    ) -> Result<BookReader, Error> {
        BookReader::start(input, None, name, format, budget).map_err(|error| error.named(name))
    }

    fn start(
        input: impl Read + Send + 'static,
        len: Option<u64>,
        name: &str,
        format: Option<Format>,
        budget: Budget,
    ) -> Result<BookReader, Error> {
        let input = Input::new(input)?;
        let compressed = input.is_compressed();
        let (head, input) = peek(input, Format::HEAD)?;
        let len = match head.len() {
            all if all < Format::HEAD => Some(all as u64),
            _ => len.filter(|_| !compressed),
        };
        let format = format.or_else(|| Format::detect(&head, len));
        let format = format.ok_or_else(|| unknown(head.clone()))?;
        match format.row().source {
            Source::File { open, .. } => {
                let opened = open(Box::new(input), name, budget)?;
                Ok(BookReader::of(format, compressed, opened))
            }
            Source::Folder { .. } => Err(Error::new(ErrorKind::Magic {
                format,
                found: head,
                expected: format.row().begins,
            })),
        }
    }

    fn of(format: Format, compressed: bool, opened: Opened) -> BookReader {
        BookReader {
            opened,
            format,
            compressed,
            positions: 0,
            turned: 0,
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

    /// The file's header.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.opened.header
    }

    /// For an `.egbk2` file, the layout of its link counts.
    #[must_use]
    pub fn link_count(&self) -> Option<LinkCount> {
        self.opened.link_count
    }

    /// The book in its program's words, and what of it doesn't become positions. It is empty for books of Edax and Egaroucid.
    #[must_use]
    pub fn account(&self) -> &Account {
        &self.opened.account
    }

    /// The number of positions that the iterator has yielded so far, including impossible ones.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.positions
    }

    /// The number of those that weren't on their canonical board in the file.
    #[must_use]
    pub fn turned(&self) -> u64 {
        self.turned
    }

    /// Returns the remaining positions in order, in batches checked on all cores.
    ///
    /// ```
    /// use obook_converters::BookReader;
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pruned.dat");
    /// let (mut positions, mut turned) = (0, 0);
    /// for batch in BookReader::open(path, None)?.batches() {
    ///     turned += batch.turned;
    ///     for position in batch {
    ///         position?;
    ///         positions += 1;
    ///     }
    /// }
    /// assert_eq!((positions, turned), (72, 0), "Edax's boards are canonical");
    /// # Ok::<(), obook_converters::Error>(())
    /// ```
    #[must_use]
    pub fn batches(self) -> Batches {
        self.batches_as(|batch| batch)
    }

    /// Like [`BookReader::batches`], but converts each batch on the core that checked it.
    ///
    /// ```
    /// use obook_converters::BookReader;
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pruned.dat");
    /// let sizes = BookReader::open(path, None)?.batches_as(|batch| batch.positions.len());
    /// assert_eq!(sizes.sum::<usize>(), 72);
    /// # Ok::<(), obook_converters::Error>(())
    /// ```
    pub fn batches_as<T: Send + 'static>(
        self,
        make: impl Fn(Batch) -> T + Send + Sync + 'static,
    ) -> Batches<T> {
        Batches::new(self.opened.records, make)
    }

    /// Reads up to `len` more records as far as they are legible: faults are removed until the rest is a position or nothing is left.
    /// At the end of the book there are none.
    ///
    /// ```
    /// use obook_converters::{BookReader, Legible};
    /// // The leaf is d4, which is occupied.
    /// let line = &b"---------------------------OX------XO--------------------------- X,21,d4,0\n"[..];
    /// let mut book = BookReader::new(line, "book.txt", None)?;
    /// let legible = book.read_legible(1);
    /// let [Legible::Record { position: Some(position), faults, .. }] = &legible[..] else { panic!("{legible:?}") };
    /// assert_eq!((position.leaf, faults.len()), (None, 1));
    /// # Ok::<(), obook_converters::Error>(())
    /// ```
    pub fn read_legible(&mut self, len: usize) -> Vec<Legible> {
        let read = self.opened.records.read_legible(self.positions, len);
        self.positions += read.len() as u64;
        read
    }

    /// Like [`BookReader::batches`], but as one iterator over positions.
    pub fn positions_parallel(self) -> impl Iterator<Item = Result<Position, Error>> {
        self.batches().flatten()
    }
}

impl std::fmt::Debug for BookReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BookReader")
            .field("format", &self.format)
            .field("header", &self.opened.header)
            .field("positions", &self.positions)
            .finish_non_exhaustive()
    }
}

impl Iterator for BookReader {
    type Item = Result<Position, Error>;

    fn next(&mut self) -> Option<Result<Position, Error>> {
        let position = self.opened.records.next_position()?;
        self.positions += u64::from(position.as_ref().err().is_none_or(Error::is_fault));
        Some(position.map(|(position, is_turned)| {
            self.turned += u64::from(is_turned);
            position
        }))
    }
}

/// The error for a file that begins with `head` and is in no known format.
fn unknown(head: Vec<u8>) -> Error {
    if head.starts_with(b"EDAXBOOK") {
        return Error::new(ErrorKind::BigEndian);
    }
    Error::new(match head.strip_prefix(EGAROUCID_MAGIC.as_bytes()) {
        Some([found, ..]) => ErrorKind::version(Format::Egbk3, *found, egbk3::VERSION),
        _ => ErrorKind::UnknownFormat { found: head },
    })
}

/// A book that was opened.
pub(crate) struct Opened {
    pub(crate) header: Header,
    pub(crate) link_count: Option<LinkCount>,
    pub(crate) account: Account,
    pub(crate) records: Box<dyn Positions>,
}

impl Opened {
    /// A sequence of records.
    pub(crate) fn of<T: BookRecord>(reader: Reader<Bytes, T>) -> Opened {
        Opened {
            header: reader.header().neutral(),
            link_count: None,
            account: Account::default(),
            records: Box::new(reader),
        }
    }

    /// A book of which only the number of positions is stated. `make` turns its parts into positions, and `size` is the number of bytes
    /// that a part takes up outside itself. An error comes last.
    pub(crate) fn of_parts<T: Send + 'static>(
        count: i64,
        account: Account,
        parts: impl Iterator<Item = Result<T, Error>> + Send + 'static,
        make: impl Fn(T) -> Option<Turned> + Send + Sync + 'static,
        size: fn(&T) -> usize,
    ) -> Opened {
        Opened {
            header: Header {
                count: Some(count),
                ..Header::default()
            },
            link_count: None,
            account,
            records: Box::new(Parts {
                parts: Box::new(parts),
                make: Arc::new(make),
                size,
                taken: 0,
            }),
        }
    }
}

/// Opens a sequence of records.
pub(crate) fn open_records<T: BookRecord>(
    input: Bytes,
    name: &str,
    _: Budget,
) -> Result<Opened, Error> {
    Reader::<_, T>::named(input, name).map(Opened::of)
}

/// Consecutive positions of a file.
#[derive(Debug)]
#[non_exhaustive]
pub struct Batch {
    /// The number of the first position in the file, from 1.
    pub first: u64,
    /// The number of positions that weren't on their canonical board.
    pub turned: u64,
    /// The positions, with errors in place of impossible ones. An error about damage to the file comes last.
    pub positions: Vec<Result<Position, Error>>,
}

impl Batch {
    /// The batch of what was checked, of which the first has this number.
    fn of(first: u64, checked: impl Iterator<Item = Result<Turned, Error>>) -> Batch {
        let mut turned = 0;
        // Nearly all of them are positions.
        let most = checked.size_hint().1.unwrap_or_default();
        let mut positions: Vec<Result<Position, Error>> = Vec::with_capacity(most);
        positions.extend(checked.map(|checked| {
            let (position, is_turned) = checked?;
            turned += u64::from(is_turned);
            Ok(position)
        }));
        Batch {
            first,
            turned,
            positions,
        }
    }
}

impl IntoIterator for Batch {
    type Item = Result<Position, Error>;
    type IntoIter = std::vec::IntoIter<Result<Position, Error>>;

    fn into_iter(self) -> Self::IntoIter {
        self.positions.into_iter()
    }
}

/// A position, and whether its board had to be turned.
pub(crate) type Turned = (Position, bool);

/// Checks the records of a batch, on another thread.
pub(crate) type Job = Box<dyn FnOnce() -> Batch + Send>;

/// A reader of any format.
pub(crate) trait Positions: Send {
    /// Returns the next position.
    fn next_position(&mut self) -> Option<Result<Turned, Error>>;

    /// Reads up to `len` records to be checked elsewhere; `None` if there are no more.
    fn next_batch(&mut self, len: usize) -> Option<Job>;

    /// Reads up to `len` records as far as they are legible, which come after `before` others.
    fn read_legible(&mut self, before: u64, len: usize) -> Vec<Legible>;
}

/// The parts of a book that isn't a sequence of records, which become positions elsewhere.
struct Parts<T> {
    /// An error comes last.
    parts: Box<dyn Iterator<Item = Result<T, Error>> + Send>,
    /// Makes a position of a part; `None` if it can't be read.
    make: Arc<dyn Fn(T) -> Option<Turned> + Send + Sync>,
    /// The bytes that a part takes up outside itself.
    size: fn(&T) -> usize,
    /// The number of parts so far.
    taken: u64,
}

impl<T: Send + 'static> Positions for Parts<T> {
    fn next_position(&mut self) -> Option<Result<Turned, Error>> {
        self.parts.find_map(|part| {
            self.taken += 1;
            part.map(&*self.make).transpose()
        })
    }

    fn next_batch(&mut self, len: usize) -> Option<Job> {
        let (mut parts, mut bytes) = (Vec::new(), 0);
        while parts.len() < len && bytes < BATCH_BYTES {
            let Some(part) = self.parts.next() else { break };
            bytes += part.as_ref().map_or(0, self.size);
            parts.push(part);
        }
        if parts.is_empty() {
            return None;
        }
        let first = self.taken + 1;
        self.taken += parts.len() as u64;
        let make = Arc::clone(&self.make);
        Some(Box::new(move || {
            let parts = parts.into_iter();
            Batch::of(first, parts.filter_map(|part| part.map(&*make).transpose()))
        }))
    }

    fn read_legible(&mut self, before: u64, len: usize) -> Vec<Legible> {
        let positions = std::iter::from_fn(|| self.next_position());
        let numbered = positions.take(len).zip(before + 1..);
        let read = numbered.map(|(position, number)| Legible::whole(position, number));
        read.collect()
    }
}

impl<R: Read + Send, T: BookRecord> Positions for Reader<R, T> {
    fn next_position(&mut self) -> Option<Result<Turned, Error>> {
        let offset = self.offset();
        let record = self.next()?;
        let number = self.records();
        Some(record.and_then(|record| {
            check(&record).map_err(|error| {
                let appended = self.appended_if(|| true, offset);
                appended.unwrap_or_else(|| error.at(Some(number), offset).named(self.name()))
            })
        }))
    }

    fn next_batch(&mut self, len: usize) -> Option<Job> {
        let (before, mut offset) = (self.records(), self.offset());
        let layout = self.layout();
        let (mut bytes, mut damage) = (Vec::new(), None);
        while self.records() - before < len as u64 && damage.is_none() {
            let (at, start) = (self.offset(), bytes.len());
            match self.next_raw(&mut bytes) {
                Ok(true) => {
                    let record = || T::decode(&bytes[start..], layout);
                    let is_impossible = || record().is_ok_and(|it| it.0.check().is_err());
                    damage = self.appended_if(is_impossible, at);
                }
                Ok(false) => break,
                Err(error) => damage = Some(error),
            }
        }
        let records = (self.records() - before) as usize;
        if records == 0 && damage.is_none() {
            return None;
        }
        let first = before + 1;
        let name = self.name().map(str::to_owned);
        Some(Box::new(move || {
            let mut rest = &bytes[..];
            let checked = (first..).take(records).map(|number| {
                let (record, len) = T::decode(rest, layout).expect("its length was found");
                let checked = check(&record)
                    .map_err(|error| error.at(Some(number), offset).named(name.as_deref()));
                rest = &rest[len..];
                offset += len as u64;
                checked
            });
            Batch::of(first, checked.chain(damage.map(Err)))
        }))
    }

    fn read_legible(&mut self, _: u64, len: usize) -> Vec<Legible> {
        legible::read(self, len)
    }
}

fn check<T: BookRecord>(record: &T) -> Result<Turned, Error> {
    let position = record.check().map_err(Error::new)?;
    Ok(turned(position, record.discs()))
}

/// A position, and whether it wasn't on its canonical board in the file, which had these discs.
pub(crate) fn turned(position: Position, discs: (u64, u64)) -> Turned {
    let board = position.board.board();
    let is_turned = discs != (board.player(), board.opponent());
    (position, is_turned)
}

/// The most bytes of parts in a batch: they may be large.
const BATCH_BYTES: usize = 1 << 22;
/// The number of records per batch: enough to make handing over cheap, few enough to stay in the cache.
const BATCH: usize = 16 * 1024;

/// The positions of a book in batches, in order, or whatever they were converted to. Created by [`BookReader::batches`] and
/// [`BookReader::batches_as`].
///
/// A thread reads a bounded number of batches ahead of the iterator, and rayon's workers check them. A book of one batch needs
/// neither.
#[derive(Debug)]
pub struct Batches<T = Batch> {
    /// One receiver per batch, in order, which gets the batch once it has been checked.
    checked: Receiver<Receiver<T>>,
}

impl<T: Send + 'static> Batches<T> {
    pub(crate) fn new(
        mut records: Box<dyn Positions>,
        make: impl Fn(Batch) -> T + Send + Sync + 'static,
    ) -> Batches<T> {
        // Each worker has one batch in progress and one waiting.
        let (ahead, checked) = sync_channel(2 * rayon::current_num_threads());
        let mut jobs = std::iter::from_fn(move || records.next_batch(BATCH)).peekable();
        let first = jobs.next();
        if jobs.peek().is_none() {
            if let Some(job) = first {
                let (done, batch) = sync_channel(1);
                // Neither channel is full or closed.
                let _ = done.send(make(job()));
                let _ = ahead.send(batch);
            }
            return Batches { checked };
        }
        let make = Arc::new(make);
        // The thread ends with the input, or once the iterator is gone.
        thread::spawn(move || {
            for job in first.into_iter().chain(jobs) {
                let (done, batch) = sync_channel(1);
                if ahead.send(batch).is_err() {
                    return;
                }
                let make = Arc::clone(&make);
                rayon::spawn(move || {
                    // The iterator may be gone.
                    let _ = done.send(make(job()));
                });
            }
        });
        Batches { checked }
    }
}

impl<T> Iterator for Batches<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        let batch = self.checked.recv().ok()?;
        Some(receive(&batch).expect("every batch is sent once it is checked"))
    }
}

/// Waits for a batch. A pool worker has to run other jobs while it waits: the batch may be queued behind it.
fn receive<T>(batch: &Receiver<T>) -> Result<T, RecvError> {
    while rayon::current_thread_index().is_some() {
        match batch.try_recv() {
            Ok(batch) => return Ok(batch),
            Err(TryRecvError::Disconnected) => return Err(RecvError),
            Err(TryRecvError::Empty) => {
                if rayon::yield_now() != Some(rayon::Yield::Executed) {
                    thread::yield_now();
                }
            }
        }
    }
    batch.recv()
}
