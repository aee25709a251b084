//! A book that is read: a database or a file of any format, recognised by its contents.

use crate::database::without_book;
use crate::{BookHeader, Content, Context, Error, FileKind, Progress, Result, Store, StoreError};
use obook_base::Budget;
use obook_converters::egbk2::LinkCount;
use obook_converters::sensei::Folder;
use obook_converters::{Account, Batch, BookReader, Format, StoredLinks, Tallies};
use obook_graph::link::link_beside_leaves;
use obook_graph::passes::restore_passes_by;
use obook_graph::slabs::{self, ByKey, Gathered, Slab, Slabs};
use obook_graph::sort::{self, Combined, Ties};
use obook_graph::{Graph, GraphBuilder};
use obook_othello::{CanonicalBoard, Forecast, Lost, Position};
use obook_sql::extension::{Walk, Walked, register_streamed};
use rusqlite::Connection;
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A book file of any format, perhaps compressed with zstd or gzip.
pub const BOOK_FILE: Content = Content::file("a book file", |head, length| {
    Format::detect(head, length).is_some()
});

/// A book that can be read.
#[derive(Debug)]
pub enum Book {
    /// An obook database.
    Database(Store),
    /// A file of one of the engines' formats.
    File(BookFile),
}

impl Book {
    /// Opens a database or a book file.
    ///
    /// # Errors
    /// Returns an error if the file can't be read or is not a book.
    pub fn open(path: impl AsRef<Path>, context: &Context) -> Result<Book> {
        let path = path.as_ref();
        match kind(path)? {
            FileKind::Database(_) | FileKind::ForeignDatabase => {
                Store::open(path, context).map(Book::Database)
            }
            FileKind::Gzip if !BOOK_FILE.is_in(path).map_err(Error::io(path, "open"))? => {
                Err(Error::Gzip { path: path.into() })
            }
            FileKind::Snapshot(_) => Err(StoreError::Snapshot { path: path.into() }.into()),
            // If it is not a book either, the reader says why.
            _ => BookFile::open(path, budget(context)).map(Book::File),
        }
    }

    /// Opens a database for changes.
    ///
    /// # Errors
    /// As [`Book::open`]; also returns [`Error::NotADatabase`] for a book file.
    pub fn open_for_writing(path: impl AsRef<Path>, context: &Context) -> Result<Store> {
        let path = path.as_ref();
        match kind(path)? {
            FileKind::Database(_) | FileKind::ForeignDatabase => {
                Store::open_for_writing(path, context)
            }
            _ => Book::open(path, context)?.into_database(),
        }
    }

    /// Returns the database.
    ///
    /// # Errors
    /// Returns [`Error::NotADatabase`] for a book file.
    pub fn into_database(self) -> Result<Store> {
        match self {
            Book::Database(store) => Ok(store),
            Book::File(file) => Err(Error::not_a_database(file.path())),
        }
    }

