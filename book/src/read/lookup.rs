//! Books ready for questions about single positions or about all of them at once.

use crate::{Book, Error, Progress, Result, Store, load};
use obook_graph::Graph;
use obook_model::Position;
use obook_othello::{CanonicalBoard, Line};
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::{Batch, Row};
use std::path::{Path, PathBuf};

/// A book in which any position is found at once: a database as it lies on the disk, anything else in memory.
#[derive(Debug)]
pub enum Lookup {
    /// A database: each question reads a few pages.
    Database(Store),
    /// A book in memory, with the path that it came from.
    Memory(Graph, PathBuf),
}

impl Lookup {
    /// Makes a book ready; a file is read once, into memory.
    ///
    /// # Errors
    /// As [`load`].
    pub fn new(book: Book, progress: &Progress) -> Result<Lookup> {
        match book {
            Book::Database(store) => Ok(Lookup::Database(store)),
            Book::File(_) => {
                let graph = load(&book, progress)?;
                Ok(Lookup::Memory(graph, book.path().to_owned()))
            }
        }
    }

    /// The position of a board, links best first; `None` where the book doesn't have it.
    ///
    /// # Errors
    /// Where the database can't be read.
    pub fn position(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        match self {
            Lookup::Database(store) => store.position(board),
            Lookup::Memory(graph, _) => Ok(graph.find(board).map(|id| graph.position(id))),
        }
    }

    /// What coming back to a position is worth in its numbers: see [`Store::repetition`]. In a file it is a draw.
    ///
    /// # Errors
    /// As [`Store::repetition`].
    pub fn repetition(&self) -> Result<i8> {
        match self {
            Lookup::Database(store) => store.repetition(),
            Lookup::Memory(..) => Ok(0),
        }
    }

    /// Checks that the book has the position at the end of a line.
    ///
    /// # Errors
    /// [`Error::Unfit`] that says where the line left the book.
    pub fn require(&self, line: &Line) -> Result<()> {
        if self.position(line.board().canonical())?.is_some() {
            return Ok(());
        }
        let mut known = 0;
        for board in positions_on(line) {
            if self.position(board)?.is_none() {
                break;
            }
            known += 1;
        }
        Err(left_the_book(self.path(), line, known))
    }

    pub(crate) fn path(&self) -> &Path {
        match self {
            Lookup::Database(store) => store.path(),
            Lookup::Memory(_, path) => path,
        }
    }
}

/// The positions from the beginning to the end of a line.
pub(crate) fn positions_on(line: &Line) -> impl Iterator<Item = CanonicalBoard> {
    let mut board = line.start();
    let after = line.moves().iter().map(move |mv| {
        board = board.play(*mv).expect("a line's moves are legal");
        board.canonical()
    });
    std::iter::once(line.start().canonical()).chain(after)
}

/// Says that the book has only the first `known` positions of a line.
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

/// What the rows of a query come to, those for which `row` has something. `sql` makes the query of the condition, which holds
/// always where there is none.
///
/// # Errors
/// [`Error::Condition`] where SQLite does not take it, [`Error::Sqlite`].
pub fn rows_where<T>(
    store: &Store,
    condition: Option<&str>,
    sql: impl FnOnce(&str) -> String,
    mut row: impl FnMut(&Row<'_>) -> rusqlite::Result<Option<T>>,
) -> Result<Vec<T>> {
    let ask = || {
        // The line break ends a comment.
        let sql = sql(&format!("({}\n)", condition.unwrap_or("true")));
        let mut statements = Batch::new(store.connection(), &sql);
        let mut select = statements.next()?.ok_or(rusqlite::Error::InvalidQuery)?;
        if statements.next()?.is_some() {
            return Err(rusqlite::Error::MultipleStatement);
        }
        let mut rows = select.query([])?;
        let mut found = Vec::new();
        while let Some(next) = rows.next()? {
            found.extend(row(next)?);
        }
        Ok(found)
    };
    ask().map_err(|error| match (condition, error) {
        (None, error) => Error::sqlite(store.path(), "read")(error),
        (Some(_), error) => Error::Condition {
            path: store.path().to_owned(),
            problem: match error {
                // The rest of it repeats the question, which has parts that were not typed.
                rusqlite::Error::SqlInputError { msg, .. } => msg,
                error => error.to_string(),
            },
        },
    })
}
