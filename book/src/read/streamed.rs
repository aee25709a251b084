//! A book file as virtual tables, for SQL that reads all rows once.

use super::book::BookFile;
use super::book::{Book, SortedBook};
use crate::{Error, Progress, Result};
use obook_extension::{Walk, WalkError, Walked, register_streamed};
use obook_graph::Graph;
use obook_graph::sort::{self, Sorted};
use obook_store::without_book;
use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;

/// Opens a book file as a database in memory, with the file's `positions`, `links` and `leaves` in key order. `engines` and
/// the views are as in every book; all other tables are empty. Looking up a single row reads the whole book. The file is
/// sorted first, on disk if it is large.
///
/// ```
/// use obook_book::{Context, Book, Progress, read::streamed::streamed};
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/edax/games.dat");
/// let Book::File(file) = Book::open(path.as_ref(), &Context::default())? else { panic!() };
/// let tables = streamed(file, &Progress::hidden())?;
/// let count = tables.query_row("SELECT count(*) FROM positions", [], |row| row.get::<_, u32>(0));
/// assert_eq!(count.unwrap(), 2247);
/// # Ok::<(), obook_book::Error>(())
/// ```
///
/// # Errors
/// As [`Book::sorted`].
pub fn streamed(file: BookFile, progress: &Progress) -> Result<Connection> {
    let path = file.path().to_owned();
    let walk: Arc<dyn Walk> = match Book::File(file).sorted(progress)? {
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
