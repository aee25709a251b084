//! The database of a book of Othello: a [`Store`](obook_store::Store) of any game, with what only Othello has.

mod about;
mod bulk;
mod change;
#[cfg(feature = "lake")]
mod lake;
mod new;
mod read;

pub(crate) use about::local_time;
pub use about::{BookHeader, Missing, Source};
pub use bulk::TableChange;
pub(crate) use bulk::{rows_differ, searched_rows_differ};
pub use change::Change;
#[cfg(feature = "lake")]
pub use lake::{LakeError, LakeLimits, LakeReport, restore_lake};
pub use new::NewBook;
pub use read::StoredPositions;
pub(crate) use read::unread;

use crate::{Context, IfExists, Result, Snapshot};
use obook_rows::Table;
use obook_store::OTHELLO;
use rusqlite::Connection;
use std::ops::{Deref, DerefMut};
use std::path::Path;

/// An open database with a book of Othello: a [store](obook_store::Store) whose positions, settings and sources can be read and changed.
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
    pub fn open(path: &Path, context: &Context) -> Result<Store> {
        obook_store::Store::open(&OTHELLO, path, context).map(Store)
    }

    /// Opens a database for reading and [writing](obook_store::Store::open_for_writing).
    ///
    /// # Errors
    /// As [`obook_store::Store::open_for_writing`].
    pub fn open_for_writing(path: &Path, context: &Context) -> Result<Store> {
        obook_store::Store::open_for_writing(&OTHELLO, path, context).map(Store)
    }

    /// Opens a [temporary](obook_store::Store::temporary) database that `make` creates at the given path.
    ///
    /// # Errors
    /// As [`obook_store::Store::temporary`].
    pub fn temporary(make: impl FnOnce(&Path) -> Result<()>, context: &Context) -> Result<Store> {
        obook_store::Store::temporary(&OTHELLO, make, context).map(Store)
    }

    /// Connects to a database for [one quick question](obook_store::Store::peek).
    ///
    /// # Errors
    /// As [`obook_store::Store::peek`].
    pub fn peek(path: &Path) -> Result<Connection> {
        obook_store::Store::peek(&OTHELLO, path)
    }

    /// Checks the [whole log](obook_store::Store::check_log) beside a database.
    ///
    /// # Errors
    /// As [`obook_store::Store::check_log`].
    pub fn check_log(path: &Path) -> Result<()> {
        obook_store::Store::check_log(path)
    }

    /// Opens [another connection](obook_store::Store::reader) to the same database.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn reader(&self) -> Result<Store> {
        self.0.reader().map(Store)
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
    obook_store::restore(&OTHELLO, file, path, if_exists, context)
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
    OTHELLO.view_names()
}
