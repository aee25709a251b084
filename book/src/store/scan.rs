//! All positions of a database, in key order, read by several threads.

use super::read::unread;
use super::{Store, connect};
use crate::Result;
use crate::parallel::in_turns;
use obook_converters::Position;
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
pub(crate) struct ReadTransactions {
    stores: Vec<Store>,
}

impl Store {
    /// All positions in key order, from one snapshot: writers don't disturb it, and only some thousand positions for each
    /// core are in memory at a time. Rows of `links` and `leaves` without a position are passed over.
    ///
    /// # Errors
    /// [`Error::Sqlite`](crate::Error::Sqlite) where the database can't be read; the iterator ends with
    /// [`Error::BadRow`](crate::Error::BadRow) at a row that makes no sense.
    pub fn positions(&self) -> Result<StoredPositions> {
        let mut transactions = self.read_transactions()?;
        let path = self.path.clone();
        let (sender, receiver) = sync_channel(WAITING);
        let reader = thread::spawn(move || {
            let read = |connection: &Connection, range| {
                let mut positions = Vec::with_capacity(PIECE as usize);
                let ended = scan(connection, range, &mut Strict, |joined| {
                    positions.extend(joined.position.map(Ok));
                });
                let sound = ended.is_ok();
                positions.extend(ended.map_err(unread(&path)).err().map(Err));
                (positions, sound)
            };
            let _ = transactions.each_piece(read, |(positions, sound)| {
                // The rest may not be wanted, and nothing comes after an error.
                let sent = sender.send(positions).is_ok();
                if sent && sound { Ok(()) } else { Err(()) }
            });
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
    pub(crate) fn read_transactions(&self) -> Result<ReadTransactions> {
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
            if version().map_err(failed())? == before {
                return Ok(ReadTransactions { stores });
            }
        }
    }
}

impl ReadTransactions {
    /// One of them.
    pub(crate) fn first(&self) -> &Store {
        &self.stores[0]
    }

    /// Does `work` on pieces of the database, on all cores, and gives what became of them to `consume` in key order.
    ///
    /// # Errors
    /// The first that `consume` has.
    pub(crate) fn each_piece<T: Send, E>(
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
