//! Searches for Othello positions: one interface to whatever finds a score.
//!
//! A [`Request`] is a position, the moves to leave out and a level; a [`Searcher`] answers with the best remaining move,
//! its score and how it was found. [`Inside`] is the engine of this crate, [`Outside`] one that runs as a
//! process; an [`EngineChoice`] names either and starts searchers.
//!
//! An answer depends on its request alone, never on what was asked before, and a searcher is one thread: whoever wants
//! several searches side by side makes several searchers.
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod answer;
mod choice;
mod error;
mod inside;
mod outside;
mod request;
mod searcher;
pub mod wire;

pub use answer::Answer;
pub use choice::EngineChoice;
pub use error::SearchError;
pub use inside::{Evaluator, Inside, Parts, WeightsError};
pub use outside::{Outside, Protocol, Trouble, kill_engines};
pub use request::{Limits, NothingToSearch, Request, Stop};
pub use searcher::Searcher;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
