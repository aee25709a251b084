//! Code that the tests of several crates share: golden books, random books, plain definitions to compare with.

#![forbid(unsafe_code)]

#[cfg(feature = "engine")]
pub mod answer;
pub mod book_file;
#[cfg(feature = "sqlite")]
pub mod book_rows;
pub mod consistent_book;
#[cfg(feature = "engine")]
pub mod engines;
pub mod exhaustive;
pub mod games;
pub mod golden;
#[cfg(feature = "learn")]
pub mod growing;
#[cfg(feature = "book")]
pub mod imported;
#[cfg(target_os = "linux")]
pub mod locks;
pub mod moves_out;
pub mod ntest_book;
pub mod own_engines;
pub mod plain_level;
pub mod random_book;
pub mod samples;
pub mod sensei_book;
pub mod slabs;
#[cfg(feature = "sqlite")]
pub mod stored_book;
pub mod task_list;
pub mod zebra_book;
