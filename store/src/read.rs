//! Reading positions: one by one by key, or all of them in key order on several threads; and how many there are, without
//! reading them.

use crate::counts::kept_positions;
use crate::structure::{Scope, StructureCheck};
use crate::{Change, Error, Result, Store};
use obook_graph::parallel::in_turns;
use obook_model::{Engine, Forecast, Position};
use obook_othello::CanonicalBoard;
use obook_rows::{KeyRange, Lookup, Pieces, Strict, scan};
use rusqlite::Connection;
use std::iter::Flatten;
use std::path::Path;
use std::sync::mpsc::{IntoIter, sync_channel};
use std::thread::{self, JoinHandle};

impl Store {
    /// The position of a board with its links, best first, and its leaf; `None` if the book doesn't have it.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be read, and [`Error::BadRow`] if a row makes no sense.
    pub fn position(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        position(&self.connection, &self.path, board)
    }

    /// As [`Store::position`], but without links and leaf: one query instead of three.
    ///
    /// # Errors
    /// As [`Store::position`].
    pub fn numbers(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        numbers(&self.connection, &self.path, board)
    }
}

impl Store {
    /// The engines in table `engines` that obook doesn't know, with their names.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the table can't be read.
    pub fn other_engines(&self) -> Result<Vec<(Engine, String)>> {
        let read = || {
            let mut select = self
                .connection
                .prepare("SELECT engine, name FROM engines")?;
            let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<rusqlite::Result<Vec<(i64, String)>>>()
        };
        let named = read().map_err(self.failed("read"))?.into_iter();
        let named = named.filter_map(|(number, name)| Some((Engine::from_code(number)?, name)));
        Ok(named
            .filter(|(engine, _)| !Engine::ALL.contains(engine))
            .collect())
    }

    /// Passes on all forecasts, in key order.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be read, and any error of `take`.
    pub fn each_forecast(
        &self,
        mut take: impl FnMut(CanonicalBoard, &Forecast) -> Result<()>,
    ) -> Result<()> {
        let failed = || self.failed("read");
        let boards = obook_rows::forecast_boards(&self.connection).map_err(failed())?;
        for board in boards {
            if let Some(forecast) = self.forecast(board)? {
                take(board, &forecast)?;
            }
        }
        Ok(())
    }

    /// A program's forecast of a board; `None` if the book has none.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be read.
    pub fn forecast(&self, board: CanonicalBoard) -> Result<Option<Forecast>> {
        obook_rows::forecast(&self.connection, None, board).map_err(self.failed("read"))
    }
}

impl Change<'_> {
    /// Writes a forecast, unless the book has one for the board for which more positions were visited.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be written.
    pub fn put_forecast(&self, board: CanonicalBoard, forecast: &Forecast) -> Result<()> {
        obook_rows::put_forecast(self.connection(), board, forecast).map_err(self.failed())
    }

    /// Names an engine, unless another one has this name. Of two names that books give it the first in order stays, so that the order
    /// of merging makes no difference.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be written.
    pub fn name_engine(&self, engine: Engine, name: &str) -> Result<()> {
        for sql in [
            "INSERT OR IGNORE INTO engines (engine, name) VALUES (?1, ?2)",
            "UPDATE OR IGNORE engines SET name = ?2 WHERE engine = ?1 AND name > ?2",
        ] {
            let named = self.connection().execute(sql, (engine.code(), name));
            named.map_err(self.failed())?;
        }
        Ok(())
    }

    /// As [`Store::position`], in the book as changed so far.
    ///
    /// # Errors
    /// As [`Store::position`].
    pub fn position(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        position(self.connection(), self.store.path(), board)
    }

    /// As [`Store::numbers`], in the book as changed so far.
    ///
    /// # Errors
    /// As [`Store::position`].
    pub fn numbers(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        numbers(self.connection(), self.store.path(), board)
    }
}

fn position(
    connection: &Connection,
    path: &Path,
    board: CanonicalBoard,
) -> Result<Option<Position>> {
    Lookup::main()
        .position(connection, board, &mut Strict)
        .map_err(unread(path))
}

fn numbers(
    connection: &Connection,
    path: &Path,
    board: CanonicalBoard,
) -> Result<Option<Position>> {
    Lookup::main()
        .numbers(connection, board, &mut Strict)
        .map_err(unread(path))
}

