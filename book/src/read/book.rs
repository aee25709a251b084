//! A book that is read: a database or a file of any format, recognised by its contents.

use crate::write::fix::{complete_layers, sorter_budget};
use crate::{BookHeader, Context, Error, FileKind, Progress, Result, Sorted, Sorter, Store};
use foldhash::HashMap;
use obook_converters::egbk2::LinkCount;
use obook_converters::sensei::Folder;
use obook_converters::{Account, BookReader, Budget, Format, StoredLinks, Tallies};
use obook_extension::{Walk, WalkError, Walked, register_streamed};
use obook_graph::link::{link_counted, link_shown};
use obook_graph::passes::{restore_passes, restore_passes_in};
use obook_graph::slabs::{self, Gathered, Slabs};
use obook_graph::sort;
use obook_graph::{Graph, GraphBuilder, TooLarge};
use obook_model::{Forecast, Lost, Position, RuleSet};
use obook_othello::CanonicalBoard;
use obook_store::without_book;
use rusqlite::Connection;
use serde::Serialize;
use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    pub fn open(path: &Path, context: &Context) -> Result<Book> {
        match kind(path)? {
            FileKind::Database | FileKind::ForeignDatabase => {
                Store::open(path, context).map(Book::Database)
            }
            FileKind::Gzip => Err(Error::Gzip {
                path: path.to_owned(),
            }),
            FileKind::Snapshot => Err(Error::Snapshot {
                path: path.to_owned(),
            }),
            // If it is not a book either, the reader says why.
            _ => BookFile::open(path, budget(context)).map(Book::File),
        }
    }

    /// Opens a database for changes. `doing` names the operation in the error for a book file.
    ///
    /// # Errors
    /// As [`Book::open`]; also returns [`Error::BookFile`] for a book file.
    pub fn open_for_writing(path: &Path, doing: &'static str, context: &Context) -> Result<Store> {
        match kind(path)? {
            FileKind::Database | FileKind::ForeignDatabase => {
                Store::open_for_writing(path, context)
            }
            _ => Book::open(path, context)?.into_database(doing),
        }
    }

    /// Returns the database. `doing` names the operation in the error for a book file.
    ///
    /// # Errors
    /// Returns [`Error::BookFile`] for a book file.
    pub fn into_database(self, doing: &'static str) -> Result<Store> {
        match self {
            Book::Database(store) => Ok(store),
            Book::File(file) => Err(Error::book_file(file.path(), doing)),
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
        let file = match self {
            Book::Database(store) => return store.each_forecast(take),
            Book::File(file) if file.format() == Format::Sensei => file,
            Book::File(_) => return Ok(()),
        };
        let mut forecasts = Folder::open(file.path())?.forecasts();
        loop {
            // In key order, rows are near those written before.
            let part = forecasts.by_ref().take(FORECASTS);
            let mut part = part.collect::<std::result::Result<Vec<_>, _>>()?;
            if part.is_empty() {
                return Ok(());
            }
            part.sort_unstable_by_key(|(board, _)| *board);
            part.iter()
                .try_for_each(|(board, forecast)| take(*board, forecast))?;
        }
    }

    /// Estimates the number of positions, if possible: from a file's header, or from the number of pages that a database
    /// fills.
    ///
    /// # Errors
    /// Returns an error if the database can't be read.
    pub fn len_hint(&self) -> Result<Option<u64>> {
        match self {
            Book::Database(store) => store.estimated_positions().map(Some),
            Book::File(file) => Ok(file
                .header()
                .header
                .count
                .and_then(|count| count.try_into().ok())),
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
                let linked = linked(file, context)?;
                let mut positions = linked.positions()?;
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

    /// Reads the positions as stored into a graph builder.
    ///
    /// # Errors
    /// Returns an error if the book can't be read.
    pub(crate) fn gather(&self, progress: &Progress) -> Result<GraphBuilder> {
        let mut builder = Graph::builder();
        self.gather_parts(progress, |part| {
            builder.append(part);
            Ok(())
        })?;
        Ok(builder)
    }

    /// Reads all positions; into temporary files if the context's memory is too small for a graph of them.
    ///
    /// # Errors
    /// Returns an error if the book can't be read or temporary files can't be written.
    pub(crate) fn gather_within(&self, context: &Context) -> Result<Gathered> {
        let mut gathered = Gathered::default();
        self.gather_parts(context.progress(), |part| {
            Ok(gathered.append(part, records(memory(context)))?)
        })?;
        Ok(gathered)
    }

    /// Passes all positions to `take` in parts, in the order of the book.
    fn gather_parts(
        &self,
        progress: &Progress,
        mut take: impl FnMut(GraphBuilder) -> Result<()>,
    ) -> Result<()> {
        let store = match self {
            Book::Database(store) => store,
            Book::File(file) => return GraphBuilder::gather_parts(file.reader()?, progress, take),
        };
        progress.step("reading", self.len_hint()?);
        let positions = &mut store.positions()?.peekable();
        while positions.peek().is_some() {
            let mut part = Graph::builder();
            for position in positions.take(PART) {
                part.push(position?);
                progress.advance(1);
            }
            take(part)?;
        }
        Ok(())
    }

    /// All positions with their links, in key order and without duplicates. A file is sorted first, in temporary files if the
    /// context's memory is too small.
    ///
    /// # Errors
    /// Returns an error if the book can't be read or the temporary files can't be written.
    pub fn sorted(self, context: &Context) -> Result<SortedBook> {
        match self {
            Book::File(file) if !file.has_links() => linked(&file, context),
            book => book.sorted_records(sorter_budget(memory(context)), context.progress()),
        }
    }

    /// All positions as stored, in key order and without duplicates. A file is sorted first, on disk if it needs more than
    /// `budget` bytes.
    ///
    /// # Errors
    /// As [`Book::sorted`].
    pub fn sorted_records(self, budget: usize, progress: &Progress) -> Result<SortedBook> {
        let records = match self {
            Book::Database(store) => return Ok(SortedBook::Database(store)),
            Book::File(_) => self.records()?,
        };
        progress.step("reading", self.len_hint()?);
        let mut sorter = Sorter::with_budget(budget);
        for position in records {
            progress.advance(1);
            sorter.push(&position?)?;
        }
        progress.step("sorting", None);
        Ok(SortedBook::File(sorter.finish()?))
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
                    if let Some(position) = store.position(*board)? {
                        found.insert(*board, position);
                    }
                }
            }
            Book::File(_) => {
                self.each_position(&Context::default(), |position| {
                    if boards.contains(&position.board) {
                        found.insert(position.board, position);
                    }
                    Ok(())
                })?;
            }
        }
        Ok(found)
    }
}

