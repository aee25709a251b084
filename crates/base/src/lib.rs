#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod budget;
pub mod compression;
mod hex;
mod k_way;
mod locked;
mod open;
pub mod parallel;
mod progress;
pub mod ratings;
#[cfg(feature = "scratch")]
mod scratch;
mod shell;
mod source;
pub mod sql;
#[cfg(feature = "sqlite")]
pub mod sqlite;
mod table;
mod until_error;
mod words;
#[cfg(not(feature = "zstd"))]
#[path = "without_zstd.rs"]
mod zst;
#[cfg(feature = "zstd")]
use zstd as zst;

pub use budget::{Budget, Exceeded};
pub use hex::hex;
pub use k_way::KWay;
pub use locked::{locked, returned};
pub use open::{folder_of, identity, is_sqlite, open_file};
pub use progress::{Meter, Progress};
#[cfg(feature = "scratch")]
pub use scratch::{Scratch, Scratches};
pub use shell::shell;
pub use source::{Source, files_beside, files_of, is_stdin};
pub use until_error::UntilError;
pub use words::{capital, in_number};
