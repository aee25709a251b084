//! A lake: the tables of a book as a folder of Parquet files.
//!
//! Internal to obook: it may change in any version. Programs use [obook](https://docs.rs/obook) or
//! [obook-converters](https://docs.rs/obook-converters), which follow semantic versioning.
//!
//! ```text
//! book.lake/
//!   manifest.json                             what is in the folder: see Manifest
//!   positions/layer=44/part-00000.parquet     a table by layers: the number of empty squares
//!   games/year=2018/part-00000.parquet        a table by years
//!   engines/part-00000.parquet                a table in one part
//! ```
//!
//! Rows are sorted by the primary key, so the statistics of files, row groups and pages are an index. SQLite's integers are 64-bit
//! numbers here, too: no arithmetic overflows that doesn't overflow there. As numbers of a book need few different values, they take
//! about a byte or less.
//!
//! `duckdb.sql` makes DuckDB know the tables.
//!
//! Every row group has a checksum in the manifest, and so has the rest of each file. [`Lake`] reads nothing without comparing it.
//! Checksums prove that a lake is undamaged, not whose it is. So texts have a limit, pages are unpacked within a limit of memory, and a
//! file may not unpack to much more than it holds.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod duckdb;
mod error;
mod manifest;
mod pages;
mod read;
mod shape;
mod write;

pub use duckdb::SCRIPT;
pub use error::{Error, Result};
pub use manifest::{FILE, FORMAT, FileEntry, MOST_MANIFEST, Manifest, RowGroupEntry, TableEntry};
pub use obook_base::sql::{ColumnType, Value};
pub use read::{Lake, Rows};
pub use shape::{Column, MOST_TEXT, Partition, Shape, data_type, layer};
pub use write::{Cells, Limits, TableWriter};
