//! All integration tests of the crate, one binary.

mod new_books;
mod recorded;
mod salvage;
