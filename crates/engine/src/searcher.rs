//! One interface to all engines.

use crate::outside::Talking;
use crate::{Inside, Outside, Protocol, Request, Trouble};
use obook_othello::{Engine, Move};
use std::io;
use std::path::Path;
use std::time::Duration;
use thiserror::Error;

/// An engine that finds the best remaining move of a position and its score.
///
/// The answer depends only on the request, never on earlier ones.
pub trait Searcher: Send {
    /// The engine's name in reports, such as `inside` or its name in `engines.toml`.
    fn name(&self) -> &str {
        self.engine().name()
    }

    /// The engine as which its searches are stored, on whose scale its levels are: one that obook knows, or
    /// [one's own](Engine::own).
    fn engine(&self) -> Engine;

    /// Finds the best move that isn't left out.
    ///
    /// # Errors
    /// Returns [`SearchError`] if a limit ended the search before anything was found, or the engine failed.
    fn search(&mut self, request: &Request) -> Result<Answer, SearchError>;

    /// Finds the best `count` moves, or as many as there are, best first. Each search leaves out the moves found before.
    ///
    /// # Errors
    /// Returns the same errors as [`Searcher::search`]. If a limit ends a search after the first, the list just ends.
    fn hint(&mut self, request: &Request, count: usize) -> Result<Vec<Answer>, SearchError> {
        let mut answers: Vec<Answer> = Vec::new();
        let mut request = request.clone();
        while answers.len() < count {
            let answer = match self.search(&request) {
                Err(SearchError::Stopped) if !answers.is_empty() => break,
                answer => answer?,
            };
            let mv = answer.mv;
            answers.push(answer);
            let Ok(rest) = request.without(mv) else { break };
            request = rest;
        }
        Ok(answers)
    }
}

/// The best move that wasn't left out, its score, and how it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The move; a pass if the rules require one.
    pub mv: Move,
    /// The disc difference for the side to move, −64 to 64. The winner gets the empty squares.
    pub score: i8,
    /// The depth in plies, including this move.
    pub depth: u8,
    /// The confidence that pruning made no error, in percent; 100 is a full search. `None` if the engine doesn't say.
    pub probability: Option<u8>,
    /// Whether the score is exact: the search reached the end of the game without selective pruning.
    pub proven: bool,
    /// Whether the search was completed. If a limit ended it, the answer is that of the last completed depth.
    pub complete: bool,
    /// The best line, beginning with this move; empty if the engine doesn't provide one.
    pub variation: Vec<Move>,
    /// The number of positions visited. `None` if the engine doesn't say.
    pub nodes: Option<u64>,
    /// The wall-clock time of the search.
    pub time: Duration,
    /// The engine that searched, on whose scale the level is.
    pub engine: Engine,
    /// The requested level.
    pub level: u8,
}

impl Answer {
    /// The answer of a search that was completed and says nothing else of itself.
    #[must_use]
    pub fn new(engine: Engine, request: &Request, mv: Move, score: i8, depth: u8) -> Answer {
        Answer {
            mv,
            score,
            depth,
            probability: None,
            proven: false,
            complete: true,
            variation: Vec::new(),
            nodes: None,
            time: Duration::ZERO,
            engine,
            level: request.level(),
        }
    }
}

/// An engine to start, once for each search to run in parallel.
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
    /// This crate's own engine.
    #[default]
    Inside,
    /// An engine that runs as a process.
    Outside(Outside),
}

impl EngineChoice {
    /// The engine's name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            EngineChoice::Inside => Inside::NAME,
            EngineChoice::Outside(outside) => &outside.name,
        }
    }

    /// The engine as which its searches are stored.
    #[must_use]
    pub fn engine(&self) -> Engine {
        match self {
            EngineChoice::Inside => Inside::ENGINE,
            EngineChoice::Outside(outside) => outside.engine,
        }
    }

    /// Starts a searcher, which uses one thread or one process.
    ///
    /// # Errors
    /// Returns [`SearchError::NotStarted`] if the process can't be started, or [`SearchError::NotSpeaking`] if it doesn't speak its
    /// protocol.
    pub fn start(&self) -> Result<Box<dyn Searcher>, SearchError> {
        match self {
            EngineChoice::Inside => Ok(Box::new(Inside::new())),
            EngineChoice::Outside(outside) => Ok(Box::new(Talking::start(outside)?)),
        }
    }
}

/// Why a search has no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SearchError {
    /// A limit ended the search before anything was found.
    #[error("stopped before anything was found")]
    Stopped,
    /// An engine outside couldn't be started.
    #[error("engine {engine}: can't start {}: {source}", .program.display())]
    NotStarted {
        /// The engine's name.
        engine: String,
        /// The program to run.
        program: Box<Path>,
        /// The system's error.
        source: io::Error,
    },
    /// An engine outside was started, but didn't respond as its protocol requires.
    #[error("engine {engine}: {} does not speak {protocol}: {trouble}{}", .program.display(), last(.said))]
    NotSpeaking {
        /// The engine's name.
        engine: String,
        /// The program that was run.
        program: Box<Path>,
        /// The protocol it should speak.
        protocol: Protocol,
        /// The problem.
        trouble: Trouble,
        /// Its last output, if any.
        said: String,
    },
    /// An engine outside hung, died or gave an impossible answer, twice.
    #[error("engine {engine}: {position}: {trouble}{}", last(.said))]
    Failed {
        /// The engine's name.
        engine: String,
        /// The position it was asked about.
        position: Box<str>,
        /// The problem.
        trouble: Trouble,
        /// Its last output, if any.
        said: String,
    },
    /// The engine has no such level.
    #[error("{0}")]
    Level(String),
}

/// The last output of an engine, if any, for a message.
fn last(said: &str) -> String {
    match said {
        "" => String::new(),
        said => format!("; it said last: {said}"),
    }
}
