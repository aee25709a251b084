//! Reading positions: one by one by key, or all of them in key order on several threads.

use super::{Change, Store};
use crate::{Error, Result};
use obook_base::{hex, returned};
use obook_othello::{CanonicalBoard, Forecast, Position};
use obook_sql::rows::{Lookup, Strict, scan};
use obook_store::PIECE;
use rusqlite::Connection;
use std::iter::Flatten;
use std::path::Path;
use std::sync::mpsc::{IntoIter, sync_channel};
use std::thread::{self, JoinHandle};

impl Store {
    /// The position of a board with its links, best first, and its leaf; `None` if the book doesn't have it.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be read, and [`StoreError::BadRow`](crate::StoreError::BadRow) if a row makes no sense.
    pub fn position(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        let found = Lookup::main().position(self.connection(), board);
        found.map_err(unread(self.path()))
    }

    /// As [`Store::position`], but without links and leaf: one table instead of three.
    ///
    /// # Errors
    /// As [`Store::position`].
    pub fn numbers(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        let found = Lookup::main().numbers(self.connection(), board);
        found.map_err(unread(self.path()))
    }

    /// Passes on all forecasts, in key order.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be read, and any error of `take`.
    pub fn each_forecast(
        &self,
        mut take: impl FnMut(CanonicalBoard, &Forecast) -> Result<()>,
    ) -> Result<()> {
        for board in self.read(obook_sql::rows::forecast_boards)? {
            if let Some(forecast) = self.forecast(board)? {
                take(board, &forecast)?;
            }
        }
        Ok(())
    }

    /// A program's forecast of a board; `None` if the book has none.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be read.
    pub fn forecast(&self, board: CanonicalBoard) -> Result<Option<Forecast>> {
        Ok(self.read(|it| obook_sql::rows::forecast(it, None, board))?)
    }
}

impl Change<'_> {
    /// Writes a forecast, unless the book has one for the board for which more positions were visited.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be written.
    pub fn put_forecast(&self, board: CanonicalBoard, forecast: &Forecast) -> Result<()> {
        let put = obook_sql::rows::put_forecast(self.connection(), board, forecast);
        Ok(put.map_err(self.failed())?)
    }

    /// As [`Store::position`], in the book as changed so far.
    ///
    /// # Errors
    /// As [`Store::position`].
    pub fn position(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        self.store().position(board)
    }

    /// As [`Store::numbers`], in the book as changed so far.
    ///
    /// # Errors
    /// As [`Store::position`].
    pub fn numbers(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        self.store().numbers(board)
    }
}

/// Turns an error in reading rows into one that names the database: for `map_err`.
pub(crate) fn unread(path: &Path) -> impl FnOnce(obook_sql::rows::Error) -> Error {
    move |error| match error {
        obook_sql::rows::Error::Sqlite(error) => Error::sqlite(path, "read")(error),
        obook_sql::rows::Error::Fault(fault) => {
            let board = fault.key.map_or(String::from("?"), |key| hex(&key));
            Error::bad_row(path, board, fault.to_string())
        }
    }
}

/// Pieces that may wait for the consumer.
const WAITING: usize = 1;

impl Store {
    /// All positions in key order, from one state of the database, whatever is written meanwhile. Only some thousand positions
    /// for each core are in memory at a time. Rows of `links` and `leaves` without a position are skipped.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be read. The iterator ends with [`StoreError::BadRow`](crate::StoreError::BadRow) at a row that makes no
    /// sense, and with [`StoreError::Corrupt`](crate::StoreError::Corrupt), after the last readable position at the latest, if a table of positions is damaged.
    /// Damage to other tables is not looked for.
    pub fn positions(&self) -> Result<StoredPositions> {
        let mut transactions = self.read_transactions()?;
        let path = self.path().to_owned();
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
            if let Some(error) = structure.end().err().map(Error::from).or(error) {
                let _ = sender.send(vec![Err(error)]);
            }
        });
        Ok(StoredPositions {
            positions: receiver.into_iter().flatten(),
            reader: Some(reader),
        })
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
        self.positions.next().or_else(|| {
            returned(self.reader.take()?.join());
            None
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{BookHeader, Context, IfExists, NewBook, Store};
    use obook_converters::Header;
    use obook_othello::{Board, Engine, Leaf, Link, Position, RuleSet};

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