    /// The path.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Book::Database(store) => store.path(),
            Book::File(file) => file.path(),
        }
    }

    /// The header.
    ///
    /// # Errors
    /// Returns an error if the database can't be read.
    pub fn header(&self) -> Result<BookHeader> {
        match self {
            Book::Database(store) => store.header(),
            Book::File(file) => Ok(file.header().clone()),
        }
    }

    /// The parts of a file that don't become positions.
    #[must_use]
    pub fn left_out(&self) -> LeftOut {
        match self {
            Book::Database(_) => LeftOut::default(),
            Book::File(file) => LeftOut::of(file.account()),
        }
    }

    /// Passes on the forecasts of the book: those of a database in key order, those of a folder of Othello Sensei in key order within
    /// parts. Other files have none.
    pub(crate) fn each_forecast(
        &self,
        mut take: impl FnMut(CanonicalBoard, &Forecast) -> Result<()>,
    ) -> Result<()> {
        // Here, because its `format` would hide that of a reader.
        use itertools::Itertools;
        let file = match self {
            Book::Database(store) => return store.each_forecast(take),
            Book::File(file) if file.format() == Format::Sensei => file,
            Book::File(_) => return Ok(()),
        };
        let forecasts = Folder::open(file.path())?.forecasts();
        for part in &forecasts.chunks(FORECASTS) {
            // In key order, rows are near those written before.
            let mut part = part.collect::<std::result::Result<Vec<_>, _>>()?;
            part.sort_unstable_by_key(|(board, _)| *board);
            part.iter().try_for_each(|(board, it)| take(*board, it))?;
        }
        Ok(())
    }

    /// Estimates the number of positions, if possible: from a file's header, or from the number of pages that a database
    /// fills.
    ///
    /// # Errors
    /// Returns an error if the database can't be read.
    pub fn len_hint(&self) -> Result<Option<u64>> {
        match self {
            Book::Database(store) => Ok(Some(store.estimated_positions()?)),
            Book::File(file) => Ok(file.header.header.count.and_then(|it| it.try_into().ok())),
        }
    }

    /// Passes on all positions with their links: those of a database in key order, those of an Edax file in file order, with any
    /// duplicates. Other files store no links, and are [sorted](Book::sorted) to find them.
    ///
    /// # Errors
    /// Returns an error if the book can't be read or is damaged, or the error of `visit`.
    pub fn each_position(
        &self,
        context: &Context,
        mut visit: impl FnMut(Position) -> Result<()>,
    ) -> Result<()> {
        match self {
            Book::File(file) if !file.has_links() => {
                let sorted = file.sorted(context)?;
                let mut positions = sorted.positions::<Error>(ByKey::ALL)?;
                positions.try_for_each(|position| visit(position?))
            }
            _ => self.records()?.try_for_each(|position| visit(position?)),
        }
    }

    /// All positions as stored: those of a database in key order, those of a file in file order. A file may lack links and pass
    /// positions, and have duplicates.
    ///
    /// # Errors
    /// Returns an error if the book can't be read. The iterator ends with an error if the book is damaged.
    pub fn records(&self) -> Result<Box<dyn Iterator<Item = Result<Position>> + Send>> {
        match self {
            Book::Database(store) => Ok(Box::new(store.positions()?)),
            Book::File(file) => {
                let positions = file.reader()?.positions_parallel();
                Ok(Box::new(positions.map(|position| Ok(position?))))
            }
        }
    }

    /// All positions with their links, in key order and without duplicates. A file is sorted first, in temporary files if the
    /// context's memory is too small.
    ///
    /// # Errors
    /// Returns an error if the book can't be read or the temporary files can't be written.
    pub fn sorted(self, context: &Context) -> Result<SortedBook> {
        match self {
            Book::Database(store) => Ok(SortedBook::Database(store)),
            Book::File(file) => file.sorted(context).map(SortedBook::File),
        }
    }

    /// All positions as stored, in key order and without duplicates. A file is sorted first, in temporary files if the context's
    /// memory is too small. Also returns how many duplicates were dropped.
    ///
    /// # Errors
    /// As [`Book::sorted`].
    pub(crate) fn sorted_records(self, context: &Context) -> Result<(SortedBook, u64)> {
        let file = match self {
            Book::Database(store) => return Ok((SortedBook::Database(store), 0)),
            Book::File(file) => file,
        };
        let gathered = gather_file(file.reader()?, context)?;
        context.progress().step("sorting", None);
        let sorted = gathered.sorted().map_err(Error::of_slabs(file.path()));
        sorted.map(|(sorted, duplicates)| (SortedBook::File(sorted), duplicates))
    }

    /// Looks up these boards. A file is read once for all of them.
    ///
    /// # Errors
    /// Returns an error if the book can't be read.
    pub fn find(&self, boards: &[CanonicalBoard]) -> Result<HashMap<CanonicalBoard, Position>> {
        let mut found = HashMap::default();
        match self {
            Book::Database(store) => {
                for board in boards {
                    found.extend(store.position(*board)?.map(|it| (*board, it)));
                }
            }
            Book::File(_) => {
                let mut records: HashMap<CanonicalBoard, Combined> = HashMap::default();
                self.each_position(&Context::default(), |position| {
                    let board = position.board;
                    if let Some(known) = records.get_mut(&board) {
                        known.add(position, None);
                    } else if boards.contains(&board) {
                        records.insert(board, Combined::new(position, Ties::Later));
                    }
                    Ok(())
                })?;
                found.extend((records.into_iter()).map(|(board, it)| (board, it.finish())));
            }
        }
        Ok(found)
    }
}

/// The parts of a book file that don't become positions.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct LeftOut {
    /// Things that positions can't hold, and how many of each the file has.
    #[serde(skip_serializing_if = "Tallies::is_empty")]
    pub lost: Tallies,
    /// The kinds of errors in the file, and how many of each it has.
    #[serde(skip_serializing_if = "Tallies::is_empty")]
    pub wrong: Tallies,
}

impl LeftOut {
    pub(crate) fn of(account: &Account) -> LeftOut {
        LeftOut {
            lost: account.lost.clone(),
            wrong: account.wrong.clone(),
        }
    }
}

/// A book whose positions can be read in key order, any number of times.
#[derive(Debug)]
pub enum SortedBook {
    /// A database.
    Database(Store),
    /// A file, sorted.
    #[doc(hidden)]
    File(ByKey),
}

