//! Othello in SQL: functions that know boards and moves, tables that follow a book's lines, and book files as tables.
//!
//! obook gives them to each of its connections. As a loadable extension they work in every other program that speaks
//! SQLite; `docs/functions.md` lists them all, and says how to build and load it.
//!
//! ```
//! let connection = rusqlite::Connection::open_in_memory()?;
//! obook_extension::register(&connection)?;
//! let moves: String = connection.query_row("SELECT legal_moves('f5')", (), |row| row.get(0))?;
//! assert_eq!(moves, "f4 d6 f6");
//! # Ok::<(), rusqlite::Error>(())
//! ```
//!
//! # Boards
//!
//! Wherever a board is expected, it may be the key that the tables of a book have in their column `board`, the moves
//! that lead to it (`'f5d6c3'`, the start position is `''`), the name of an opening (`'tiger'`, with more moves behind it or not),
//! 64 squares and the side to move (`'---OX…-- X'`), or a key
//! in hexadecimal digits, as `hex(board)` prints it. Moves and squares are in the orientation of the board that is
//! given: of a key, that of the tables; of typed moves, that of the person who typed them.
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod ancestors;
mod arguments;
mod board;
mod boards;
mod book;
mod column_value;
#[cfg(feature = "loadable")]
mod entry;
mod files;
mod games_at;
mod levels;
mod line;
mod line_to;
mod moves;
mod moves_of;
mod names;
mod near_best;
mod plays;
mod problem;
mod search;
mod streamed;
mod table;
mod tree;
mod which_games;
mod why;

use near_best::{Frontier, NearBest, Worst};
use rusqlite::{Connection, Result};
pub use streamed::{Walk, WalkError, Walked, register_streamed};

/// Makes all functions and tables known to a connection.
///
/// # Errors
/// Where SQLite refuses one.
pub fn register(connection: &Connection) -> Result<()> {
    register_without_files(connection)?;
    files::register(connection)
}

/// As [`register`], without the tables that read book files: for connections whose SQL comes from strangers.
///
/// # Errors
/// Where SQLite refuses one.
pub fn register_without_files(connection: &Connection) -> Result<()> {
    boards::register(connection)?;
    moves::register(connection)?;
    levels::register(connection)?;
    names::register(connection)?;
    search::register(connection)?;
    table::register(connection, moves_of::MovesOf)?;
    table::register(connection, line::BestLine)?;
    table::register(connection, tree::Tree)?;
    table::register(connection, ancestors::Ancestors)?;
    table::register(connection, line_to::LineTo)?;
    table::register(connection, plays::Plays)?;
    table::register(connection, games_at::GamesAt)?;
    table::register(connection, why::WhyTable)?;
    table::register(connection, NearBest(Frontier))?;
    table::register(connection, NearBest(Worst))
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
