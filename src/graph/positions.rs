//! The whole book as records in the order of the database.

use super::{Graph, NodeId};
use obook_converters::Position;
use obook_othello::CanonicalBoard;
use std::borrow::Borrow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// The positions of a [`Graph`] sorted by canonical key: [`Graph::positions`] and [`Graph::into_positions`] make it.
///
/// The layers are sorted already, so it merges them, a heap holding the next position of each.
pub struct Positions<G> {
    graph: G,
    /// The next position of every run that is not used up, with the end of the run; the smallest board on top.
    runs: BinaryHeap<Reverse<(CanonicalBoard, usize, usize)>>,
    left: usize,
}

impl<G: Borrow<Graph>> Positions<G> {
    pub(super) fn new(owner: G) -> Positions<G> {
        let graph = owner.borrow();
        let runs = graph
            .layers
            .iter()
            .flat_map(|layer| [layer.start..layer.passes, layer.passes..layer.end])
            .filter(|run| !run.is_empty())
            .map(|run| Reverse((graph.boards[run.start], run.start, run.end)))
            .collect();
        Positions {
            runs,
            left: graph.len(),
            graph: owner,
        }
    }
}

impl<G: Borrow<Graph>> Positions<G> {
    /// The next position's place in the graph.
    pub(super) fn next_id(&mut self) -> Option<NodeId> {
        let graph = self.graph.borrow();
        let mut top = self.runs.peek_mut()?;
        let Reverse((_, place, end)) = *top;
        if place + 1 < end {
            *top = Reverse((graph.boards[place + 1], place + 1, end));
        } else {
            PeekMut::pop(top);
        }
        self.left -= 1;
        Some(NodeId(place as u32))
    }
}

impl<G: Borrow<Graph>> Iterator for Positions<G> {
    type Item = Position;

    fn next(&mut self) -> Option<Position> {
        self.next_id().map(|id| self.graph.borrow().position(id))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<G: Borrow<Graph>> ExactSizeIterator for Positions<G> {}