impl SortedBook {
    /// The positions in key order, each board once.
    ///
    /// # Errors
    /// Returns an error if the database or a temporary file can't be read.
    pub fn positions(&self) -> Result<Box<dyn Iterator<Item = Result<Position>> + Send + '_>> {
        Ok(match self {
            SortedBook::Database(store) => Box::new(store.positions()?),
            SortedBook::File(sorted) => Box::new(sorted.positions(ByKey::ALL)?),
        })
    }

    /// A position of the book, with the search of the leaf that it lost to a link, which only databases know: see [`Store::with_lost`].
    ///
    /// # Errors
    /// Returns an error if the database can't be read.
    pub(crate) fn with_lost(&self, position: Position) -> Result<(Position, Option<Lost>)> {
        match self {
            SortedBook::Database(store) => store.with_lost(position),
            SortedBook::File(_) => Ok((position, None)),
        }
    }

    /// Estimates the number of positions.
    ///
    /// # Errors
    /// Returns an error if the database can't be read.
    pub fn estimated_positions(&self) -> Result<u64> {
        match self {
            SortedBook::Database(store) => Ok(store.estimated_positions()?),
            SortedBook::File(sorted) => Ok(sorted.len(ByKey::ALL)),
        }
    }
}

/// Forecasts in a part: some hundred megabytes.
const FORECASTS: usize = 1 << 20;

/// Orders what two books have next by `order`; errors come first, from either side.
pub(crate) fn errors_first<A, B>(
    one: &Result<A>,
    other: &Result<B>,
    order: impl FnOnce(&A, &B) -> Ordering,
) -> Ordering {
    match (one, other) {
        (Err(_), _) => Ordering::Less,
        (_, Err(_)) => Ordering::Greater,
        (Ok(one), Ok(other)) => order(one, other),
    }
}

/// The memory that an operation may use, in bytes.
pub(crate) fn memory(context: &Context) -> u64 {
    context.memory().unwrap_or(u64::MAX)
}

/// The same, for readers of files.
pub(crate) fn budget(context: &Context) -> Budget {
    Budget::new(context.memory())
}

/// Reads all positions of a database, which must be sound.
///
/// # Errors
/// Returns an error if it can't be read or is damaged, or temporary files can't be written.
pub(crate) fn gather_database(store: &Store, context: &Context) -> Result<Gathered> {
    let progress = context.progress();
    progress.step("reading", Some(store.estimated_positions()?));
    let mut gathered = Gathered::within(memory(context));
    for position in progress.counted(store.positions()?) {
        gathered.push(position?)?;
    }
    Ok(gathered)
}

/// Reads all positions of a file, on all cores.
///
/// # Errors
/// As [`gather_database`].
pub(crate) fn gather_file(reader: BookReader, context: &Context) -> Result<Gathered> {
    let progress = context.progress();
    let promised = reader.header().count;
    progress.step("reading", promised.and_then(|count| count.try_into().ok()));
    let mut gathered = Gathered::within(memory(context));
    let gather = |batch: Batch| -> Result<(GraphBuilder, u64), obook_converters::Error> {
        let mut part = Graph::builder();
        let positions = batch.positions.len() as u64;
        for position in batch {
            part.push(position?);
        }
        Ok((part, positions))
    };
    for part in reader.batches_as(gather) {
        let (part, positions) = part?;
        gathered.append(part)?;
        progress.advance(positions);
    }
    Ok(gathered)
}

/// Reads a whole book into slabs: in memory, or in temporary files if the context's memory is too small. Adds what a file leaves out:
/// links and, by Egaroucid's rules, pass positions.
///
/// # Errors
/// Returns an error if the book can't be read or temporary files can't be written.
#[doc(hidden)]
pub fn load_in_slabs(book: &Book, context: &Context) -> Result<Slabs> {
    let failed = Error::of_slabs(book.path());
    match book {
        Book::Database(store) => {
            let slabs = Slabs::new(gather_database(store, context)?);
            slabs.map(|(slabs, _)| slabs).map_err(failed)
        }
        Book::File(file) => {
            let (mut slabs, _) = file.slabs(context)?;
            if !file.has_links() {
                let linked = slabs.sweep_up(|slab| file.link(slab, context.progress()));
                linked.map_err(failed)?;
            }
            Ok(slabs)
        }
    }
}

/// Recognises the kind of file.
fn kind(path: &Path) -> Result<FileKind> {
    let failed = || Error::io(path, "open");
    // Opening a pipe would wait for a writer.
    let found = std::fs::metadata(path).map_err(failed())?;
    if found.is_dir() && Folder::is_at(path) {
        return Ok(FileKind::Other);
    }
    if !found.is_file() {
        let what = match found.is_dir() {
            true => "a directory",
            false => "a device, a pipe or a socket",
        };
        let problem = format!("{what}; expected an obook database or a book file");
        return Err(Error::unfit(path, problem));
    }
    FileKind::of(path).map_err(failed())
}

/// A recognised book file. Each question reads it from the start.
#[derive(Debug)]
pub struct BookFile {
    path: PathBuf,
    format: Format,
    header: BookHeader,
    link_count: Option<LinkCount>,
    account: Account,
    budget: Budget,
}