/// The parts of a book file that don't become positions.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
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
    /// A sorted file.
    File(Sorted),
    /// A file in memory, with the links that its boards imply.
    Graph(Graph),
}

impl SortedBook {
    /// The positions in key order, each board once.
    ///
    /// # Errors
    /// Returns an error if the database or a temporary file can't be read.
    pub fn positions(&self) -> Result<Box<dyn Iterator<Item = Result<Position>> + Send + '_>> {
        Ok(match self {
            SortedBook::Database(store) => Box::new(store.positions()?),
            SortedBook::File(sorted) => Box::new(sorted.positions()?.map(|position| Ok(position?))),
            SortedBook::Graph(graph) => Box::new(graph.positions().map(Ok)),
        })
    }

    /// The search of the leaf that a position of a database lost to a link: see [`Store::lost_leaf`]. Files don't know it.
    ///
    /// # Errors
    /// Returns an error if the database can't be read.
    pub(crate) fn lost_leaf(&self, board: CanonicalBoard) -> Result<Option<Lost>> {
        match self {
            SortedBook::Database(store) => store.lost_leaf(board),
            SortedBook::File(_) | SortedBook::Graph(_) => Ok(None),
        }
    }

    /// Estimates the number of positions.
    ///
    /// # Errors
    /// Returns an error if the database can't be read.
    pub fn estimated_positions(&self) -> Result<u64> {
        match self {
            SortedBook::Database(store) => store.estimated_positions(),
            SortedBook::File(sorted) => Ok(sorted.taken()),
            SortedBook::Graph(graph) => Ok(graph.len() as u64),
        }
    }

    /// The number of duplicates that were dropped, given the number of `positions` that remained.
    #[must_use]
    pub fn duplicates(&self, positions: u64) -> u64 {
        match self {
            SortedBook::File(sorted) => sorted.taken().saturating_sub(positions),
            SortedBook::Database(_) | SortedBook::Graph(_) => 0,
        }
    }
}

/// Forecasts in a part: some hundred megabytes.
const FORECASTS: usize = 1 << 20;

/// Positions of a database in a part: few for memory, and enough that a part costs next to nothing.
pub(crate) const PART: usize = 1 << 14;

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

/// The bytes of records that may be gathered in `memory`. The graph that is made of them takes the rest.
pub(crate) fn records(memory: u64) -> u64 {
    memory / 3
}

/// As [`Book::gather_within`], for a file.
///
/// # Errors
/// As [`Book::gather_within`].
pub(crate) fn gather_file(reader: BookReader, context: &Context) -> Result<Gathered> {
    let mut gathered = Gathered::default();
    GraphBuilder::gather_parts(reader, context.progress(), |part| {
        Ok::<_, Error>(gathered.append(part, records(memory(context)))?)
    })?;
    Ok(gathered)
}

/// The positions of a file with what its format leaves out, by key.
fn linked(file: &BookFile, context: &Context) -> Result<SortedBook> {
    let too_large = Error::too_large(file.path());
    let progress = context.progress();
    match gather_file(file.reader()?, context)? {
        Gathered::Memory(builder) => {
            let (mut graph, _) = builder.finish().map_err(&too_large)?;
            complete(&mut graph, file.header(), progress).map_err(&too_large)?;
            Ok(SortedBook::Graph(graph))
        }
        Gathered::Disk { mut layers, .. } => {
            let memory = memory(context);
            let (sorted, _) = complete_layers(&mut layers, file, memory, progress, |_| ())?;
            Ok(SortedBook::File(sorted))
        }
    }
}

