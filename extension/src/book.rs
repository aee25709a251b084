//! The book in the database that SQL is asking: look-ups by key.

use crate::problem::{Problem, Result};
use obook_converters::{Leaf, Links, Position};
use obook_othello::CanonicalBoard;
use obook_rows::{Lookup, Strict};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

/// The tables of a book.
pub(crate) struct Book<'c> {
    connection: &'c Connection,
    lookup: Lookup,
}

impl<'c> Book<'c> {
    /// The book in the attached database `schema`; without a name, the first that has one.
    pub(crate) fn new(
        connection: &'c Connection,
        schema: Option<ValueRef<'_>>,
    ) -> Result<Book<'c>> {
        let name = match schema {
            None => None,
            Some(ValueRef::Text(name)) => Some(std::str::from_utf8(name).map_err(Problem::new)?),
            Some(_) => return Err(Problem::new("expected the name of an attached database")),
        };
        Ok(Book {
            connection,
            lookup: Lookup::in_schema(name),
        })
    }

    /// A position's own numbers, without links and leaf, if the book holds it.
    pub(crate) fn numbers(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        Ok(self.lookup.numbers(self.connection, board, &mut Strict)?)
    }

    /// A position's links in the order of their moves.
    pub(crate) fn links(&self, board: CanonicalBoard) -> Result<Links> {
        Ok(self.lookup.links(self.connection, board, &mut Strict)?)
    }

    /// A position's leaf.
    pub(crate) fn leaf(&self, board: CanonicalBoard) -> Result<Option<Leaf>> {
        Ok(self.lookup.leaf(self.connection, board, &mut Strict)?)
    }
}
