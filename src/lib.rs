//! An Othello opening book as one SQLite database: it opens at once, answers SQL, and goes out to every engine in a
//! form that the engine accepts.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod accuracy;
mod ahead;
mod atomic;
pub mod best_line;
mod book;
mod change;
pub mod cli;
pub mod cut;
pub mod cycles;
pub mod diff;
pub mod edit;
mod error;
mod export;
pub mod fix;
pub mod graph;
mod import;
mod in_order;
mod increment;
pub mod link;
mod lookup;
pub mod loops;
pub mod mapping;
pub mod merge;
pub mod negamax;
mod packed;
pub mod passes;
pub mod plot;
mod progress;
pub mod relevel;
mod sorter;
mod store;
mod summary;
pub mod verify;
mod view;
mod write_file;

pub use atomic::{AtomicFile, IfExists};
pub use book::{Book, BookFile};
pub use change::{Change, Destination};
pub use error::{Error, Result};
pub use export::{ExportOptions, Exported, Input, Output, export};
pub use import::{Imported, import};
pub use lookup::{Lookup, load};
pub use obook_converters::levels;
pub use progress::Progress;
pub use sorter::{Positions, Sorted, Sorter};
pub use store::{
    APPLICATION_ID, BookHeader, Entry, LogState, Lost, Missing, NewBook, PastChange, Rules,
    SCHEMA_VERSION, Snapshot, Source, Store, StoredPositions, Undone, Update, Written, is_sqlite,
    restore, wait_at_most,
};
pub use summary::{Stage, Summary};
pub use view::{Kind, MoveView, View, draw};
