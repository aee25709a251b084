//! Looking up many boards at once.

use super::{Graph, Layer, NodeId};
use obook_othello::CanonicalBoard;

/// A look-up of a board in its layer, of which the hash is known and the rest is still to be done.
///
/// To look up many boards, make all probes first and finish them afterwards: the processor then waits for many places in
/// memory at once, which makes it twice as fast.
pub(super) struct Probe<'a> {
    pub(super) board: CanonicalBoard,
    pub(super) hash: u64,
    layer: &'a Layer,
}

impl Graph {
    /// Begins to look up a board in this layer.
    pub(super) fn probe<'a>(&self, layer: &'a Layer, board: CanonicalBoard) -> Probe<'a> {
        Probe {
            board,
            hash: self.seed.hash(board),
            layer,
        }
    }
}

impl Probe<'_> {
    /// Whether the book may hold it: yes if it does, no for nearly all boards that it does not.
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
