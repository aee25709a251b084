//! A book, wherever it is: every reading command takes a database or any book file, told by its contents.

use crate::{BookHeader, Context, Error, FileKind, Progress, Result, Sorted, Sorter, Store};
use foldhash::HashMap;
use obook_converters::egbk2::LinkCount;
use obook_converters::{BookReader, Format};
use obook_graph::link::link_shown;
use obook_graph::passes::restore_passes;
use obook_graph::{Graph, GraphBuilder, TooLarge};
use obook_model::{Position, RuleSet};
use obook_othello::CanonicalBoard;
use std::path::{Path, PathBuf};

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
    /// Where there is no such file, or nothing that it could be.
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
            // Why it is none is told by those who read books.
            _ => BookFile::open(path).map(Book::File),
        }
    }

    /// Opens a database for changing it; `doing` is what a book file is refused for.
    ///
    /// # Errors
    /// As [`Book::open`], and [`Error::BookFile`].
    pub fn open_for_writing(path: &Path, doing: &'static str, context: &Context) -> Result<Store> {
        drop(Book::open(path, context)?.into_database(doing)?);
        Store::open_for_writing(path, context)
    }

    /// Returns the database, for an operation that needs one; `doing` is what a book file is refused for.
    ///
    /// # Errors
    /// Returns [`Error::BookFile`] if it is a file.
    pub fn into_database(self, doing: &'static str) -> Result<Store> {
        match self {
            Book::Database(store) => Ok(store),
            Book::File(file) => Err(Error::book_file(file.path(), doing)),
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Book::Database(store) => store.path(),
            Book::File(file) => file.path(),
        }
    }

    /// What it says about itself.
    ///
    /// # Errors
    /// Where the database can't be read.
    pub fn header(&self) -> Result<BookHeader> {
        match self {
            Book::Database(store) => store.header(),
            Book::File(file) => Ok(file.header().clone()),
        }
    }

    /// About how many positions [`Book::positions`] will give, where that is known beforehand: for a file, what its header
    /// promises; for a database, what the pages suggest that it fills.
    ///
    /// # Errors
    /// Where the database can't be read.
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

    /// Whether the links of the book are written down in it, pass positions and all.
    pub(crate) fn has_links(&self) -> bool {
        match self {
            Book::Database(_) => true,
            Book::File(file) => file.has_links(),
        }
    }

    /// All positions with their links: a database's in key order, an Edax file's in the file's order, duplicates and
    /// all. Other files hold no links, so they are read into memory first, to find them.
    ///
    /// # Errors
    /// Where the book can't be read; the iterator ends with an error at damage inside it.
    pub fn positions(&self) -> Result<Box<dyn Iterator<Item = Result<Position>> + Send>> {
        if self.has_links() {
            self.records()
        } else {
            let graph = load(self, &Progress::hidden())?;
            Ok(Box::new(graph.into_positions().map(Ok)))
        }
    }

    /// All positions as they stand in the book: those of a file may lack links and pass positions.
    ///
    /// # Errors
    /// As [`Book::positions`].
    pub fn records(&self) -> Result<Box<dyn Iterator<Item = Result<Position>> + Send>> {
        match self {
            Book::Database(store) => Ok(Box::new(store.positions()?)),
            Book::File(file) => {
                let positions = file.reader()?.positions_parallel();
                Ok(Box::new(positions.map(|position| Ok(position?))))
            }
        }
    }

    /// The positions as they stand in the book, on their way to a graph.
    ///
    /// # Errors
    /// Where the book can't be read.
    pub(crate) fn gather(&self, progress: &Progress) -> Result<GraphBuilder> {
        match self {
            Book::Database(store) => {
                progress.step("reading", self.len_hint()?);
                let mut builder = Graph::builder();
                for position in store.positions()? {
                    builder.push(position?);
                    progress.advance(1);
                }
                Ok(builder)
            }
            Book::File(file) => Ok(GraphBuilder::gather(file.reader()?, progress)?),
        }
    }

    /// All positions with their links, by key and each once. An Edax file is sorted for that, on the disk where it does not
    /// fit into a gigabyte; a database is in that order, and so are the other files once their links are found.
    ///
    /// # Errors
    /// Where the book can't be read or the temporary files can't be written.
    pub fn sorted(self, progress: &Progress) -> Result<SortedBook> {
        if self.has_links() {
            self.sorted_records(Sorter::BUDGET, progress)
        } else {
            load(&self, progress).map(SortedBook::Graph)
        }
    }

    /// All positions as they stand in the book, by key and each once. A file is sorted for that, on the disk where it does
    /// not fit into so many bytes.
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

    /// The positions of these boards, as far as the book has them. A file is read once for all of them.
    ///
    /// # Errors
    /// Where the book can't be read.
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
                for position in self.positions()? {
                    let position = position?;
                    if boards.contains(&position.board) {
                        found.insert(position.board, position);
                    }
                }
            }
        }
        Ok(found)
    }
}

