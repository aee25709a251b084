//! The tables of a book: reads positions from their rows and writes them.
//!
//! ```
//! use obook_base::sqlite::put;
//! use obook_othello::{Board, Engine, Position};
//! use obook_sql::rows::{Lookup, Table, encode};
//! # let connection = rusqlite::Connection::open_in_memory()?;
//! # for table in Table::ALL {
//! #     let columns = table.columns().join(", ");
//! #     connection.execute_batch(&format!("CREATE TABLE {} ({columns}, PRIMARY KEY (board))", table.name()))?;
//! # }
//! let start = Board::START.canonical();
//! let position = Position { value: Some(2), ..Position::new(start, Engine::Edax) };
//! let table = Table::Positions;
//! put(&connection, table.name(), table.columns(), encode::position(&position))?;
//! assert_eq!(Lookup::main().position(&connection, start)?, Some(position));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod decode;
pub mod encode;
mod fault;
mod forecast;
pub mod games;
pub mod json;
mod lookup;
mod scan;
mod table;
pub mod why;

pub use fault::{Error, Fault, Faults, RawValue, Strict, Wrong};
pub use forecast::{forecast, forecast_boards, put_forecast};
pub use games::{Condition, GameId};
pub use lookup::Lookup;
pub use scan::{Joined, scan};
pub use table::Table;
pub(crate) use table::qualified;
