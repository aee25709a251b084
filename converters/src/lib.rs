//! Readers and writers for Othello opening books: Edax (`.dat`, text) and Egaroucid (`.egbk`, `.egbk2`, `.egbk3`).
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod batches;
mod book_reader;
mod book_writer;
mod check;
pub mod edax;
pub mod edax_text;
mod egaroucid;
pub mod egbk;
pub mod egbk2;
pub mod egbk3;
mod error;
mod fault;
mod fields;
mod format;
mod header;
mod position;
mod reader;
mod record;
mod source;
mod writer;
mod zst;

pub use batches::{Batch, Batches};
pub use book_reader::BookReader;
pub use book_writer::BookWriter;
pub use error::{Error, ErrorKind};
pub use fault::{Fault, FaultKind, MoveOf};
pub use format::{Format, ParseFormatError};
pub use header::{Date, Header};
pub use position::{Bounds, Engine, Leaf, Link, Links, Outcomes, PERSON_LEVEL, Position};
pub use reader::Reader;
pub use record::{BookHeader, BookRecord, NoLeaf, RecordLayout};
pub use writer::Writer;
pub use zst::{Compression, decompress};
