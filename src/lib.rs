//! Othello opening books: read, change, check and draw them.
//!
//! A book is an obook database or a file of Edax, Egaroucid, NTest, Zebra or Othello Sensei; [`Book`] opens any. A database is one
//! SQLite file that opens at once, answers SQL, and remembers its changes.
//!
//! ```
//! use obook::read::{diff::diff, line::best_line};
//! use obook::write::{edit::{Edit, edit}, export::{ExportOptions, convert}, merge::{MergeOptions, merge}};
//! use obook::{Book, Context, Format, Line, Probe};
//! # use std::path::Path;
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("mine.obook");
//! # let [edax, other] = ["games.dat", "small.dat.zst"].map(|name| Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name));
//!
//! let context = Context::new("my-program"); // the history will say so
//! let mut book = Book::import(&edax, &path, &context)?;
//! let line: Line = "f5d6c3".parse()?;
//!
//! let probe = Probe::open(&path, &context)?; // for any number of threads
//! for (mv, score) in probe.position(line.board())?.expect("it is in the book").moves() {
//!     println!("{mv} {score:?}"); // as on the board that was asked about
//! }
//! let best = best_line(&probe, line.clone(), usize::MAX)?;
//! println!("{}, because {}", best.line, best.end);
//!
//! let added = merge(&mut book, &[other], MergeOptions::default())?.total().added;
//! let edited = edit(&mut book, &line, Edit::Enter(4))?; // everything above it follows
//! let (before, now) = (Book::open(&edax, &context)?, Book::open(&path, &context)?);
//! diff(before, now, &[], &context, |it| { println!("{it:?}"); Ok(()) })?; // board by board
//! book.undo()?;
//!
//! let sql = "SELECT count(*) FROM tree('f5', 4)";
//! let near: i64 = book.connection().query_row(sql, [], |row| row.get(0))?;
//! let mut file = Vec::new(); // or anything else that takes bytes
//! let options = ExportOptions::new(Format::Egbk3);
//! println!("lost: {}", convert(Book::Database(book), &mut file, &options, &context)?.losses);
//! # assert!(added > 0 && edited.after == Some(4) && near > 5 && file.starts_with(b"DICUORAGE"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`read`] answers questions: positions with their moves, best lines, explanations of values, differences between
//!   books, counts.
//! - [`write`](mod@write) makes and changes books, and converts them. Each operation on a database is one transaction and one entry of
//!   the history.
//! - [`check`] finds everything that would make an engine or a query stumble.
//! - [`games`] stores game records beside a book, and counts what was played.
//! - [`plot`] draws books as SVG.
//! - [`guard`] keeps SQL from writing.
//! - [`converters`], [`cycles`], [`extension`], [`othello`], [`records`], [`rusqlite`], [`serde`] and [`serde_json`] are the crates below,
//!   for programs that need more of them.
//!
//! Growing a book with engines, also with one of your own, is in the crate `obook-learn`, on top of this one.
//!
//! # Features and versions
//!
//! - `bundled`, which is on by default, compiles SQLite into the program. A program that has an SQLite, 3.40 or later, turns it off and
//!   links that. Its own rusqlite, if any, must be the one here: any of 0.41 to 0.43.
//! - `lake` writes and reads books as folders of Parquet files.
//!
//! This crate and [`converters`] follow semantic versioning, with the types of [`othello`] that they take and return; types that may
//! grow are non-exhaustive. Every other crate below, whole as [`cycles`], [`extension`] and [`records`] are, is internal, and may change
//! in any version.
//!
//! # Threads
//!
//! A [`Store`], and so a [`Book`], is a connection: `Send`, so it can move to another thread, but not `Sync`, so each thread that reads
//! opens its own. That takes a millisecond whatever the size of the book, two open files and up to 2 MB of memory. A [`Probe`] is `Send`
//! and `Sync`, and does this by itself. Readers and the one writer don't hold each other back; a reader sees what was committed when
//! its query began. A second writer waits for the first, as long as its [`Context`] says.
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
    APPLICATION_ID, BookHeader, Change, Counts, Missing, NewBook, OTHELLO, OtherEngine, RowCounts,
    SCHEMA_VERSION, Source, Store, StoredPositions, TableChange, restore, view_names,
};
#[cfg(feature = "lake")]
pub use database::{LakeError, LakeLimits, LakeReport, restore_lake};
pub use error::{Error, Result};
pub use obook_base::{Meter, Progress};
pub use obook_converters::Format;
pub use obook_othello::{Board, CanonicalBoard, Engine, Leaf, Line, Link, Move, Place, Position};
pub use obook_sql::extension;
pub use obook_store::{
    AtomicFile, AtomicFolder, Compacted, Content, Context, Error as StoreError, FileKind,
    FolderContent, HistoryStep, IfExists, LogState, PastChange, SchemaChange, Snapshot, spare,
};
pub use read::book::{BOOK_FILE, Book, BookFile, LeftOut, SortedBook, load_in_slabs};
pub use read::lookup::Lookup;
pub use read::probe::Probe;
pub use {
    obook_converters as converters, obook_cycles as cycles, obook_games as records,
    obook_othello as othello, rusqlite, serde, serde_json,
};