/// Reads a whole book into memory with its links: the stored ones of a database, or those that a file's boards imply. Also
/// adds the pass positions that Egaroucid's files leave out.
///
/// # Errors
/// Returns an error if the book can't be read or is too large for memory.
pub fn load(book: &Book, progress: &Progress) -> Result<Graph> {
    let too_large = Error::too_large(book.path());
    let (mut graph, _) = book.gather(progress)?.finish().map_err(&too_large)?;
    if let Book::File(file) = book {
        complete(&mut graph, file.header(), progress).map_err(&too_large)?;
    }
    Ok(graph)
}

/// As [`load`], but in temporary files if the context's memory is too small.
///
/// # Errors
/// Returns an error if the book can't be read or temporary files can't be written.
pub fn load_in_slabs(book: &Book, context: &Context) -> Result<Slabs> {
    let failed = Error::of_slabs(book.path());
    let gathered = book.gather_within(context)?;
    let (mut slabs, _) = Slabs::new(gathered, memory(context)).map_err(&failed)?;
    if let Book::File(file) = book {
        if file.header().rules != RuleSet::Edax {
            restore_passes_in(&mut slabs).map_err(&failed)?;
        }
        let progress = context.progress();
        progress.step("linking", Some(slabs.len()));
        slabs
            .sweep_up(|slab| {
                link_counted(slab.graph_mut(), progress)?;
                Ok::<(), slabs::Error>(())
            })
            .map_err(&failed)?;
    }
    Ok(slabs)
}

/// Recognises the kind of file.
fn kind(path: &Path) -> Result<FileKind> {
    let failed = || Error::io(path, "open");
    // Opening a pipe would wait for a writer.
    let found = std::fs::metadata(path).map_err(failed())?;
    if found.is_dir() && Folder::is_at(path) {
        return Ok(FileKind::Book);
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

    /// Opens the file for reading from the start.
    ///
    /// # Errors
    /// Returns an error if the file can't be read.
    pub fn reader(&self) -> Result<BookReader> {
        let format = Some(self.format);
        Ok(BookReader::open_within(&self.path, format, self.budget)?)
    }
}

/// Adds what the file format leaves out: links and, by Egaroucid's rules, pass positions.
pub(crate) fn complete(
    graph: &mut Graph,
    header: &BookHeader,
    progress: &Progress,
) -> std::result::Result<(), TooLarge> {
    if header.rules != RuleSet::Edax {
        restore_passes(graph)?;
    }
    link_shown(graph, progress).map(drop)
}

/// Opens a book file as a database in memory, with the file's `positions`, `links` and `leaves` in key order. `engines` and
/// the views are as in every book; all other tables are empty. Looking up a single row reads the whole book. The file is
/// sorted first, on disk if it is large.
///
/// ```
/// use obook_book::{Context, Book, read::book::streamed};
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/games.dat");
/// let context = Context::default();
/// let Book::File(file) = Book::open(path.as_ref(), &context)? else { panic!() };
/// let tables = streamed(file, &context)?;
/// let count = tables.query_row("SELECT count(*) FROM positions", [], |row| row.get::<_, u32>(0));
/// assert_eq!(count.unwrap(), 2247);
/// # Ok::<(), obook_book::Error>(())
/// ```
///
/// # Errors
/// As [`Book::sorted`].
pub fn streamed(file: BookFile, context: &Context) -> Result<Connection> {
    let path = file.path().to_owned();
    let walk: Arc<dyn Walk> = match Book::File(file).sorted(context)? {
        SortedBook::File(sorted) => Arc::new(Records(sorted)),
        SortedBook::Graph(graph) => Arc::new(Linked(graph)),
        SortedBook::Database(_) => unreachable!("it is a file"),
    };
    tables(&path, &walk)
}

/// As [`streamed`], for a book without positions. Used to see what a query would read.
///
/// # Errors
/// Returns [`Error::Sqlite`] if the tables can't be made.
pub fn nothing_streamed(path: &Path) -> Result<Connection> {
    let nothing: Arc<dyn Walk> = Arc::new(Nothing);
    tables(path, &nothing)
}

fn tables(path: &Path, walk: &Arc<dyn Walk>) -> Result<Connection> {
    let connection = without_book().and_then(|connection| {
        register_streamed(&connection, walk)?;
        Ok(connection)
    });
    connection.map_err(Error::sqlite(path, "read"))
}

/// The records of a file, sorted.
struct Records(Sorted);

impl Walk for Records {
    fn walk(&self) -> Walked<'_> {
        let unread = |error: sort::Error| WalkError(error.to_string());
        match self.0.positions() {
            Ok(positions) => Box::new(positions.map(move |position| position.map_err(unread))),
            Err(error) => Box::new(std::iter::once(Err(unread(error)))),
        }
    }
}

/// A file in memory with its links.
struct Linked(Graph);

impl Walk for Linked {
    fn walk(&self) -> Walked<'_> {
        Box::new(self.0.positions().map(Ok))
    }
}

/// A book without positions.
struct Nothing;

impl Walk for Nothing {
    fn walk(&self) -> Walked<'_> {
        Box::new(std::iter::empty())
    }
}
