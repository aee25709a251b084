//! Othello opening books: read, change, check and draw them.
//!
//! A book is an obook database or a file of Edax or Egaroucid; [`Book`] opens either. A database is one SQLite file that
//! opens at once, answers SQL, and remembers its changes.
//!
//! ```
//! use obook::read::line::{BestLines, Choice};
//! use obook::write::edit::{Edit, edit};
//! use obook::write::import::import;
//! use obook::{Book, Context, IfExists, Lookup, NewBook, Store};
//! use obook_othello::Line;
//!
//! # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/games.dat");
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("games.obook");
//! // Make a database of a book file. The context names the command in the book's history.
//! let context = Context::new("my-program");
//! let file = Book::open(file.as_ref(), &context)?;
//! import(file, NewBook::create(&path, IfExists::Refuse, &context)?)?;
//!
//! // Look up a position. Edax's files would do as well.
//! let book = Lookup::new(Book::open(&path, &context)?, &context)?;
//! let line: Line = "f5d6c3".parse()?;
//! let position = book.position(line.board().canonical())?.expect("it is in the book");
//! assert_eq!(position.links.len(), 2);
//!
//! // Ask for the best line from there.
//! let best = BestLines::new(&book, line.clone(), usize::MAX, Choice::First).next().unwrap()?;
//! assert!(best.line.to_string().starts_with("f5d6c3"));
//!
//! // Ask with SQL.
//! let store = Store::open(&path, &context)?;
//! let sql = "SELECT count(*) FROM positions WHERE value > 10";
//! let winning: i64 = store.connection().query_row(sql, [], |row| row.get(0))?;
//! assert_eq!(winning, 78);
//!
//! // Change a value. All positions above it follow.
//! let mut store = Store::open_for_writing(&path, &context)?;
//! let edited = edit(&mut store, &line, Edit::Enter(4))?;
//! assert_eq!(edited.after, Some(4));
//!
//! // Undo.
//! store.undo()?;
//! assert_eq!(store.position(line.board().canonical())?, Some(position));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`read`] answers questions: positions with their moves, best lines, explanations of values, differences between
//!   books, counts.
//! - [`write`](mod@write) makes and changes books. Each operation is one transaction and one entry of the history.
//! - [`check`] finds everything that would make an engine or a query stumble.
//! - [`games`] stores game records beside a book, and counts what was played.
//! - [`plot`] draws books as SVG.
//! - [`guard`] keeps SQL from writing.
//!
//! The database itself is in `obook-store`, which this crate re-exports as far as its own functions need it.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod check;
mod database;
mod error;
pub mod games;
pub mod guard;
pub mod plot;
pub mod read;
pub mod write;

pub use database::{
    APPLICATION_ID, BookHeader, Change, Counts, Missing, NewBook, OTHELLO, RowCounts,
    SCHEMA_VERSION, Source, Store, StoredPositions, TableChange, restore, view_names,
};
#[cfg(feature = "lake")]
pub use database::{LakeError, LakeLimits, LakeReport, restore_lake};
pub use error::{Error, Result};
pub use obook_base::{Meter, Progress};
pub use obook_store::{
    AtomicFile, AtomicFolder, Compacted, Content, Context, Error as StoreError, FileKind,
    FolderContent, HistoryStep, IfExists, LogState, PastChange, SchemaChange, Snapshot, spare,
};
pub use read::book::{BOOK_FILE, Book, BookFile, LeftOut, SortedBook, load_in_slabs};
pub use read::lookup::Lookup;
