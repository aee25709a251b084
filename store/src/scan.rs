//! All positions of a database, in key order, read by several threads.

use super::read::unread;
use super::structure::StructureCheck;
use super::{Store, connect};
use crate::Result;
use obook_graph::parallel::in_turns;
use obook_model::Position;
use obook_rows::{KeyRange, Pieces, Strict, scan};
use rusqlite::Connection;
use std::iter::Flatten;
use std::sync::mpsc::{IntoIter, sync_channel};
use std::thread::{self, JoinHandle};

/// Positions that one thread reads at a time.
const PIECE: u32 = 1 << 13;
/// Pieces that may wait for the one who asked.
const WAITING: usize = 1;

/// Several read transactions that see the same state of a database, whatever others write meanwhile.
#[derive(Debug)]
pub struct ReadTransactions {
    stores: Vec<Store>,
    /// One more, for the check of the structure.
    checker: Option<Store>,
}

impl Store {
    /// All positions in key order, from one snapshot: writers don't disturb it, and only some thousand positions for each
    /// core are in memory at a time. Rows of `links` and `leaves` without a position are passed over.
    ///
    /// # Errors
    /// [`Error::Sqlite`](crate::Error::Sqlite) where the database can't be read; the iterator ends with
    /// [`Error::BadRow`](crate::Error::BadRow) at a row that makes no sense, and with
    /// [`Error::Corrupt`](crate::Error::Corrupt) where the pages of the database do not hang together, at the latest behind
    /// the last position that could be read.
    pub fn positions(&self) -> Result<StoredPositions> {
        let mut transactions = self.read_transactions()?;
        let path = self.path.clone();
        let (sender, receiver) = sync_channel(WAITING);
        let reader = thread::spawn(move || {
            let structure = transactions.check_structure();
            let read = |connection: &Connection, range| {
                let mut positions = Vec::with_capacity(PIECE as usize);
                let ended = scan(connection, range, &mut Strict, |joined| {
                    positions.extend(joined.position.map(Ok));
                });
                (positions, ended.map_err(unread(&path)))
            };
            let ended = transactions.each_piece(read, |(positions, ended)| {
                // The rest may not be wanted.
                sender.send(positions).map_err(|_| None)?;
                ended.map_err(Some)
            });
            let error = match ended {
                Err(None) => return,
                Err(Some(error)) => Some(error),
                Ok(()) => None,
            };
            // Damaged pages are why rows make no sense, not the other way round.
            if let Some(error) = structure.end().err().or(error) {
                let _ = sender.send(vec![Err(error)]);
            }
        });
        Ok(StoredPositions {
            positions: receiver.into_iter().flatten(),
            reader: Some(reader),
        })
    }

    /// As many transactions as there is work for.
    ///
    /// # Errors
    /// [`Error::Sqlite`](crate::Error::Sqlite).
    pub fn read_transactions(&self) -> Result<ReadTransactions> {
        let failed = || self.failed("read");
        // In a damaged database any number will do: what can't be read is told by what reads it.
        let pieces = self.most_positions().unwrap_or_default() / u64::from(PIECE) + 1;
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let threads = cores.min(usize::try_from(pieces).unwrap_or(usize::MAX));
        let (observer, _) = connect(&self.path)?;
        // Tells whether any other connection has committed since it was last asked.
        let version =
            || observer.pragma_query_value(None, "data_version", |row| row.get::<_, i64>(0));
        loop {
            let before = version().map_err(failed())?;
            let begin = |_| {
                let store = Store::open(&self.path)?;
                // A read transaction begins with the first read.
                store
                    .connection
                    .execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema;")
                    .map_err(failed())?;
                Ok(store)
            };
            // One of them finds the pieces.
            let stores = (0..=threads).map(begin).collect::<Result<_>>()?;
            let checker = begin(threads + 1).map(Some)?;
            if version().map_err(failed())? == before {
                return Ok(ReadTransactions { stores, checker });
            }
        }
    }
}

impl ReadTransactions {
    /// One of them.
    pub fn first(&self) -> &Store {
        &self.stores[0]
    }

    /// Begins to check that the pages hang together, beside what is read of them.
    ///
    /// # Panics
    /// The second time.
    pub fn check_structure(&mut self) -> StructureCheck {
        StructureCheck::begin(self.checker.take().expect("it is checked once"))
    }

    /// Does `work` on pieces of the database, on all cores, and gives what became of them to `consume` in key order.
    ///
    /// # Errors
    /// The first that `consume` has.
    pub fn each_piece<T: Send, E>(
        &mut self,
        work: impl Fn(&Connection, KeyRange) -> T + Sync,
        consume: impl FnMut(T) -> Result<(), E>,
    ) -> Result<(), E> {
        let (divider, workers) = self
            .stores
            .split_first_mut()
            .expect("there are two at least");
        in_turns(
            workers,
            move || {
                let divider: &Store = divider;
                Pieces::new(&divider.connection, PIECE)
            },
            |worker, range| work(&worker.connection, range),
            consume,
        )
    }
}

/// The positions of a database; [`Store::positions`] makes it.
#[derive(Debug)]
pub struct StoredPositions {
    positions: Flatten<IntoIter<Vec<Result<Position>>>>,
    /// The thread that they come from.
    reader: Option<JoinHandle<()>>,
}

impl Iterator for StoredPositions {
    type Item = Result<Position>;

    fn next(&mut self) -> Option<Result<Position>> {
        let next = self.positions.next();
        if next.is_none()
            && let Some(reader) = self.reader.take()
            && let Err(panic) = reader.join()
        {
            // What came is not all.
            std::panic::resume_unwind(panic);
        }
        next
    }
}
