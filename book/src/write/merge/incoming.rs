//! The books that come in, together in key order.

use crate::sort::Positions;
use crate::store::Source;
use crate::write::import::sha256;
use crate::{Book, Progress, Result, Sorted, Store};
use obook_converters::Position;
use obook_othello::CanonicalBoard;
use std::iter::Peekable;
use std::path::{Path, PathBuf};

/// A book that comes in.
pub(super) enum Incoming {
    /// It is in the book already: this very one came in before, or it is the book itself.
    Known(Source),
    /// It is new.
    New {
        /// Its counts are filled in as it is read.
        source: Source,
        sorted: Sorted,
    },
}

impl Incoming {
    /// Reads what `store` has not taken in before.
    pub(super) fn open(path: &Path, store: &Store, progress: &Progress) -> Result<Incoming> {
        let book = Book::open(path)?;
        let format = book.header()?.format;
        let mut source = Source {
            name: path.display().to_string(),
            format: match &book {
                Book::Database(_) => String::from("obook"),
                Book::File(_) => format.unwrap_or_default(),
            },
            sha256: sha256(path)?,
            positions: 0,
            links: 0,
            leaves: 0,
            duplicates: 0,
        };
        if let Some(known) = store.source(&source.sha256)? {
            let name = source.name;
            return Ok(Incoming::Known(Source { name, ..known }));
        }
        if is_same(path, store.path()) {
            return Ok(Incoming::Known(source));
        }
        let sorted = book.sorted(progress)?;
        source.duplicates = sorted.taken();
        Ok(Incoming::New { source, sorted })
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| -> Option<PathBuf> { path.canonicalize().ok() };
    real(one).is_some_and(|one| Some(one) == real(other))
}

/// What the books say of one board: who says it, in the order in which they come in.
pub(super) type Said = Vec<(usize, Position)>;

/// The positions of several books by key.
pub(super) struct Together<'a> {
    books: Vec<(usize, Peekable<Positions<'a>>)>,
}

impl<'a> Together<'a> {
    /// Those that are new, told by their places.
    pub(super) fn new(incoming: &'a [Incoming]) -> Result<Together<'a>> {
        let mut books = Vec::new();
        for (place, book) in incoming.iter().enumerate() {
            if let Incoming::New { sorted, .. } = book {
                books.push((place, sorted.positions()?.peekable()));
            }
        }
        Ok(Together { books })
    }

    /// The board that comes next; an error comes before any.
    fn next_board(&mut self) -> Option<Result<CanonicalBoard>> {
        let mut next: Option<CanonicalBoard> = None;
        for (_, positions) in &mut self.books {
            match positions.peek() {
                Some(Ok(position)) => {
                    next = Some(next.map_or(position.board, |next| next.min(position.board)));
                }
                Some(Err(_)) => return positions.next()?.err().map(Err),
                None => {}
            }
        }
        next.map(Ok)
    }
}

impl Iterator for Together<'_> {
    type Item = Result<(CanonicalBoard, Said)>;

    fn next(&mut self) -> Option<Self::Item> {
        let board = match self.next_board()? {
            Ok(board) => board,
            Err(error) => return Some(Err(error)),
        };
        let mut said = Said::new();
        for (number, positions) in &mut self.books {
            let is_it = |next: &Result<Position>| {
                next.as_ref().is_ok_and(|position| position.board == board)
            };
            if let Some(Ok(position)) = positions.next_if(is_it) {
                said.push((*number, position));
            }
        }
        Some(Ok((board, said)))
    }
}
