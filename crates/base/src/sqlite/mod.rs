//! The functions and tables of [`sql`](crate::sql) in SQLite, and rows: written in bulk, read by ranges of keys. This doesn't link SQLite
//! itself: that is up to the program, or to the one that loads an extension.

mod all_rows;
mod insert;
mod named;
mod problem;
mod ranges;
mod table;

pub use all_rows::all_rows;
pub use insert::{BulkInsert, put};
pub use named::named;
pub use problem::{of_function, of_sqlite};
pub use ranges::{KeyRange, pieces};
pub use table::{Database, Open, register, value};
