//! An Othello opening book in memory, and what follows from it: a whole book as a [`Graph`] of positions and links, the
//! engines' rules computed on it ([`negamax`], [`accuracy`]), its conversion from one engine's form to the other's
//! ([`mapping`]), and positions [sorted] by key when they don't fit in memory.
//!
//! [sorted]: sort
#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![allow(missing_docs)]

pub mod accuracy;
mod arena;
mod lines_from_start;
pub mod link;
pub mod loops;
pub mod mapping;
pub mod negamax;
pub mod parallel;
pub mod passes;
mod progress;
pub mod sort;

pub use arena::{
    BATCH, Before, BoardSet, BuildReport, Differs, Edge, Edit, Graph, GraphBuilder, LinkTo, Node,
    NodeId, PassTo, Positions, Selection, Step, TooLarge, turned_record, visit_record,
};
pub use lines_from_start::{LinesFromStart, line_through};
pub use progress::{Meter, Progress};