impl BookFile {
    /// Recognises a book file by its contents.
    fn open(path: &Path, budget: Budget) -> Result<BookFile> {
        let reader = BookReader::open_within(path, None, budget)?;
        Ok(BookFile {
            path: path.to_owned(),
            format: reader.format(),
            header: BookHeader::of(&reader),
            link_count: reader.link_count(),
            account: reader.account().clone(),
            budget,
        })
    }

    /// The path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The format, recognised by the contents.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> &BookHeader {
        &self.header
    }

    /// The detected width of the link counts in an `.egbk2` file.
    #[must_use]
    pub fn link_count(&self) -> Option<LinkCount> {
        self.link_count
    }

    /// The book in its program's words, and what of it doesn't become positions.
    #[must_use]
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// Whether the file stores its links and pass positions.
    pub(crate) fn has_links(&self) -> bool {
        self.format.holds().links == StoredLinks::All
    }

    /// All positions with their links, by key.
    fn sorted(&self, context: &Context) -> Result<ByKey> {
        let failed = Error::of_slabs(&self.path);
        if self.has_links() {
            let sorted = gather_file(self.reader()?, context)?.sorted();
            return sorted.map(|(sorted, _)| sorted).map_err(failed);
        }
        let (slabs, _) = self.slabs(context)?;
        let sorted = slabs.finish(Slab::position, |slab| self.link(slab, context.progress()));
        sorted.map_err(failed)
    }

    /// All positions in slabs, with the pass positions that the file leaves out, and how many duplicates there were. The next sweep
    /// [links](BookFile::link) them.
    pub(crate) fn slabs(&self, context: &Context) -> Result<(Slabs, u64)> {
        let failed = Error::of_slabs(&self.path);
        let gathered = gather_file(self.reader()?, context)?;
        let (mut slabs, duplicates) = Slabs::new(gathered).map_err(&failed)?;
        restore_passes_by(&mut slabs, self.header.rules).map_err(failed)?;
        context.progress().step("linking", Some(slabs.len()));
        Ok((slabs, duplicates))
    }

    /// Finds the links of a slab, if the format leaves them out. Leaves stay as the file has them.
    pub(crate) fn link(&self, slab: &mut Slab, progress: &Progress) -> slabs::Result<()> {
        if !self.has_links() {
            link_beside_leaves(slab.graph_mut(), progress)?;
        }
        Ok(())
    }

    /// Opens the file for reading from the start.
    ///
    /// # Errors
    /// Returns an error if the file can't be read.
    pub fn reader(&self) -> Result<BookReader> {
        let format = Some(self.format);
        Ok(BookReader::open_within(&self.path, format, self.budget)?)
    }
}

/// Opens a book file as a database in memory, with the file's `positions`, `links` and `leaves` in key order. `engines` and
/// the views are as in every book; all other tables are empty. Looking up a single row reads the whole book. The file is
/// sorted first, on disk if it is large.
///
/// ```
/// use obook::{Context, Book, read::book::streamed};
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/games.dat");
/// let context = Context::default();
/// let Book::File(file) = Book::open(path, &context)? else { panic!() };
/// let tables = streamed(&file, &context)?;
/// let count = tables.query_row("SELECT count(*) FROM positions", [], |row| row.get::<_, u32>(0));
/// assert_eq!(count.unwrap(), 2247);
/// # Ok::<(), obook::Error>(())
/// ```
///
/// # Errors
/// As [`Book::sorted`].
pub fn streamed(file: &BookFile, context: &Context) -> Result<Connection> {
    tables(file.path(), Some(file.sorted(context)?))
}

/// As [`streamed`], for a book without positions. Used to see what a query would read.
///
/// # Errors
/// Returns [`StoreError::Sqlite`] if the tables can't be made.
pub fn nothing_streamed(path: &Path) -> Result<Connection> {
    tables(path, None)
}

fn tables(path: &Path, sorted: Option<ByKey>) -> Result<Connection> {
    let walk: Arc<dyn Walk> = Arc::new(Streamed(sorted));
    let connection = without_book().and_then(|connection| {
        register_streamed(&connection, &walk)?;
        Ok(connection)
    });
    connection.map_err(Error::sqlite(path, "read"))
}

/// A file, sorted, or a book without positions.
struct Streamed(Option<ByKey>);

impl Walk for Streamed {
    fn walk(&self) -> Walked<'_> {
        let unread = |error: sort::Error| error.to_string();
        match self.0.as_ref().map(|sorted| sorted.positions(ByKey::ALL)) {
            None => Box::new(std::iter::empty()),
            Some(Ok(positions)) => Box::new(positions.map(move |it| it.map_err(unread))),
            Some(Err(error)) => Box::new(std::iter::once(Err(unread(error)))),
        }
    }
}
