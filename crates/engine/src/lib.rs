#![doc = include_str!("../README.md")]
//!
//! A [`Request`] is a position, the moves to leave out and a level. A [`Searcher`] answers with the best remaining move, its
//! score and how it was found. [`Inside`] is this crate's own engine; [`Outside`] is an engine that runs as a process. An
//! [`EngineChoice`] names either and starts searchers.
//!
//! An answer depends only on its request, never on earlier ones. A searcher uses one thread; to run several searches at once,
//! start several searchers.
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod inside;
mod outside;
mod request;
mod searcher;
pub mod wire;

pub use inside::{Evaluator, Inside, Parts, WeightsError};
#[cfg(feature = "shogi")]
pub use outside::{DEEPEST, Go, ParseGoError, ShogiAnswer, ShogiSearcher};
pub use outside::{Outside, Protocol, Trouble, kill_engines, on_silence};
pub use request::{Limits, NothingToSearch, Request, Stop};
pub use searcher::{Answer, EngineChoice, SearchError, Searcher};
