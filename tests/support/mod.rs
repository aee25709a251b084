//! What the tests share.

pub(crate) mod answer;
pub(crate) mod book_rows;
pub(crate) mod consistent_book;
pub(crate) mod engines;
pub(crate) mod exhaustive;
pub(crate) mod games;
pub(crate) mod golden;
pub(crate) mod grown;
pub(crate) mod moves_out;
pub(crate) mod plain_level;
pub(crate) mod program;
pub(crate) mod random_book;
pub(crate) mod raw_book;
pub(crate) mod report;
pub(crate) mod samples;
pub(crate) mod stored_book;
