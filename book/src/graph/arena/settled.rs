//! Graphs of a few layers of a larger book, the lower of which are computed already.

use super::{Graph, NodeId};
use rayon::prelude::*;

impl Graph {
    /// From now on the first `count` positions are only looked at: linking and computing leave them as they are. They have
    /// no links, so they must have come without.
    pub(crate) fn settle(&mut self, count: usize) {
        debug_assert_eq!(self.offsets[count], 0, "settled positions have no links");
        self.settled = count;
    }

    /// The positions that are not settled.
    pub(crate) fn unsettled(&self) -> impl IndexedParallelIterator<Item = NodeId> {
        let places = self.settled..self.len();
        places.into_par_iter().map(|place| self.id(place))
    }

    /// Whether a position is only looked at.
    pub(crate) fn is_settled(&self, id: NodeId) -> bool {
        id.index() < self.settled
    }
}
