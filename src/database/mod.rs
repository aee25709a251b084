//! The database of a book of Othello: a [`Store`](obook_store::Store) of any game, with what only Othello has.

mod about;
mod bulk;
mod change;
mod counts;
mod engines;
#[cfg(feature = "lake")]
mod lake;
mod new;
mod read;
mod schema;

pub(crate) use about::local_time;
pub use about::{BookHeader, Missing, Source};
pub use bulk::TableChange;
pub(crate) use bulk::rows_differ;
pub use change::Change;
pub use counts::{Counts, RowCounts};
pub use engines::OtherEngine;
#[cfg(feature = "lake")]
pub use lake::{LakeError, LakeLimits, LakeReport, restore_lake};
pub use new::NewBook;
pub use read::StoredPositions;
pub(crate) use read::unread;
pub use schema::{APPLICATION_ID, OTHELLO, SCHEMA_VERSION};

use crate::{Context, IfExists, Progress, Result, Snapshot};
use obook_sql::rows::Table;
use rusqlite::Connection;
use std::ops::{Deref, DerefMut};
use std::path::Path;

/// An open database with a book of Othello: a [store](obook_store::Store) whose positions, settings and sources can be read and changed.
///
/// ```
/// use obook::{BookHeader, Context, IfExists, NewBook, Store};
/// use obook_othello::{Board, Engine, Leaf, Position, RuleSet};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("tiny.obook");
/// // A new book appears under its name when it is complete.
/// let context = Context::new("my-program new tiny.obook");
/// let new = NewBook::create(&path, IfExists::Refuse, &context)?;
/// new.set_header(&BookHeader::new(RuleSet::Edax))?;
/// new.commit(&())?;
///
/// // Change it: everything in a change becomes visible at once.
/// let mut store = Store::open_for_writing(&path, &context.with_command("my-program add"))?;
/// let board = Board::START.canonical();
/// let mut position = Position::new(board, Engine::Edax);
/// position.value = Some(0);
/// let change = store.change()?;
/// change.put(&position)?;
/// change.commit(&std::collections::BTreeMap::from([("added", 1)]))?;
///
/// // Look a position up, or ask with SQL.
/// assert_eq!(store.position(board)?.unwrap().value, Some(0));
/// let sql = "SELECT count(*) FROM positions WHERE value >= 0";
/// let count: i64 = store.connection().query_row(sql, [], |row| row.get(0))?;
/// assert_eq!(count, 1);
///
/// // Undo.
/// assert_eq!(store.undo()?.command, "my-program add");
/// assert_eq!(store.position(board)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Store(obook_store::Store);

impl Deref for Store {
    type Target = obook_store::Store;

    fn deref(&self) -> &obook_store::Store {
        &self.0
    }
}

impl DerefMut for Store {
    fn deref_mut(&mut self) -> &mut obook_store::Store {
        &mut self.0
    }
}

/// The database, whatever its game.
impl From<Store> for obook_store::Store {
    fn from(store: Store) -> obook_store::Store {
        store.0
    }
}

impl Store {
    /// Opens a database for [reading](obook_store::Store::open).
    ///
    /// # Errors
    /// As [`obook_store::Store::open`].
    pub fn open(path: impl AsRef<Path>, context: &Context) -> Result<Store> {
        let store = obook_store::Store::open(&OTHELLO, path.as_ref(), context)?;
        Ok(Store(store).hear_names())
    }

    /// Opens a database for reading and [writing](obook_store::Store::open_for_writing).
    ///
    /// # Errors
    /// As [`obook_store::Store::open_for_writing`].
    pub fn open_for_writing(path: impl AsRef<Path>, context: &Context) -> Result<Store> {
        let store = obook_store::Store::open_for_writing(&OTHELLO, path.as_ref(), context)?;
        Ok(Store(store).hear_names())
    }

    /// Opens a [temporary](obook_store::Store::temporary) database that `make` creates at the given path.
    ///
    /// # Errors
    /// As [`obook_store::Store::temporary`].
    pub fn temporary(
        name: &str,
        make: impl FnOnce(&Path) -> Result<()>,
        context: &Context,
    ) -> Result<Store> {
        obook_store::Store::temporary(&OTHELLO, name, make, context).map(Store)
    }

    /// Opens a temporary database that `fill` fills. Filling it shows progress, but what is done with it later doesn't.
    pub(crate) fn filled<T>(
        context: &Context,
        fill: impl FnOnce(NewBook) -> Result<T>,
    ) -> Result<Store> {
        let make = |path: &Path| fill(NewBook::create(path, IfExists::Refuse, context)?).map(drop);
        let hidden = context.clone().with_progress(Progress::hidden());
        Store::temporary("book.obook", make, &hidden)
    }

    /// Connects to a database for [one quick question](obook_store::Store::peek).
    ///
    /// # Errors
    /// As [`obook_store::Store::peek`].
    pub fn peek(path: &Path) -> Result<Connection> {
        Ok(obook_store::Store::peek(&OTHELLO, path)?)
    }

    /// Checks the [whole log](obook_store::Store::check_log) beside a database.
    ///
    /// # Errors
    /// As [`obook_store::Store::check_log`].
    pub fn check_log(path: &Path) -> Result<()> {
        Ok(obook_store::Store::check_log(path)?)
    }

    /// Opens [another connection](obook_store::Store::reader) to the same database.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn reader(&self) -> Result<Store> {
        Ok(Store(self.0.reader()?))
    }
}

/// Makes a database from a [snapshot](obook_store::restore).
///
/// # Errors
/// As [`obook_store::restore`].
pub fn restore(
    file: &Path,
    path: &Path,
    if_exists: IfExists,
    context: &Context,
) -> Result<Snapshot> {
    let restored = obook_store::restore(&OTHELLO, file, path, if_exists, context);
    Ok(restored?)
}

/// A database in memory with everything that is in each book, except for the tables `positions`, `links` and `leaves`.
///
/// # Errors
/// Returns SQLite's error if there is no memory for it.
pub(crate) fn without_book() -> rusqlite::Result<Connection> {
    obook_store::without_tables(&OTHELLO, Table::ALL.map(Table::name))
}

/// The names of the views in the schema.
pub fn view_names() -> impl Iterator<Item = &'static str> {
    OTHELLO.names("VIEW")
}
