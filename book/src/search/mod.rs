//! Searching the leaves of positions: what is asked of an engine, many searches side by side, and which answers count.
//!
//! It changes no book: see [`write::search`](crate::write::search).

mod answer;
mod question;
mod side_by_side;

pub use answer::NoAnswer;
pub(crate) use answer::leaf_of;
pub(crate) use question::{Question, Task, question_of};
pub(crate) use side_by_side::{Next, Replies, Reply, side_by_side};

use obook_engine::{SearchError, Searcher};

/// Starts a searcher: called once for each of those that run side by side.
pub type Start<'a> = dyn Fn() -> Result<Box<dyn Searcher>, SearchError> + Sync + 'a;
