//! A whole book in memory: its [positions and links](Graph), and what follows from them by the rules of either engine.

pub mod accuracy;
mod arena;
mod lines_from_start;
pub mod link;
pub mod loops;
pub mod mapping;
pub mod negamax;
pub mod passes;

pub(crate) use arena::{
    BATCH, Before, BoardSet, Differs, Edge, Edit, Node, PassTo, Step, turned_record, visit_record,
};
pub use arena::{BuildReport, Graph, GraphBuilder, LinkTo, NodeId, Positions, Selection, TooLarge};
pub(crate) use lines_from_start::{LinesFromStart, line_through};
