//! Look-ups of single positions, and queries over all of them.

use crate::write::import::into_store;
use crate::{Book, Context, Error, Result, Store, load_in_slabs};
use itertools::process_results;
use obook_graph::Graph;
use obook_othello::{CanonicalBoard, Line, Position};
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::{Batch, Row};
use std::path::{Path, PathBuf};

/// A book in which positions are found by their boards.
pub trait Find: std::fmt::Debug {
    /// The position of a board. Its links are sorted best first.
    ///
    /// # Errors
    /// Returns an error if the database can't be read.
    fn find(&self, board: CanonicalBoard) -> Result<Option<Position>>;

    /// The score for repeating a position: see [`Store::repetition`]. In a file it is a draw.
    ///
    /// # Errors
    /// As [`Store::repetition`].
    fn repetition(&self) -> Result<i8>;
}

impl Find for Lookup {
    fn find(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        self.position(board)
    }

    fn repetition(&self) -> Result<i8> {
        match self {
            Lookup::Database(store) => store.repetition(),
            Lookup::Memory(..) | Lookup::Temporary(..) => Ok(0),
        }
    }
}

/// A book with fast look-ups for one thread: a database, or a book file that was read. [`Probe`](crate::Probe) serves many threads.
#[derive(Debug)]
pub enum Lookup {
    /// A database. Each look-up reads a few pages.
    Database(Store),
    /// A book in memory and the path of its file.
    #[doc(hidden)]
    Memory(Graph, PathBuf),
    /// A book that doesn't fit in memory, in a temporary database, and the path of its file.
    Temporary(Store, PathBuf),
}

impl Lookup {
    /// Prepares a book for look-ups. A file is read into memory, or into a temporary database if the context's memory is too small.
    ///
    /// # Errors
    /// Returns an error if the book can't be read or the temporary database can't be written.
    pub fn new(book: Book, context: &Context) -> Result<Lookup> {
        let path = match book {
            Book::Database(store) => return Ok(Lookup::Database(store)),
            Book::File(ref file) => file.path().to_owned(),
        };
        Ok(match load_in_slabs(&book, context)?.into_graph() {
            Some(graph) => Lookup::Memory(graph, path),
            None => Lookup::Temporary(into_store(book, context)?, path),
        })
    }

    /// Looks up a board. Its links are sorted best first.
    ///
    /// # Errors
    /// Returns an error if the database can't be read.
    pub fn position(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        match self {
            Lookup::Database(store) | Lookup::Temporary(store, _) => store.position(board),
            Lookup::Memory(graph, _) => Ok(graph.find(board).map(|id| graph.position(id))),
        }
    }

    /// The position at the end of a line, which the book must have.
    ///
    /// # Errors
    /// Returns [`StoreError::Unfit`](crate::StoreError::Unfit), which says where the line leaves the book, if the position is missing.
    pub fn require(&self, line: &Line) -> Result<Position> {
        if let Some(position) = self.position(line.board().canonical())? {
            return Ok(position);
        }
        let known = known_on(line, |board| Ok(self.position(board)?.is_some()))?;
        Err(left_the_book(self.path(), line, known))
    }

    pub(crate) fn path(&self) -> &Path {
        match self {
            Lookup::Database(store) => store.path(),
            Lookup::Memory(_, path) | Lookup::Temporary(_, path) => path,
        }
    }
}

/// The positions on a line, from first to last.
pub(crate) fn positions_on(line: &Line) -> impl Iterator<Item = CanonicalBoard> {
    line.positions().map(|(board, _)| board.canonical())
}

/// The number of positions on a line, from the first, up to one that a book lacks.
pub(crate) fn known_on(
    line: &Line,
    has: impl FnMut(CanonicalBoard) -> Result<bool>,
) -> Result<usize> {
    let known = positions_on(line).map(has);
    process_results(known, |known| known.take_while(|it| *it).count())
}

/// The error for a book with only the first `known` positions of a line.
pub(crate) fn left_the_book(path: &Path, line: &Line, known: usize) -> Error {
    let problem = match known {
        0 if line.is_from_start() => String::from("the start position is not in the book"),
        0 => format!("the position {} is not in the book", line.prefix(0)),
        known => {
            let left = line.prefix(known);
            format!("the book ends before {left}: that position is not in it")
        }
    };
    Error::unfit(path, problem)
}

/// Runs a query on a book of any game and collects the results of `row`, except for `None`. `sql` builds the query from the
/// condition, which is `true` if none is given.
///
/// # Errors
/// Returns [`Error::Condition`] if SQLite rejects the condition, or [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the book can't be read.
pub fn rows_where<T>(
    store: &obook_store::Store,
    condition: Option<&str>,
    sql: impl FnOnce(&str) -> String,
    row: impl FnMut(&Row<'_>) -> rusqlite::Result<Option<T>>,
) -> Result<Vec<T>> {
    let ask = || {
        // The line break ends a comment.
        let sql = sql(&format!("({}\n)", condition.unwrap_or("true")));
        let mut statements = Batch::new(store.connection(), &sql);
        let mut select = statements.next()?.ok_or(rusqlite::Error::InvalidQuery)?;
        if statements.next()?.is_some() {
            return Err(rusqlite::Error::MultipleStatement);
        }
        let rows = select.query_map([], row)?;
        rows.filter_map(rusqlite::Result::transpose).collect()
    };
    ask().map_err(|error| match (condition, error) {
        (None, error) => Error::sqlite(store.path(), "read")(error),
        (Some(_), error) => Error::Condition {
            path: store.path().to_owned(),
            problem: match error {
                // The rest of the error repeats the whole query, not just the condition.
                rusqlite::Error::SqlInputError { msg, .. } => msg,
                error => error.to_string(),
            },
        },
    })
}
