//! A whole book in memory: its [positions and links](Graph), and what follows from them by the rules of either engine.

pub mod accuracy;
mod arena;
pub mod link;
pub mod loops;
pub mod mapping;
pub mod negamax;
pub mod passes;

pub(crate) use arena::{
    BATCH, Before, BoardSet, Differs, Edge, Edit, Node, PassTo, Step, turned_record, visit_record,
};
pub use arena::{BuildReport, Graph, GraphBuilder, LinkTo, NodeId, Positions, Selection, TooLarge};
