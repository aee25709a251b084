//! Searches for Othello positions: one interface to whatever finds a score.
//!
//! A [`Request`] is a position, the moves to leave out and a level; a [`Searcher`] answers with the best remaining move,
//! its score and how it was found. [`Inside`] is the engine of this crate.
//!
//! An answer depends on its request alone, never on what was asked before, and a searcher is one thread: whoever wants
//! several searches side by side makes several searchers.
#![warn(missing_docs)]

mod answer;
mod error;
mod inside;
mod request;
mod searcher;

pub use answer::Answer;
pub use error::SearchError;
pub use inside::Inside;
pub use request::{Limits, NothingToSearch, Request, Stop};
pub use searcher::Searcher;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
