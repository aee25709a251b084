//! What a book holds, and what is done with one: by parts of the library, each in the library and as its command.

mod check;
mod games;
mod plot;
mod read;
pub(crate) mod store;
mod write;
