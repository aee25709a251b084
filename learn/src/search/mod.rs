//! Searching the leaves of positions: what is asked of an engine, many searches side by side, and which answers count.
//!
//! It changes no book: see [`write::search`](crate::complete).

mod answer;
mod question;
mod replies;
mod strength;
mod threads;
mod workers;

pub use answer::{NoAnswer, leaf_of};
pub use question::Question;
pub(crate) use question::{Task, question_of};
pub(crate) use replies::{Next, Replies};
pub(crate) use strength::as_strong_as;
pub use threads::Threads;
pub use workers::{Reply, Workers};

use obook_engine::{SearchError, Searcher};

/// Starts a searcher: called once for each of those that run side by side.
pub type Start<'a> = dyn Fn() -> Result<Box<dyn Searcher>, SearchError> + Sync + 'a;
