//! Books ready for questions about single positions or about all of them at once.

use crate::{Book, Error, Progress, Result, Store, load};
use obook_graph::Graph;
use obook_model::Position;
use obook_othello::{CanonicalBoard, Line};
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
