//! An opening book as one SQLite database: opening, reading and changing it, with its history, undo and snapshots.
//!
//! The [schema](https://docs.rs/crate/obook-store/latest/source/schema.sql) is part of the interface: any program that can
//! read SQLite can read a book. This crate keeps what SQL alone can't: changes are complete or not there, every change can be undone,
//! and row counts and settings stay right.
//!
//! ```
//! use obook_model::{Engine, Leaf, Position, RuleSet};
//! use obook_othello::Board;
//! use obook_store::{BookHeader, Context, IfExists, NewBook, Store};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("tiny.obook");
//! // A new book appears under its name when it is complete.
//! let context = Context::new("my-program new tiny.obook");
//! let new = NewBook::create(&path, IfExists::Refuse, &context)?;
//! new.set_header(&BookHeader::new(RuleSet::Edax))?;
//! new.commit(&())?;
//!
//! // Change it: everything in a change becomes visible at once.
//! let mut store = Store::open_for_writing(&path, &context.with_command("my-program add"))?;
//! let board = Board::START.canonical();
//! let mut position = Position::new(board, Engine::Edax);
//! position.value = Some(0);
//! let change = store.change()?;
//! change.put(&position)?;
//! change.commit(&std::collections::BTreeMap::from([("added", 1)]))?;
//!
//! // Look a position up, or ask with SQL.
//! assert_eq!(store.position(board)?.unwrap().value, Some(0));
//! let sql = "SELECT count(*) FROM positions WHERE value >= 0";
//! let count: i64 = store.connection().query_row(sql, [], |row| row.get(0))?;
//! assert_eq!(count, 1);
//!
//! // Undo.
//! assert_eq!(store.undo()?.command, "my-program add");
//! assert_eq!(store.position(board)?, None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
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
mod new;
mod opening;
mod raw;
mod read;
mod schema;
mod snapshot;
mod structure;
mod wal;

pub use change::Change;
pub use context::Context;
pub use counts::{Counts, RowCounts, Tally, kept_positions};
pub use error::{Error, Result, indented};
pub use files::{
    APPLICATION_ID, AtomicFile, AtomicFolder, FileKind, IfExists, Output, SHOGI_APPLICATION_ID,
    SHOGI_BOOKS, is_lake, spare,
};
pub use history::{HistoryStep, LogState, PastChange, RowSum, SchemaChange};
pub use new::NewBook;
pub use opening::{Store, without_tables};
pub use raw::RawFile;
pub use read::{PIECE, ReadTransactions};
pub use schema::{OTHELLO, SCHEMA_VERSION, Schema};
pub use snapshot::{Compacted, Snapshot, restore};
pub use structure::StructureCheck;
pub use wal::{Wal, WalDamage};
