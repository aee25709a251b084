//! Writing a whole book: sorted by key, in one go, into a file that appears only when it is complete.

use super::bulk::{BulkInsert, Cell};
use super::{BookHeader, Source, schema};
use crate::{AtomicFile, Error, IfExists, Result};
use obook_converters::Position;
use obook_othello::Move;
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// A database in the making.
///
/// It is filled beside its final name without a journal, because until [`NewBook::commit`] nobody can see it: what
/// fails leaves nothing behind.
#[derive(Debug)]
pub struct NewBook {
    connection: Connection,
    file: AtomicFile,
    path: PathBuf,
}

/// How many rows were written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct Written {
    /// Rows of `positions`.
    pub positions: u64,
    /// Rows of `links`.
    pub links: u64,
    /// Rows of `leaves` with a move.
    pub leaves: u64,
}

impl NewBook {
    /// Starts a database that is to be at `path`.
    ///
    /// # Errors
    /// As [`AtomicFile::create`].
    pub fn create(path: &Path, if_exists: IfExists) -> Result<NewBook> {
        let file = AtomicFile::create(path, if_exists)?;
        let failed = || Error::sqlite(path, "create");
        let connection = Connection::open(file.temporary_path()).map_err(failed())?;
        connection
            .execute_batch(
                "PRAGMA journal_mode = OFF;
                 PRAGMA synchronous = OFF;
                 PRAGMA locking_mode = EXCLUSIVE;
                 PRAGMA cache_size = -65536;",
            )
            .map_err(failed())?;
        schema::create(&connection).map_err(failed())?;
        Ok(NewBook {
            connection,
            file,
            path: path.to_owned(),
        })
    }

    /// Writes every position. `walk` is called once a table, so that each table's rows lie together in the file, and
    /// must give the same positions in key order each time.
    ///
    /// # Errors
    /// [`Error::Sqlite`], and whatever the walk gives.
    pub fn fill<I>(&self, mut walk: impl FnMut() -> Result<I>) -> Result<Written>
    where
        I: Iterator<Item = Result<Position>>,
    {
        let failed = || Error::sqlite(&self.path, "write");
        let mut written = Written::default();
        let transaction = self.connection.unchecked_transaction().map_err(failed())?;

        let mut positions = BulkInsert::new(
            &transaction,
            "INSERT INTO positions (board, empties, value, lower, upper, level, engine, wins, draws, losses, lines)",
        )
        .map_err(failed())?;
        for position in walk()? {
            let position = position?;
            positions.push(position_row(&position)).map_err(failed())?;
            written.positions += 1;
        }
        positions.finish().map_err(failed())?;

        let mut links = BulkInsert::new(&transaction, "INSERT INTO links (board, move, score)")
            .map_err(failed())?;
        for position in walk()? {
            let mut position = position?;
            position.links.sort_unstable_by_key(|link| link.mv);
            for link in &position.links {
                let mv = Cell::Integer(link.mv.code().into());
                links
                    .push([position.board.into(), mv, link.score.into()])
                    .map_err(failed())?;
                written.links += 1;
            }
        }
        links.finish().map_err(failed())?;

        let mut leaves = BulkInsert::new(
            &transaction,
            "INSERT INTO leaves (board, move, score, level, engine)",
        )
        .map_err(failed())?;
        for position in walk()? {
            let position = position?;
            if let Some(leaf) = position.leaf {
                let engine = Cell::Integer(position.engine as i64);
                leaves
                    .push([
                        position.board.into(),
                        leaf.mv.map(Move::code).into(),
                        Cell::Integer(leaf.score.into()),
                        leaf.level.into(),
                        engine,
                    ])
                    .map_err(failed())?;
                written.leaves += u64::from(leaf.mv.is_some());
            }
        }
        leaves.finish().map_err(failed())?;
        transaction.commit().map_err(failed())?;
        Ok(written)
    }

    /// Writes what the book says about itself.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub fn set_header(&self, header: &BookHeader) -> Result<()> {
        header
            .insert(&self.connection)
            .map_err(Error::sqlite(&self.path, "write"))
    }

    /// Remembers a file that was taken in.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub fn add_source(&self, source: &Source) -> Result<()> {
        source
            .insert(&self.connection)
            .map_err(Error::sqlite(&self.path, "write"))
    }

    /// Puts the database on the disk and gives it its name.
    ///
    /// # Errors
    /// As [`AtomicFile::commit`].
    pub fn commit(self) -> Result<()> {
        let NewBook {
            connection,
            file,
            path,
        } = self;
        let failed = || Error::sqlite(&path, "write");
        // From now on readers must not wait for writers, nor the other way round.
        connection
            .execute_batch("PRAGMA locking_mode = NORMAL; PRAGMA journal_mode = WAL;")
            .map_err(failed())?;
        connection.close().map_err(|(_, error)| failed()(error))?;
        file.commit()
    }
}

fn position_row(position: &Position) -> [Cell; 11] {
    let bounds = position.bounds;
    let outcomes = position.outcomes;
    [
        position.board.into(),
        Cell::Integer(position.board.board().empties().into()),
        position.value.into(),
        bounds.map(|bounds| bounds.lower).into(),
        bounds.map(|bounds| bounds.upper).into(),
        position.level.into(),
        Cell::Integer(position.engine as i64),
        outcomes.map(|outcomes| outcomes.wins).into(),
        outcomes.map(|outcomes| outcomes.draws).into(),
        outcomes.map(|outcomes| outcomes.losses).into(),
        position.lines.into(),
    ]
}
