//! Positions one by one, by key.

use super::{Store, Update};
use crate::{Error, Result};
use obook_model::Position;
use obook_othello::CanonicalBoard;
use obook_rows::{Lookup, Strict};
use rusqlite::Connection;
use std::path::Path;

impl Store {
    /// The position of a board with its links, best first, and its leaf; `None` where the book doesn't have it.
    ///
    /// # Errors
    /// [`Error::Sqlite`], and [`Error::BadRow`] for a row that makes no sense.
    pub fn position(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        position(&self.connection, &self.path, board)
    }

    /// As [`Store::position`], but without links and leaf: one question instead of three.
    ///
    /// # Errors
    /// As [`Store::position`].
    pub fn numbers(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        numbers(&self.connection, &self.path, board)
    }
}

impl Update<'_> {
    /// As [`Store::position`], of the book as the transaction has changed it so far.
    ///
    /// # Errors
    /// As [`Store::position`].
    pub fn position(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        position(self.connection(), self.path(), board)
    }

    /// As [`Store::numbers`], of the book as the transaction has changed it so far.
    ///
    /// # Errors
    /// As [`Store::position`].
    pub fn numbers(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        numbers(self.connection(), self.path(), board)
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

/// Why the rows of the database at `path` can't be read: for `map_err`.
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
