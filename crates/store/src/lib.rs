//! An opening book of any game as one SQLite database: opening, reading and changing it, with its history, undo and snapshots.
//!
//! Internal to obook: it may change in any version. Programs use [obook](https://docs.rs/obook) or
//! [obook-converters](https://docs.rs/obook-converters), which follow semantic versioning.
//!
//! A game is a [`Schema`]: its tables, its functions for SQL, and the number by which a file says whose book it is. This crate keeps what
//! SQL alone can't: changes are complete or not there, every change can be undone, and row counts stay right.
//!
//! A [`Store`] is an open database, a [`Change`] a transaction on it that ends up in the book's [history](Store::history). A
//! [`Context`] says on whose behalf that happens: the command, where progress is shown, how much memory may be used, how
//! long to wait for other processes. There are no global settings.
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod change;
mod context;
mod counts;
mod error;
mod files;
mod history;
mod kind;
mod new;
mod opening;
mod ratings;
mod raw;
mod read;
mod schema;
mod snapshot;
mod structure;
mod wal;

pub use change::Change;
pub use context::Context;
pub use counts::{Counted, Counts, Tally, kept_rows};
pub use error::{Error, Result, indented};
pub use files::{AtomicFile, AtomicFolder, IfExists, Output, spare};
pub use history::{HistoryStep, LogState, PastChange, RowSum, SchemaChange, logs_changes};
pub use kind::{Content, FileKind, FolderContent, is_lake};
pub use new::NewBook;
pub use opening::{FileIdentity, Store, beside, without_tables};
pub use ratings::StoredRatings;
pub use raw::RawFile;
pub use read::{PIECE, ReadTransactions};
pub use schema::{FIRST_VERSION, Schema};
pub use snapshot::{Compacted, Snapshot, restore};
pub use structure::{StructureCheck, is_corrupt};
pub use wal::{Wal, WalDamage};
