//! All positions of a database, in key order.
//!
//! The three tables are read by three threads and joined here: each is in key order, so every row is met once.

use super::read::{Cells, LEAF, LINK, POSITION, best_first};
use super::{Store, connect};
use crate::{Error, Result};
use obook_converters::{Leaf, Link, Position};
use rusqlite::Connection;
use std::iter::Peekable;
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

/// Rows that a thread hands over at once.
const BATCH: usize = 1 << 12;
/// Batches that may wait for the join, so that memory stays bounded.
const WAITING: usize = 4;

impl Store {
    /// All positions in key order, from one snapshot: writers don't disturb it, and only a few thousand positions are
    /// in memory at a time. Rows of `links` and `leaves` without a position are passed over.
    ///
    /// # Errors
    /// [`Error::Sqlite`] where the database can't be read; the iterator ends with [`Error::BadRow`] at a row that makes
    /// no sense.
    pub fn positions(&self) -> Result<StoredPositions> {
        let [positions, links, leaves] = self.snapshot()?;
        let path = &self.path;
        Ok(StoredPositions {
            positions: rows(positions, path, POSITION, |cells| cells.position()),
            links: rows(links, path, LINK, |cells| cells.link()).peekable(),
            leaves: rows(leaves, path, LEAF, |cells| cells.leaf()).peekable(),
        })
    }

    /// Three connections that see the same state, whatever others write meanwhile.
    fn snapshot(&self) -> Result<[Connection; 3]> {
        let failed = || self.failed("read");
        let observer = connect(&self.path)?;
        // Tells whether any other connection has committed since it was last asked.
        let version =
            || observer.pragma_query_value(None, "data_version", |row| row.get::<_, i64>(0));
        loop {
            let before = version().map_err(failed())?;
            let begin = || {
                let connection = connect(&self.path)?;
                // A read transaction begins with the first read.
                connection
                    .execute_batch("PRAGMA query_only = 1; BEGIN; SELECT count(*) FROM book;")
                    .map_err(failed())?;
                Ok::<_, Error>(connection)
            };
            let connections = [begin()?, begin()?, begin()?];
            if version().map_err(failed())? == before {
                return Ok(connections);
            }
        }
    }
}

/// A row with the key that it stands under.
type Keyed<T> = ([u8; 16], T);

/// The positions of a database; [`Store::positions`] makes it.
pub struct StoredPositions {
    positions: Rows<Position>,
    links: Peekable<Rows<Link>>,
    leaves: Peekable<Rows<Leaf>>,
}

impl StoredPositions {
    fn join(&mut self, (key, mut position): Keyed<Position>) -> Result<Position> {
        while let Some(link) = of(&mut self.links, &key)? {
            position.links.push(link);
        }
        best_first(&mut position);
        let leaf = of(&mut self.leaves, &key)?;
        leaf.into_iter().for_each(|leaf| position.set_leaf(leaf));
        Ok(position)
    }
}

impl Iterator for StoredPositions {
    type Item = Result<Position>;

    fn next(&mut self) -> Option<Result<Position>> {
        Some(
            self.positions
                .next()?
                .and_then(|position| self.join(position)),
        )
    }
}

/// The next row of this key, if there is one more; rows of smaller keys belong to no position.
fn of<T>(rows: &mut Peekable<Rows<T>>, key: &[u8; 16]) -> Result<Option<T>> {
    while rows
        .next_if(|row| matches!(row, Ok((other, _)) if other < key))
        .is_some()
    {}
    match rows.next_if(|row| !matches!(row, Ok((other, _)) if other > key)) {
        Some(row) => Ok(Some(row?.1)),
        None => Ok(None),
    }
}

/// The rows of one table, read by a thread.
type Rows<T> = std::iter::Flatten<std::sync::mpsc::IntoIter<Vec<Result<Keyed<T>>>>>;

fn rows<T: Send + 'static>(
    connection: Connection,
    path: &Path,
    select: &'static str,
    read: fn(&Cells<'_>) -> Result<T>,
) -> Rows<T> {
    let (sender, receiver) = sync_channel(WAITING);
    let path = path.to_owned();
    thread::spawn(move || {
        if let Err(error) = send_rows(&connection, &path, select, read, &sender) {
            // Whoever has stopped listening doesn't want the error either.
            let _ = sender.send(vec![Err(error)]);
        }
    });
    receiver.into_iter().flatten()
}

fn send_rows<T>(
    connection: &Connection,
    path: &Path,
    select: &str,
    read: fn(&Cells<'_>) -> Result<T>,
    sender: &SyncSender<Vec<Result<Keyed<T>>>>,
) -> Result<()> {
    let failed = || Error::sqlite(path, "read");
    let mut statement = connection
        .prepare(&format!("{select} ORDER BY board"))
        .map_err(failed())?;
    let mut rows = statement.query([]).map_err(failed())?;
    loop {
        let mut batch = Vec::with_capacity(BATCH);
        while batch.len() < BATCH {
            let Some(row) = rows.next().map_err(failed())? else {
                break;
            };
            let cells = Cells::new(path, row)?;
            batch.push(Ok((cells.key, read(&cells)?)));
        }
        // Nobody may want the rest.
        if batch.is_empty() || sender.send(batch).is_err() {
            return Ok(());
        }
    }
}
