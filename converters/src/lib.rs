//! Readers and writers for Othello opening books: Edax (`.dat`, text), Egaroucid (`.egbk`, `.egbk2`, `.egbk3`) and NTest
//! (`.book`); readers for those of Zebra (`.bin`, `.cmp`, text) and of Othello Sensei (folders).
//!
//! # Reading a book
//!
//! [`BookReader`] opens a book of any format, which it detects from the contents, and decompresses it if needed. It yields
//! checked [`Position`](obook_othello::Position)s one by one or, with [`BookReader::batches`], in batches checked on all cores:
//!
//! ```
//! use obook_converters::BookReader;
//!
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pruned.dat");
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
//! # Writing a book
//!
//! [`BookWriter`] writes positions in any format. If a position lacks something that the format requires, that's an error; no
//! number is made up. This example writes the positions of an Edax book after the third move to a compressed
//! `.egbk3`, which has no pass positions:
//!
//! ```
//! use obook_converters::{BookReader, BookWriter, Compression, Error, Format, Header};
//! use obook_othello::Position;
//!
//! # let source = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pruned.dat");
//! # let folder = tempfile::tempdir()?;
//! # let target = folder.path().join("later.egbk3.zst");
//! let mut later: Vec<Position> = Vec::new();
//! for batch in BookReader::open(source, None)?.batches() {
//!     for position in batch {
//!         let position = position?;
//!         if position.board.board().empties() < 57 && !position.board.board().must_pass() {
//!             later.push(position);
//!         }
//!     }
//! }
//!
//! let header = Header {
//!     count: Some(later.len() as i64), // the header comes first, so it needs the count
//!     ..Header::default()
//! };
//! let compression = Some(Compression::default());
//! let mut writer = BookWriter::create(&target, Format::Egbk3, &header, compression)?;
//! for position in &later {
//!     writer.write(position)?;
//! }
//! writer.finish()?; // fails if the count was wrong
//!
//! assert_eq!(BookReader::open(&target, None)?.count(), later.len());
//! # Ok::<(), Error>(())
//! ```
//!
//! # Two layers
//!
//! Each format has a module with a `Record`, which holds exactly what is on disk, a streaming `Reader`, which checks only the
//! structure of the file, and a `Writer`. [`BookRecord::check`] turns a record into a [`Position`](obook_othello::Position) on
//! its canonical board, or returns the [`Fault`]. [`BookRecord::from_position`] goes the other way. Reading and writing records
//! reproduces a file byte for byte.
//!
//! ```
//! use obook_converters::{BookRecord, FaultKind, MoveOf, edax};
//!
//! # let bytes = include_bytes!("../examples/pruned.dat");
//! let mut record = edax::Reader::new(&bytes[..])?.next().unwrap()?;
//! assert!(record.check().is_ok());
//! record.leaf.code = 27; // d4, which is occupied
//! let fault = record.check().unwrap_err();
//! assert_eq!(fault.kind, FaultKind::IllegalMove { of: MoveOf::Leaf, code: 27 });
//! println!("{fault}");
//! # Ok::<(), obook_converters::Error>(())
//! ```
//!
//! # The formats
//!
//! All numbers are little-endian. Boards are two sets of discs, the side to move first. The modules describe what the engines
//! actually write, even if an engine's documentation differs.
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
//! Edax numbers squares from a1 up, Egaroucid from h8 down. Turning a board by 180 degrees is one of the eight symmetries, so
//! canonical boards and their moves have the same numbers in both.
//!
//! Books of [`zebra`] and [`ntest`] are no sequences of records: they are read whole, and [`BookReader`] is the way to their positions.
//! The list of [`takizawa`] has a board, a predicted value and a proof in each line. A book of [`sensei`] is a folder of files.
//!
//! # Hostile files
//!
//! The count in a header is never trusted: memory use doesn't depend on it. A book of [`zebra`] or [`ntest`] is kept in memory, within
//! a [`Budget`]. If the count disagrees with the contents, everything is
//! read first, and then an error states both numbers. No input causes a panic. An impossible position is an error of its
//! own, and reading continues after it; damage to the structure ends the reading. Readers don't notice duplicate boards, since
//! they don't remember what they have read.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod account;
mod book_reader;
mod book_writer;
mod check;
mod claim;
pub mod edax;
pub mod edax_text;
mod egaroucid;
pub mod egbk;
pub mod egbk2;
pub mod egbk3;
mod error;
mod format;
mod header;
mod legible;
pub mod ntest;
mod reader;
mod record;
mod row;
pub mod sensei;
pub mod takizawa;
mod writer;
pub mod zebra;

pub use account::{Account, Tallies};
pub use book_reader::{Batch, Batches, BookReader};
pub use book_writer::{BookWriter, Encoded, Encoder};
pub use error::{Error, ErrorKind, Fault, FaultKind, MoveOf, show_bytes};
pub use format::{Format, ParseFormatError};
pub use header::{Date, Header};
pub use legible::Legible;
pub use obook_base::compression::{Compression, compress, decompress};
pub use obook_base::{Budget, Exceeded};
pub use reader::Reader;
pub use record::{BookHeader, BookRecord, RecordLayout};
pub use row::{Form, Holds, StoredLinks};
pub use writer::Writer;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
