#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod components;
mod cyclic;
mod exact;
mod graph;
mod perpetual;
mod search;

pub use components::Cycles;
pub use exact::{Own, Scores, exact};
pub use graph::{Edge, Graph, MAX_SCORE, Score};
pub use search::{Answer, PathError, TaggingSearch};
