//! Look-ups by key in a connection's book.

use crate::rows::why::Rules;
use crate::rows::{self, Lookup, qualified};
use obook_base::sql::{Problem, Result};
use obook_base::sqlite::{Database, of_sqlite};
use obook_converters::Header;
use obook_othello::{CanonicalBoard, Position, RuleSet};
use rusqlite::{Connection, OptionalExtension};

/// The tables of a book.
pub(crate) struct Book<'c> {
    connection: &'c Connection,
    lookup: Lookup,
}

impl<'c> Book<'c> {
    /// The book in a database, or the first one found if that has no name.
    pub(crate) fn of(database: &Database<'c>) -> Book<'c> {
        Book {
            connection: database.connection,
            lookup: Lookup::in_schema(database.schema.as_deref()),
        }
    }

    /// The rules of the book, with the errors it allows.
    pub(crate) fn rules(database: &Database<'_>) -> Result<Rules> {
        let book = qualified(database.schema.as_deref(), "book");
        let sql = format!("SELECT rules, midgame_error, endcut_error FROM {book}");
        let row = database.connection.query_row(&sql, (), |row| {
            let header = Header {
                midgame_error: row.get(1)?,
                endcut_error: row.get(2)?,
                ..Header::default()
            };
            Ok((row.get::<_, String>(0)?, header))
        });
        let (name, header) = row.optional().map_err(of_sqlite)?.ok_or_else(|| {
            Problem::new("table book is empty: expected the rules by which values are computed")
        })?;
        let set = RuleSet::from_name(&name).ok_or_else(|| {
            Problem::new(format!("table book, column rules: unknown rules {name:?}"))
        })?;
        Ok(Rules::of(set, &header))
    }
}

impl crate::functions::Book for Book<'_> {
    fn position(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        let found = self.lookup.position(self.connection, board);
        found.map_err(of_rows)
    }

    fn numbers(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        let found = self.lookup.numbers(self.connection, board);
        found.map_err(of_rows)
    }
}

/// The problem of a book that can't be read: for `map_err`.
fn of_rows(error: rows::Error) -> Problem {
    match error {
        rows::Error::Sqlite(error) => of_sqlite(error),
        rows::Error::Fault(fault) => {
            let board = fault.key.map_or(String::from("?"), |key| {
                format!("{:032X}", u128::from_be_bytes(key))
            });
            Problem::new(format!("board {board}: {fault}"))
        }
    }
}
