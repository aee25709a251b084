//! What a search is asked for.

use obook_engine::Stop;
use obook_othello::Line;
use std::num::NonZeroUsize;
use std::time::Duration;

/// What to search, and how.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// The level, 0 to 60 on the engine's scale; the book's, if not given.
    pub level: Option<u8>,
    /// Search leaves again that come from weaker searches than one of this level.
    pub below: Option<u8>,
    /// Only positions for which this SQL condition on the columns of table `positions` holds.
    pub condition: Option<String>,
    /// Only the end of this line and what it leads to.
    pub from: Option<Line>,
    /// So many positions at most, those with the fewest discs first.
    pub limit: Option<u64>,
    /// Begin no search later than this after the start, and end those that run.
    pub time: Option<Duration>,
    /// How many searches run side by side.
    pub jobs: NonZeroUsize,
    /// So many answers go into the book at once; `None`: as many as come while what was taken in last took a small part of the
    /// time.
    pub batch: Option<NonZeroUsize>,
    /// Ends the run, from any thread.
    pub stop: Stop,
}

impl Default for SearchOptions {
    /// All that waits, at the book's level, one after another.
    fn default() -> SearchOptions {
        SearchOptions {
            level: None,
            below: None,
            condition: None,
            from: None,
            limit: None,
            time: None,
            jobs: NonZeroUsize::MIN,
            batch: None,
            stop: Stop::default(),
        }
    }
}