/// Turns an error in reading rows into one that names the database: for `map_err`.
pub fn unread(path: &Path) -> impl FnOnce(obook_rows::Error) -> Error {
    move |error| match error {
        obook_rows::Error::Sqlite(error) => Error::sqlite(path, "read")(error),
        obook_rows::Error::Fault(fault) => Error::BadRow {
            path: path.to_owned(),
            board: fault.key().map_or(String::from("?"), |key| {
                format!("{:032x}", u128::from_be_bytes(key))
            }),
            problem: fault.to_string(),
        },
    }
}

/// Positions that one thread reads at a time.
const PIECE: u32 = 1 << 13;
/// Pieces that may wait for the consumer.
const WAITING: usize = 1;

/// A book that can have at most this many positions is read on one thread: others would take longer to begin.
const SMALL: u64 = 1 << 12;

/// Several read transactions that see the same state of a database, whatever is written meanwhile.
#[derive(Debug)]
pub struct ReadTransactions {
    /// One finds the pieces, and the others read them; a small book has only one, which does both.
    stores: Vec<Store>,
    /// For the check of the structure, unless the book is small.
    checker: Option<Box<Store>>,
}

impl Store {
    /// All positions in key order, from one state of the database, whatever is written meanwhile. Only some thousand positions
    /// for each core are in memory at a time. Rows of `links` and `leaves` without a position are skipped.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be read. The iterator ends with [`Error::BadRow`] at a row that makes no
    /// sense, and with [`Error::Corrupt`], after the last readable position at the latest, if a table of positions is damaged.
    /// Damage to other tables is not looked for.
    pub fn positions(&self) -> Result<StoredPositions> {
        let mut transactions = self.read_transactions()?;
        let path = self.path.clone();
        let (sender, receiver) = sync_channel(WAITING);
        let reader = thread::spawn(move || {
            let structure = transactions.check_positions();
            let read = |connection: &Connection, range| {
                let mut positions = Vec::with_capacity(PIECE as usize);
                let ended = scan(connection, range, &mut Strict, |joined| {
                    positions.extend(joined.position.map(Ok));
                });
                (positions, ended.map_err(unread(&path)))
            };
            let ended = transactions.each_piece(read, |(positions, ended)| {
                // The consumer may not want the rest.
                sender.send(positions).map_err(|_| None)?;
                ended.map_err(Some)
            });
            let error = match ended {
                Err(None) => return,
                Err(Some(error)) => Some(error),
                Ok(()) => None,
            };
            // If the pages are damaged, that explains bad rows.
            if let Some(error) = structure.end().err().or(error) {
                let _ = sender.send(vec![Err(error)]);
            }
        });
        Ok(StoredPositions {
            positions: receiver.into_iter().flatten(),
            reader: Some(reader),
        })
    }

