//! The database: its history and its versions.

mod change_in_parts;
mod counts;
mod header;
pub(crate) mod history;
mod redo;
