//! The database: its history and its versions.

mod history;
