//! Othello in SQL: functions that know boards and moves, tables that follow a book's lines, and book files as tables.
//!
//! obook registers them on each of its connections. As a loadable extension they work in any other program that uses SQLite.
//! `docs/functions.md` lists them all and says how to build and load the extension.
//!
//! ```
//! let connection = rusqlite::Connection::open_in_memory()?;
//! obook_sql::extension::register(&connection)?;
//! let moves: String = connection.query_row("SELECT legal_moves('f5')", (), |row| row.get(0))?;
//! assert_eq!(moves, "f4 d6 f6");
//! # Ok::<(), rusqlite::Error>(())
//! ```
//!
//! # Boards
//!
//! A board may be given as the key in column `board` of a book's tables, as the moves that lead to it (`'f5d6c3'`; the start
//! position is `''`), as the name of an opening (`'tiger'`, possibly with more moves after it), as 64 squares and the side to
//! move (`'---OX…-- X'`), or as a key in hexadecimal digits, as printed by `hex(board)`. Moves and squares are in the
//! orientation of the given board: for keys that of the tables, for typed moves that of the person who typed them.

mod book;
mod chances;
#[cfg(feature = "loadable")]
mod entry;
mod files;
mod functions;
mod games;
mod positions;
mod search;
mod streamed;
mod why;

use crate::functions::{BookTable, SqlEngine, add_tables};
use book::Book;
use obook_base::sqlite;
use rusqlite::{Connection, Result};

pub use files::reads_files;
pub use streamed::{Walk, Walked, register_streamed};

/// Registers all functions and tables on a connection.
///
/// # Errors
/// Returns an error if SQLite refuses one.
pub fn register(connection: &Connection) -> Result<()> {
    register_without_files(connection)?;
    files::register(connection)
}

/// Like [`register`], but without the tables that read book files. Use it for SQL from strangers.
///
/// # Errors
/// Returns an error if SQLite refuses one.
pub fn register_without_files(connection: &Connection) -> Result<()> {
    functions::register(connection)?;
    search::register(connection)?;
    games::register(connection)?;
    // These tables any SQL engine can have.
    add_tables(&mut Sqlite(connection))?;
    // These need a database of SQLite.
    sqlite::register(connection, "chances", chances::Chances, |database| database)?;
    sqlite::register(connection, "plays", games::Plays, |database| database)?;
    sqlite::register(connection, "games_at", games::GamesAt, |database| database)?;
    sqlite::register(connection, "hint", search::Hint, |database| database)?;
    sqlite::register(connection, "why", why::WhyTable, |database| database)
}

/// A connection, which is told of tables.
struct Sqlite<'c>(&'c Connection);

impl SqlEngine for Sqlite<'_> {
    type Error = rusqlite::Error;

    fn add<T: BookTable>(&mut self, name: &str, table: T) -> Result<()> {
        sqlite::register(self.0, name, table, |database| {
            Box::new(Book::of(&database))
        })
    }
}
