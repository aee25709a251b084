//! Which engine searches.

use crate::outside::Talking;
use crate::{Inside, Outside, SearchError, Searcher};
use obook_model::Engine;

/// What the engine inside is called.
const INSIDE: &str = "inside";

/// An engine that can be started as often as searches are to run side by side.
///
/// ```
/// use obook_engine::{EngineChoice, Request};
/// use obook_othello::Board;
/// let mut searcher = EngineChoice::Inside.start()?;
/// let answer = searcher.search(&Request::new(Board::START, 2)?)?;
/// assert_eq!((searcher.name(), answer.depth), (EngineChoice::Inside.name(), 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum EngineChoice {
    /// The engine of this crate.
    #[default]
    Inside,
    /// A process.
    Outside(Outside),
}

impl EngineChoice {
    /// What people call it.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            EngineChoice::Inside => INSIDE,
            EngineChoice::Outside(outside) => &outside.name,
        }
    }

    /// On whose scale its levels are.
    #[must_use]
    pub fn engine(&self) -> Engine {
        match self {
            EngineChoice::Inside => Inside::new().engine(),
            EngineChoice::Outside(outside) => outside.scale,
        }
    }

    /// A searcher of its own: one thread, or one process.
    ///
    /// # Errors
    /// [`SearchError::NotStarted`] where the process can't be started, [`SearchError::NotSpeaking`] where it does not speak
    /// its protocol.
    pub fn start(&self) -> Result<Box<dyn Searcher>, SearchError> {
        match self {
            EngineChoice::Inside => Ok(Box::new(Inside::new())),
            EngineChoice::Outside(outside) => Ok(Box::new(Talking::start(outside)?)),
        }
    }
}
