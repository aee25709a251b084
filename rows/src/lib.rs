//! What stands in the tables of a book, and how a position is read from its rows and written to them.
//!
//! ```
//! use obook_model::{Engine, Position};
//! use obook_othello::Board;
//! use obook_rows::{BulkInsert, Lookup, Strict, Table, encode};
//! # let connection = rusqlite::Connection::open_in_memory()?;
//! # connection.execute_batch(include_str!("../../store/schema.sql"))?;
//! let start = Board::START.canonical();
//! let position = Position { value: Some(2), ..Position::new(start, Engine::Edax) };
//! let mut positions = BulkInsert::new(&connection, Table::Positions)?;
//! positions.push(encode::position(&position))?;
//! positions.finish()?;
//! assert_eq!(Lookup::main().position(&connection, start, &mut Strict)?, Some(position));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod cell;
mod decode;
pub mod encode;
mod fault;
pub mod games;
mod insert;
mod key_range;
mod lookup;
mod scan;
mod table;
pub mod why;

pub use cell::Cell;
pub use fault::{Error, Fault, Faults, Found, Strict, Wrong};
pub use games::{Condition, GameId};
pub use insert::{BulkInsert, put};
pub use key_range::{KeyRange, Pieces};
pub use lookup::Lookup;
pub use scan::{Joined, scan};
pub use table::Table;
