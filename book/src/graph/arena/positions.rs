//! The whole book as records in the order of the database.

use super::{Graph, NodeId};
use obook_converters::Position;
use obook_othello::CanonicalBoard;
use std::borrow::Borrow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::ops::Range;

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
        let runs = owner.borrow().sorted_runs();
        Positions::of(owner, runs)
    }

    /// The positions of these sorted runs.
    fn of(owner: G, runs: impl IntoIterator<Item = Range<usize>>) -> Positions<G> {
        let graph = owner.borrow();
        let mut left = 0;
        let runs = runs.into_iter().filter(|run| !run.is_empty());
        let runs = runs.map(|run| {
            left += run.len();
            Reverse((graph.boards[run.start], run.start, run.end))
        });
        Positions {
            runs: runs.collect(),
            left,
            graph: owner,
        }
    }
}

/// About how many positions a part has: enough that handing it over costs nothing, few enough to stay in a core's cache.
const PART: usize = 1 << 13;

impl Graph {
    /// [`Graph::positions`] in parts that follow each other, for many threads.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Positions<&Graph>> {
        let mut ends: Vec<CanonicalBoard> = self.boards.iter().step_by(PART).copied().collect();
        ends.sort_unstable();
        let mut rest = self.sorted_runs();
        let ends = ends.into_iter().map(Some).chain([None]);
        ends.map(move |end| {
            let runs = rest.iter_mut().map(|rest| {
                let boards = &self.boards[rest.clone()];
                let len = end.map_or(boards.len(), |end| {
                    boards.partition_point(|board| *board < end)
                });
                let run = rest.start..rest.start + len;
                rest.start = run.end;
                run
            });
            Positions::of(self, runs)
        })
    }

    /// The sorted runs that it consists of.
    fn sorted_runs(&self) -> Vec<Range<usize>> {
        let runs = self.layers.iter();
        let runs = runs.flat_map(|layer| [layer.start..layer.passes, layer.passes..layer.end]);
        runs.filter(|run| !run.is_empty()).collect()
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
