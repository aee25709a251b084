//! The Othello opening book as a database.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod graph;
pub mod levels;
pub mod link;
pub mod negamax;
pub mod passes;
