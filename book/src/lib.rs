//! An Othello opening book as one SQLite database: it opens at once, answers SQL, and goes out to every engine in a
//! form that the engine accepts.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod atomic;
pub mod check;
mod error;
pub mod games;
pub mod graph;
mod kind;
pub mod learn;
mod parallel;
pub mod plot;
mod progress;
pub mod read;
mod scratch;
pub mod search;
mod sort;
mod store;
pub mod write;

pub use atomic::{AtomicFile, IfExists, spare};
pub use error::{Error, Result};
pub use kind::{APPLICATION_ID, FileKind, is_sqlite};
pub use progress::{Meter, Progress};
pub use read::book::{Book, SortedBook, load};
pub use read::book_file::BookFile;
pub use read::lookup::Lookup;
pub use scratch::remove_unfinished;
pub use sort::{Positions, Sorted, Sorter};
pub use store::{
    BookHeader, ChangeInParts, Compacted, Counts, Entry, HistoryStep, LogState, Lost, Missing,
    NewBook, PastChange, RowCounts, SCHEMA_VERSION, Snapshot, Source, Store, StoredPositions,
    Update, changed_while_read, restore, set_busy_timeout, view_names,
};
