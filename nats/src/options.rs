//! What a learner can be told.

use obook_engine::wire::Name;
use obook_model::Engine;
use std::time::Duration;

/// How a learner works with machines elsewhere.
#[derive(Clone, Debug)]
pub struct LearnerOptions {
    /// What the engine is called.
    pub engine_name: String,
    /// On whose scale its levels are: only workers with such an engine get the questions.
    pub engine: Engine,
    /// What tells this book from others on the same server, and is the same whenever it is learned.
    pub book: Name,
    /// A worker that has a question and is silent for this long has lost it. Counts if no learner has used the server with this
    /// engine before.
    pub lease: Duration,
    /// One question in so many is asked twice, to compare workers.
    pub check_one_in: u64,
}

impl LearnerOptions {
    /// What suits most: a lease of 30 seconds, one question in 50 asked twice.
    #[must_use]
    pub fn new(engine_name: &str, engine: Engine, book: Name) -> LearnerOptions {
        LearnerOptions {
            engine_name: engine_name.to_owned(),
            engine,
            book,
            lease: Duration::from_secs(30),
            check_one_in: 50,
        }
    }
}
