//! An Othello opening book as one SQLite database: it opens at once, answers SQL, and goes out to every engine in a
//! form that the engine accepts.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod check;
pub mod games;
pub mod plot;
pub mod read;
pub mod write;

pub use obook_graph::sort::{Positions, Sorted, Sorter};
pub use obook_graph::{Meter, Progress};
pub use obook_store::{
    APPLICATION_ID, AtomicFile, BookHeader, Change, Compacted, Context, Counts, Error, FileKind,
    HistoryStep, IfExists, LogState, Lost, Missing, NewBook, PastChange, Result, RowCounts,
    SCHEMA_VERSION, Snapshot, Source, Store, StoredPositions, is_sqlite, restore, spare,
    view_names,
};
pub use read::book::BookFile;
pub use read::book::{Book, SortedBook, load};
pub use read::lookup::Lookup;
