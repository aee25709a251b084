//! Looking up many positions of a database at once.

use crate::{Change, Error, Result, Store};
use obook_model::Position;
use obook_othello::CanonicalBoard;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Below this a single thread is done before others have begun.
const FEW: usize = 64;

/// What is asked for the positions of the book that a change concerns.
pub trait ReadPositions {
    /// The positions of these boards, as far as the book has them, in their order; boards next to each other are
    /// cheapest.
    ///
    /// # Errors
    /// As [`Store::position`].
    fn positions(&mut self, boards: &[CanonicalBoard]) -> Result<Vec<Position>>;

    /// The same without links and leaves.
    ///
    /// # Errors
    /// As [`Store::position`].
    fn numbers(&mut self, boards: &[CanonicalBoard]) -> Result<Vec<Position>>;

    /// Where the book is.
    fn path(&self) -> &Path;
}

/// The transaction itself, for a few positions, or where the transaction has changed the book already.
impl ReadPositions for &Change<'_> {
    fn positions(&mut self, boards: &[CanonicalBoard]) -> Result<Vec<Position>> {
        let found = boards.iter().map(|board| self.position(*board));
        found.filter_map(Result::transpose).collect()
    }

    fn numbers(&mut self, boards: &[CanonicalBoard]) -> Result<Vec<Position>> {
        let found = boards.iter().map(|board| Change::numbers(self, *board));
        found.filter_map(Result::transpose).collect()
    }

    fn path(&self) -> &Path {
        self.store().path()
    }
}

/// Connections that see the database as it was before the change that is being made, each used by one thread.
pub struct Readers {
    /// Each for one thread at a time; the locks are never waited for.
    stores: Vec<Mutex<Store>>,
    path: PathBuf,
}

impl Readers {
    /// The caller holds the right to write, so that all connections see the same state.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open(book: &Store) -> Result<Readers> {
        let path = book.path();
        let open = || {
            let store = book.reader()?;
            let begin = store.connection().execute_batch("BEGIN");
            begin.map_err(Error::sqlite(path, "read"))?;
            Ok(Mutex::new(store))
        };
        let stores = (0..rayon::current_num_threads()).map(|_| open());
        Ok(Readers {
            stores: stores.collect::<Result<_>>()?,
            path: path.to_owned(),
        })
    }

    /// What `question` has to say about each board, in their order; boards next to each other are cheapest.
    pub fn ask<T: Send>(
        &mut self,
        boards: &[CanonicalBoard],
        question: impl Fn(&Store, CanonicalBoard) -> Result<Option<T>> + Sync,
    ) -> Result<Vec<T>> {
        let ask = |(store, boards): (&mut Mutex<Store>, &[CanonicalBoard])| {
            let store = store.get_mut().expect("no thread panics with the lock");
            let answers = boards.iter().map(|board| question(store, *board));
            answers
                .filter_map(Result::transpose)
                .collect::<Result<Vec<T>>>()
        };
        if boards.len() < FEW {
            return ask((&mut self.stores[0], boards));
        }
        let share = boards.len().div_ceil(self.stores.len());
        let answers: Vec<Vec<T>> = self
            .stores
            .par_iter_mut()
            .zip(boards.par_chunks(share))
            .map(ask)
            .collect::<Result<_>>()?;
        Ok(answers.into_iter().flatten().collect())
    }
}

impl ReadPositions for Readers {
    fn positions(&mut self, boards: &[CanonicalBoard]) -> Result<Vec<Position>> {
        self.ask(boards, Store::position)
    }

    fn numbers(&mut self, boards: &[CanonicalBoard]) -> Result<Vec<Position>> {
        self.ask(boards, Store::numbers)
    }

    fn path(&self) -> &Path {
        &self.path
    }
}
