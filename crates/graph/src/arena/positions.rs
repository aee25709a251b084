//! A graph's positions as records, in the order of the database.

use super::{Graph, Layer, NodeId};
use obook_base::KWay;
use obook_othello::{CanonicalBoard, Position};
use std::borrow::Borrow;
use std::convert::Infallible;
use std::ops::Range;

/// The records of a [`Graph`] sorted by canonical key. See [`Graph::positions`].
pub struct Positions<G> {
    graph: G,
    /// The rest of each sorted run.
    runs: Vec<Range<usize>>,
    order: KWay<CanonicalBoard>,
    left: usize,
}

impl<G: Borrow<Graph>> Positions<G> {
    pub(super) fn new(owner: G) -> Positions<G> {
        let runs = owner.borrow().sorted_runs();
        Positions::of(owner, runs)
    }

    /// The positions of these sorted runs.
    fn of(owner: G, runs: Vec<Range<usize>>) -> Positions<G> {
        let boards = &owner.borrow().boards;
        let heads = runs.iter().enumerate().filter(|(_, rest)| !rest.is_empty());
        let order = KWay::new(heads.map(|(run, rest)| (boards[rest.start], run)));
        Positions {
            left: runs.iter().map(Range::len).sum(),
            order,
            runs,
            graph: owner,
        }
    }
}

/// The approximate number of positions in a part: enough that handing it over costs next to nothing, and few enough for a
/// core's cache.
const PART: usize = 1 << 13;

impl Graph {
    /// [`Graph::positions`] in consecutive parts, for parallel work.
    pub fn parts(&self) -> impl Iterator<Item = Positions<&Graph>> {
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
            Positions::of(self, runs.collect())
        })
    }

    /// The sorted runs of which the graph consists.
    fn sorted_runs(&self) -> Vec<Range<usize>> {
        let runs = self.layers.iter().flat_map(Layer::runs);
        runs.filter(|run| !run.is_empty()).collect()
    }
}

impl<G: Borrow<Graph>> Positions<G> {
    /// The places of the positions that are left, in any order.
    pub(crate) fn places(&self) -> impl Iterator<Item = usize> {
        self.runs.iter().cloned().flatten()
    }

    /// The next position.
    pub(crate) fn next_id(&mut self) -> Option<NodeId> {
        let boards = &self.graph.borrow().boards;
        let runs = &mut self.runs;
        let mut place = None;
        let Ok(_) = self.order.next(|run| -> Result<_, Infallible> {
            let rest = &mut runs[run];
            place = rest.next();
            Ok((rest.start < rest.end).then(|| boards[rest.start]))
        });
        self.left -= usize::from(place.is_some());
        place.map(|place| NodeId(place as u32))
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
