//! A board on its way to its place.

use super::{Graph, Layer, NodeId};
use obook_othello::CanonicalBoard;

/// A board that is looked for in its layer.
///
/// A search for many boards first makes all of these, then finds them: so the processor waits for many places in memory
/// at once, which makes it twice as fast.
pub(super) struct Sought<'a> {
    pub(super) board: CanonicalBoard,
    pub(super) hash: u64,
    layer: &'a Layer,
}

impl Graph {
    /// A board of this layer, to be found.
    pub(super) fn seek<'a>(&self, layer: &'a Layer, board: CanonicalBoard) -> Sought<'a> {
        Sought {
            board,
            hash: self.seed.hash(board),
            layer,
        }
    }
}

impl Sought<'_> {
    /// Whether the book may hold it; no for nearly all that it does not.
    pub(super) fn may_be_there(&self) -> bool {
        self.layer.index.may_hold(self.hash)
    }

    /// The position, if the book holds it.
    pub(super) fn find(&self, graph: &Graph) -> Option<NodeId> {
        let Layer {
            start, end, index, ..
        } = self.layer;
        let boards = &graph.boards[*start..*end];
        let place = index.find(boards, self.board, self.hash)?;
        Some(NodeId(*start as u32 + place))
    }
}
