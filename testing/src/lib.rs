//! What the tests of several crates share: golden books, random books, plain definitions to compare with.

pub mod answer;
pub mod book_rows;
pub mod consistent_book;
pub mod engines;
pub mod exhaustive;
pub mod games;
pub mod golden;
pub mod grown;
pub mod moves_out;
pub mod plain_level;
pub mod random_book;
pub mod raw_book;
pub mod samples;
pub mod stored_book;
