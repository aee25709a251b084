//! What can go wrong in a search.

use crate::{Protocol, Trouble};
use obook_othello::Board;
use std::io;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use thiserror::Error;

/// Why a search has no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SearchError {
    /// A limit ended the search before anything was found.
    #[error("stopped before anything was found")]
    Stopped,
    /// An engine outside could not be started.
    #[error("engine {engine}: can't start {}: {source}", .program.display())]
    NotStarted {
        /// What people call the engine.
        engine: String,
        /// The program that was to run.
        program: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// An engine outside was started, and did not say what its protocol has it say then.
    #[error("engine {engine}: {} does not speak {protocol}: {trouble}{}", .program.display(), last(.said))]
    NotSpeaking {
        /// What people call the engine.
        engine: String,
        /// The program that runs.
        program: PathBuf,
        /// The protocol that it should speak.
        protocol: Protocol,
        /// What it did.
        trouble: Trouble,
        /// What it said last, if anything.
        said: String,
    },
    /// An engine outside hung, died, or gave an answer that can't be, twice.
    #[error("engine {engine}: {}: {trouble}{}", .board.to_text(), last(.said))]
    Failed {
        /// What people call the engine.
        engine: String,
        /// The position that it was asked for, seen by the side to move.
        board: Board,
        /// What it did.
        trouble: Trouble,
        /// What it said last, if anything.
        said: String,
    },
    /// The engine has no such level.
    #[error("engine {engine}: level {level}: its levels are {} to {}", .levels.start(), .levels.end())]
    Level {
        /// What people call the engine.
        engine: String,
        /// The level that was asked for.
        level: u8,
        /// Those that it has.
        levels: RangeInclusive<u8>,
    },
}

/// The last words of an engine, where it had any.
fn last(said: &str) -> String {
    match said {
        "" => String::new(),
        said => format!("; it said last: {said}"),
    }
}