/// A book whose positions can be walked by key, several times.
#[derive(Debug)]
pub enum SortedBook {
    /// A database, as it is.
    Database(Store),
    /// A file that was sorted.
    File(Sorted),
    /// A file whose links were found.
    Graph(Graph),
}

impl SortedBook {
    /// Walks the positions by key, each board once.
    ///
    /// # Errors
    /// Where the database or a temporary file can't be read.
    pub fn positions(&self) -> Result<Box<dyn Iterator<Item = Result<Position>> + Send + '_>> {
        Ok(match self {
            SortedBook::Database(store) => Box::new(store.positions()?),
            SortedBook::File(sorted) => Box::new(sorted.positions()?.map(|position| Ok(position?))),
            SortedBook::Graph(graph) => Box::new(graph.positions().map(Ok)),
        })
    }

    /// About how many positions there are.
    ///
    /// # Errors
    /// Where the database can't be read.
    pub fn estimated_positions(&self) -> Result<u64> {
        match self {
            SortedBook::Database(store) => store.estimated_positions(),
            SortedBook::File(sorted) => Ok(sorted.taken()),
            SortedBook::Graph(graph) => Ok(graph.len() as u64),
        }
    }

    /// How many boards came again, of a book whose walk gave so many positions.
    #[must_use]
    pub fn duplicates(&self, positions: u64) -> u64 {
        match self {
            SortedBook::File(sorted) => sorted.taken().saturating_sub(positions),
            SortedBook::Database(_) | SortedBook::Graph(_) => 0,
        }
    }
}

/// Reads a whole book into memory, with its links: a database's as they stand there, a file's as its boards imply them,
/// with the pass positions that Egaroucid's files leave out.
///
/// # Errors
/// Where the book can't be read, or has more positions than fit in memory.
pub fn load(book: &Book, progress: &Progress) -> Result<Graph> {
    let too_large = Error::too_large(book.path());
    let (mut graph, _) = book.gather(progress)?.finish().map_err(&too_large)?;
    if let Book::File(file) = book {
        complete(&mut graph, file.header(), progress).map_err(&too_large)?;
    }
    Ok(graph)
}

/// What the file is.
fn kind(path: &Path) -> Result<FileKind> {
    let failed = || Error::io(path, "open");
    // Opening a pipe waits for who writes to it.
    let found = std::fs::metadata(path).map_err(failed())?;
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

/// A book file that was recognised; it is read from the start each time something is asked.
#[derive(Debug)]
pub struct BookFile {
    path: PathBuf,
    format: Format,
    header: BookHeader,
    link_count: Option<LinkCount>,
}

impl BookFile {
    /// Recognises a book file by its contents.
    fn open(path: &Path) -> Result<BookFile> {
        let reader = BookReader::open(path, None)?;
        Ok(BookFile {
            path: path.to_owned(),
            format: reader.format(),
            header: BookHeader::of(&reader),
            link_count: reader.link_count(),
        })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The format that its contents show.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// What it says about itself.
    #[must_use]
    pub fn header(&self) -> &BookHeader {
        &self.header
    }

    /// Of an `.egbk2` file: how many bytes its link counts were found to have.
    #[must_use]
    pub fn link_count(&self) -> Option<LinkCount> {
        self.link_count
    }

    /// Whether its links are written down in it, pass positions and all.
    pub(crate) fn has_links(&self) -> bool {
        self.format == Format::Edax
    }

    /// Reads it from the start.
    ///
    /// # Errors
    /// Where it can't be read.
    pub fn reader(&self) -> Result<BookReader> {
        Ok(BookReader::open(&self.path, Some(self.format))?)
    }
}

/// Gives the records of a book file what its format leaves out: links, and by Egaroucid's rules pass positions.
pub(crate) fn complete(
    graph: &mut Graph,
    header: &BookHeader,
    progress: &Progress,
) -> std::result::Result<(), TooLarge> {
    if header.rules == RuleSet::Egaroucid {
        restore_passes(graph)?;
    }
    link_shown(graph, progress).map(drop)
}
