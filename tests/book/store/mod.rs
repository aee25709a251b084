//! The database: its history and its versions.

mod header;
mod history;
mod redo;
