//! Readers and writers for Othello opening books: Edax (`.dat`, text) and Egaroucid (`.egbk`, `.egbk2`, `.egbk3`).
//!
//! # Reading a book
//!
//! [`BookReader`] opens a book of any format, found by its contents and decompressed on the way, and gives checked
//! [`Position`](obook_model::Position)s, one after the other or, with [`BookReader::batches`], in batches that all cores work on:
//!
//! ```
//! use obook_converters::BookReader;
//!
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/edax/games.dat");
//! let book = BookReader::open(path, None)?;
//! println!("{}, depth {:?}", book.format(), book.header().depth());
//! for position in book {
//!     let position = position?;
//!     if position.board.board().empties() == 59 {
//!         println!("{}\n{:?}", position.board.board().diagram(), position.value);
//!     }
//! }
//! # Ok::<(), obook_converters::Error>(())
//! ```
//!
//! # Writing one
//!
//! [`BookWriter`] takes positions and writes any format; what the format demands and a position lacks is an error,
//! never a made-up number. Here the positions of an Edax book with 20 empty squares or fewer go into a compressed
//! `.egbk3`, which has no pass positions:
//!
//! ```
//! use obook_converters::{BookReader, BookWriter, Compression, Error, Format, Header};
//! use obook_model::Position;
//!
//! # let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/edax/games.dat");
//! # let folder = tempfile::tempdir()?;
//! # let target = folder.path().join("endgames.egbk3.zst");
//! let mut endgames: Vec<Position> = Vec::new();
//! for batch in BookReader::open(source, None)?.batches() {
//!     for position in batch {
//!         let position = position?;
//!         if position.board.board().empties() <= 20 && !position.board.board().must_pass() {
//!             endgames.push(position);
//!         }
//!     }
//! }
//!
//! let header = Header {
//!     count: Some(endgames.len() as i64), // the header comes first, so the count has to be known
//!     ..Header::default()
//! };
//! let compression = Some(Compression::default());
//! let mut writer = BookWriter::create(&target, Format::Egbk3, &header, compression)?;
//! for position in &endgames {
//!     writer.write(position)?;
//! }
//! writer.finish()?; // fails where the count was wrong
//!
//! assert_eq!(BookReader::open(&target, None)?.count(), endgames.len());
//! # Ok::<(), Error>(())
//! ```
//!
//! # Two layers
//!
//! Each format has a module with a `Record` that holds exactly what is on disk, a streaming `Reader` that checks the
//! structure of the file and nothing else, and a `Writer`. [`BookRecord::check`] makes a [`Position`](obook_model::Position) of a record, on
//! its canonical board, or tells the [`Fault`]; [`BookRecord::from_position`] goes the other way. What is read and
//! written again at the layer of records is the same byte for byte.
//!
//! ```
//! use obook_converters::{BookRecord, FaultKind, MoveOf, edax};
//!
//! # let bytes = include_bytes!("../../tests/data/edax/games.prune.dat");
//! let mut record = edax::Reader::new(&bytes[..])?.next().unwrap()?;
//! assert!(record.check().is_ok());
//! record.leaf.code = 27; // d4, which is taken
//! let fault = record.check().unwrap_err();
//! assert_eq!(fault.kind, FaultKind::IllegalMove { of: MoveOf::Leaf, code: 27 });
//! println!("{fault}");
//! # Ok::<(), obook_converters::Error>(())
//! ```
//!
//! # The formats
//!
//! All numbers are little-endian, boards are two sets of discs, the side to move first. What the modules say about
//! them was measured on the engines: where an engine's documentation and its files disagree, the files win.
//!
//! | | [`edax`] | [`edax_text`] | [`egbk3`] | [`egbk2`] | [`egbk`] |
//! | --- | --- | --- | --- | --- | --- |
//! | begins with | `XADEKOOB` 4 | a board | `DICUORAGE` 3 | `DICUORAGE` 2 | the count |
//! | level, depth, errors, date of the book | yes | – | – | – | – |
//! | count | yes | – | yes | yes | yes |
//! | value | yes | – | yes | yes | yes |
//! | bounds, wins, draws, losses | yes | – | – | – | – |
//! | level | yes | yes | yes | yes | – |
//! | lines | yes | – | yes | – | – |
//! | links | with scores | – | – | with scores | – |
//! | leaf | at the position's level | at the position's level | with a level of its own | – | – |
//! | pass positions | yes | yes | – | some | – |
//!
//! Edax numbers squares from a1 up, Egaroucid from h8 down. Turning a board by 180 degrees is one of the eight
//! symmetries, so canonical boards and their moves have the same numbers in both.
//!
//! # Hostile files
//!
//! A count in a header is never trusted: memory does not depend on it, and where it and the contents disagree, the
//! error tells both numbers after everything that is there was read. Nothing panics on any bytes. A position that
//! cannot be is an error of its own, and reading goes on behind it; damage to the structure is the last thing that
//! comes. Whether a board stands twice is for the caller to see: readers keep no memory of what they have read.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod batches;
mod book_reader;
mod book_writer;
mod check;
mod checked;
pub mod edax;
pub mod edax_text;
mod egaroucid;
pub mod egbk;
pub mod egbk2;
pub mod egbk3;
mod encoder;
mod error;
mod fault;
mod fields;
mod format;
mod header;
mod reader;
mod record;
mod source;
mod writer;
mod zst;

pub use batches::Batches;
pub use book_reader::BookReader;
pub use book_writer::BookWriter;
pub use checked::Batch;
pub use encoder::{Encoded, Encoder};
pub use error::{Error, ErrorKind};
pub use fault::{Fault, FaultKind, MoveOf};
pub use format::{Format, ParseFormatError};
pub use header::{Date, Header};
pub use reader::Reader;
pub use record::{BookHeader, BookRecord, RecordLayout};
pub use writer::Writer;
pub use zst::{Compression, decompress};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
