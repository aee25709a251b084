//! Code that the tests of several crates share: golden books, random books, plain definitions to compare with.

#[cfg(feature = "engine")]
pub mod answer;
#[cfg(feature = "sqlite")]
pub mod book_rows;
pub mod consistent_book;
#[cfg(feature = "engine")]
pub mod engines;
pub mod exhaustive;
#[cfg(feature = "games")]
pub mod games;
pub mod golden;
#[cfg(feature = "learn")]
pub mod grown;
#[cfg(feature = "book")]
pub mod imported;
pub mod moves_out;
pub mod plain_level;
pub mod random_book;
pub mod raw_book;
pub mod samples;
pub mod sensei_book;
pub mod slabs;
#[cfg(feature = "sqlite")]
pub mod stored_book;
pub mod task_list;
pub mod zebra_book;
