//! Reading: a single value, positions on several threads, and how many there are without reading them.

use crate::counts::kept_rows;
use crate::structure::{Scope, StructureCheck};
use crate::{Result, Store};
use obook_base::parallel::in_turns;
use obook_base::sqlite::{KeyRange, pieces};
use rusqlite::types::FromSql;
use rusqlite::{Connection, Params};
use std::thread;

/// Positions that one thread reads at a time.
pub const PIECE: u32 = 1 << 13;

/// A book that can have at most this many positions is read on one thread: others would take longer to begin.
const SMALL: u64 = 1 << 12;

/// How often several transactions are begun, until no commit comes between them.
const ROUNDS: u32 = 100;

/// Several read transactions that see the same state of a database, whatever is written meanwhile.
#[derive(Debug)]
pub struct ReadTransactions {
    /// One finds the pieces, and the others read them; a small book has only one, which does both.
    stores: Vec<Store>,
    /// For the check of the structure, unless the book is small.
    checker: Option<Box<Store>>,
}

impl Store {
    /// Begins a read transaction for each core, or fewer for a small book.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn read_transactions(&self) -> Result<ReadTransactions> {
        // In a damaged database any number will do; reading reports the damage.
        let most = self.most_positions().unwrap_or_default();
        let one = || {
            let (stores, checker) = (vec![self.begin_reading()?], None);
            Ok(ReadTransactions { stores, checker })
        };
        if most <= SMALL {
            return one();
        }
        let pieces = usize::try_from(most / u64::from(PIECE) + 1).unwrap_or(usize::MAX);
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let threads = cores.min(pieces);
        // Its version changes if anybody commits while the transactions begin.
        let observer = self.reader()?;
        for _ in 0..ROUNDS {
            let before = observer.version_of_others()?;
            let stores = (0..=threads).map(|_| self.begin_reading());
            let stores = stores.collect::<Result<_>>()?;
            let checker = Some(Box::new(self.begin_reading()?));
            if observer.version_of_others()? == before {
                return Ok(ReadTransactions { stores, checker });
            }
        }
        // Others write all the time; or a write-protected log is in the way, and each reading looks like another commit.
        one()
    }
}

/// Keeps the connection of a small book for the next time. The check of a large one may still interrupt those of its threads.
impl Drop for ReadTransactions {
    fn drop(&mut self) {
        if let [_] = &*self.stores {
            self.stores.drain(..).for_each(Store::end_reading);
        }
    }
}

impl ReadTransactions {
    /// One of the transactions.
    #[must_use]
    pub fn first(&self) -> &Store {
        &self.stores[0]
    }

    /// The database as each of the transactions sees it.
    pub fn stores(&mut self) -> impl Iterator<Item = &mut Store> {
        self.stores.iter_mut()
    }

    /// The transaction for a check beside the reading; `None` if the book is small, or is checked already.
    pub fn take_checker(&mut self) -> Option<Store> {
        self.checker.take().map(|checker| *checker)
    }

    /// Begins to check the structure of the database, on a thread of its own unless the book is small.
    ///
    /// # Panics
    /// If it is called twice.
    pub fn check_structure(&mut self) -> StructureCheck {
        self.check(Scope::Whole)
    }

    /// Like [`ReadTransactions::check_structure`], but only of the tables of positions, for those who read nothing else.
    ///
    /// # Panics
    /// If the structure is checked already.
    pub fn check_positions(&mut self) -> StructureCheck {
        self.check(Scope::Counted(self.first().schema))
    }

    fn check(&mut self, scope: Scope) -> StructureCheck {
        match &*self.stores {
            [store] => StructureCheck::of(store, scope),
            _ => StructureCheck::begin(self.take_checker().expect("it is checked once"), scope),
        }
    }

    /// Calls `work` with ranges of keys, on all cores, and `consume` with the results, in key order.
    ///
    /// # Errors
    /// Returns the first error of `consume`.
    pub fn each_piece<const BYTES: usize, T: Send, E>(
        &mut self,
        work: impl Fn(&Connection, KeyRange<BYTES>) -> T + Sync,
        consume: impl FnMut(T) -> Result<(), E>,
    ) -> Result<(), E> {
        let (divider, workers) = self.stores.split_first_mut().expect("there is one");
        if workers.is_empty() {
            let connection = &divider.connection;
            let mut done = pieces(connection, PIECE).map(|range| work(connection, range));
            return done.try_for_each(consume);
        }
        in_turns(
            workers,
            move || {
                let divider: &Store = divider;
                pieces(&divider.connection, PIECE)
            },
            |worker, range| work(&worker.connection, range),
            consume,
        )
    }
}

/// The size of a position in a database, with a link and a leaf as most have, in bytes.
const BYTES_A_POSITION: u64 = 100;
/// The least size of a position with a link and a leaf, in bytes.
const LEAST_BYTES_A_POSITION: u64 = 64;

impl Store {
    /// Roughly how many positions the book has, from its table `row_counts` or, if that isn't reliable, from the size of the
    /// book. Counting takes SQLite seconds in a large book.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`](crate::Error::Sqlite) if the database can't be read.
    pub fn estimated_positions(&self) -> Result<u64> {
        let bytes = self.book_bytes()?;
        // An untrusted book may say anything.
        let most = bytes / LEAST_BYTES_A_POSITION;
        let said =
            kept_rows(&self.connection, self.schema, "positions").filter(|said| *said <= most);
        Ok(said.unwrap_or(bytes / BYTES_A_POSITION))
    }

    /// The most positions that a book of this size can have.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`](crate::Error::Sqlite) if the database can't be read.
    pub fn most_positions(&self) -> Result<u64> {
        Ok(self.book_bytes()? / LEAST_BYTES_A_POSITION)
    }

    /// The size of the book in bytes, without free pages and without the undo log.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`](crate::Error::Sqlite) if the database can't be read.
    pub fn book_bytes(&self) -> Result<u64> {
        let sql = "SELECT (page_count - freelist_count) * page_size - (SELECT total(length(data)) FROM undo)
                   FROM pragma_page_count, pragma_freelist_count, pragma_page_size";
        let bytes: f64 = self.ask(sql, [])?;
        Ok(bytes as u64)
    }

    /// The value of a query that returns a single one.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`](crate::Error::Sqlite) if the database can't be read, or the value is of another type.
    pub fn ask<T: FromSql>(&self, sql: &str, values: impl Params) -> Result<T> {
        self.read(|it| it.query_row(sql, values, |row| row.get(0)))
    }

    /// Reads from the database. Errors name it.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`](crate::Error::Sqlite) if it fails.
    pub fn read<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        read(&self.connection).map_err(self.failed("read"))
    }
}

/// The size of all pages, in bytes.
pub(crate) fn file_bytes(connection: &Connection) -> rusqlite::Result<u64> {
    let sql = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
    let bytes = connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    bytes.map(i64::cast_unsigned)
}
