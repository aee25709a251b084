//! The options of a learner.

use obook_engine::wire::Name;
use obook_othello::Engine;
use std::time::Duration;

/// The options of a [`Learner`](crate::nats::Learner).
#[derive(Clone, Debug)]
pub struct LearnerOptions<E = Engine> {
    /// The name of the engine.
    pub engine_name: String,
    /// The kind of engine. Only workers with the same kind receive the questions.
    pub engine: E,
    /// A name for the book that is unique on the server and the same in every run.
    pub book: Name,
    /// How long a worker may be silent before its question is handed out again. Only the first learner with this engine on the
    /// server sets it.
    pub lease: Duration,
    /// Whether to warn if the lease at the server is another one.
    pub warn_of_lease: bool,
    /// One in this many questions is asked twice, to compare workers.
    pub check_one_in: u64,
}
