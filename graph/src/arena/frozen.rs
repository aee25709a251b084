//! Graphs of a few layers of a larger book, the lower of which are computed already.

use super::{Graph, NodeId};
use rayon::prelude::*;

impl Graph {
    /// From now on the first `count` positions are frozen: linking and computing read them and leave them as they are. They
    /// have no links, so they must have come without.
    pub fn freeze(&mut self, count: usize) {
        debug_assert_eq!(self.offsets[count], 0, "frozen positions have no links");
        self.frozen = count;
    }

    /// The positions that are not frozen.
    pub fn unfrozen(&self) -> impl IndexedParallelIterator<Item = NodeId> {
        let places = self.frozen..self.len();
        places.into_par_iter().map(|place| self.id(place))
    }

    /// Whether a position is only read.
    pub fn is_frozen(&self, id: NodeId) -> bool {
        id.index() < self.frozen
    }
}