    /// Begins a read transaction for each core, or fewer for a small book.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn read_transactions(&self) -> Result<ReadTransactions> {
        let begin = |_| {
            let store = self.reader()?;
            // A read transaction begins with the first read.
            store
                .connection
                .execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema;")
                .map_err(self.failed("read"))?;
            Ok(store)
        };
        // In a damaged database any number will do; reading reports the damage.
        let most = self.most_positions().unwrap_or_default();
        if most <= SMALL {
            let (stores, checker) = (vec![begin(0)?], None);
            return Ok(ReadTransactions { stores, checker });
        }
        let pieces = usize::try_from(most / u64::from(PIECE) + 1).unwrap_or(usize::MAX);
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let threads = cores.min(pieces);
        // Its version changes if anybody commits while the transactions begin.
        let observer = self.reader()?;
        loop {
            let before = observer.version_of_others()?;
            let stores = (0..=threads).map(begin).collect::<Result<_>>()?;
            let checker = Some(Box::new(begin(threads + 1)?));
            if observer.version_of_others()? == before {
                return Ok(ReadTransactions { stores, checker });
            }
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
    #[cfg(feature = "lake")]
    pub(crate) fn stores(&mut self) -> impl Iterator<Item = &mut Store> {
        self.stores.iter_mut()
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
        self.check(Scope::Positions)
    }

    fn check(&mut self, scope: Scope) -> StructureCheck {
        match &*self.stores {
            [store] => StructureCheck::of(store, scope),
            _ => StructureCheck::begin(*self.checker.take().expect("it is checked once"), scope),
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
            return Pieces::new(connection, PIECE)
                .map(|range| work(connection, range))
                .try_for_each(consume);
        }
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

/// The iterator of [`Store::positions`].
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
            std::panic::resume_unwind(panic);
        }
        next
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
    /// Returns [`Error::Sqlite`] if the database can't be read.
    pub fn estimated_positions(&self) -> Result<u64> {
        let bytes = self.book_bytes()?;
        // An untrusted book may say anything.
        let most = bytes / LEAST_BYTES_A_POSITION;
        let said = kept_positions(&self.connection).filter(|said| *said <= most);
        Ok(said.unwrap_or(bytes / BYTES_A_POSITION))
    }

    /// The most positions that a book of this size can have.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be read.
    pub fn most_positions(&self) -> Result<u64> {
        Ok(self.book_bytes()? / LEAST_BYTES_A_POSITION)
    }

    /// The size of all pages, in bytes.
    pub(crate) fn file_bytes(&self) -> Result<u64> {
        let sql = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
        self.connection
            .query_row(sql, [], |row| row.get::<_, i64>(0))
            .map(i64::cast_unsigned)
            .map_err(self.failed("read"))
    }

    /// The size of the book in bytes, without free pages and without the undo log.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be read.
    pub fn book_bytes(&self) -> Result<u64> {
        let sql = "SELECT (page_count - freelist_count) * page_size - (SELECT total(length(data)) FROM undo)
                   FROM pragma_page_count, pragma_freelist_count, pragma_page_size";
        self.connection
            .query_row(sql, [], |row| row.get::<_, f64>(0))
            .map(|bytes| bytes as u64)
            .map_err(self.failed("read"))
    }
}

#[cfg(test)]
mod tests {
    use crate::{BookHeader, Context, IfExists, NewBook, Store};
    use obook_converters::Header;
    use obook_model::{Engine, Leaf, Link, Position, RuleSet};
    use obook_othello::Board;

    /// All positions that a few moves lead to.
    fn positions() -> Vec<Position> {
        let mut layers = vec![vec![Board::START]];
        for _ in 0..7 {
            let children = layers.iter().flatten().flat_map(|board| board.children());
            let mut children: Vec<Board> = children
                .map(|(_, child)| child.canonical().board())
                .collect();
            children.sort_unstable_by_key(|board| board.canonical());
            children.dedup();
            layers.push(children);
        }
        let mut boards: Vec<_> = layers
            .concat()
            .iter()
            .map(|board| board.canonical())
            .collect();
        boards.sort_unstable();
        boards.dedup();
        let position = |board: obook_othello::CanonicalBoard| {
            let mut moves = board.board().moves();
            let mut position = Position::new(board, Engine::Edax);
            (position.value, position.level, position.lines) = (Some(3), Some(21), Some(77));
            position
                .links
                .extend(moves.next().map(|mv| Link { mv, score: Some(3) }));
            position.leaf = moves.next().map(|mv| Leaf {
                mv: Some(mv),
                score: 1,
                level: Some(21),
                engine: Engine::Edax,
            });
            position
        };
        boards.into_iter().map(position).collect()
    }

    #[test]
    fn free_pages_and_the_undo_log_do_not_count_as_positions() {
        let positions = positions();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.obook");
        let new = NewBook::create(&path, IfExists::Refuse, &Context::default()).unwrap();
        new.fill(|| Ok(positions.clone().into_iter().map(Ok)))
            .unwrap();
        let (format, header) = (None, Header::default());
        let header = BookHeader {
            rules: RuleSet::Edax,
            format,
            header,
        };
        new.set_header(&header).unwrap();
        new.commit(&()).unwrap();
        let store = Store::open_for_writing(&path, &Context::default()).unwrap();
        let (bytes, estimated) = (
            store.book_bytes().unwrap(),
            store.estimated_positions().unwrap(),
        );
        let count = positions.len() as u64;
        assert!(
            (count / 2..count * 2).contains(&estimated),
            "{count}: {estimated}"
        );
        let write = "CREATE TABLE other (x); INSERT INTO other VALUES (zeroblob(10000000)); DROP TABLE other;
                     INSERT INTO undo (change, data) VALUES (1, zeroblob(10000000))";
        store.connection().execute_batch(write).unwrap();
        let after = store.book_bytes().unwrap();
        // Overflow pages have a few bytes of their own.
        assert!((bytes..bytes + 50_000).contains(&after), "{bytes}: {after}");
    }
}
