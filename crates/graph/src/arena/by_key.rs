//! A graph's positions in the order of the database.

use super::{Graph, Layer, NodeId};
use obook_base::KWay;
use obook_othello::CanonicalBoard;
use std::convert::Infallible;
use std::ops::Range;

/// Positions of a [`Graph`] sorted by canonical key.
pub(crate) struct ByKey<'a> {
    graph: &'a Graph,
    /// The rest of each sorted run.
    runs: Vec<Range<usize>>,
    order: KWay<CanonicalBoard>,
}

/// The approximate number of positions in a part: enough that handing it over costs next to nothing, and few enough for a
/// core's cache.
const PART: usize = 1 << 13;

impl Graph {
    /// All positions, sorted by canonical key, as in the database.
    pub fn ids_by_key(&self) -> impl Iterator<Item = NodeId> + Send {
        ByKey::of(self, self.sorted_runs())
    }

    /// The same in consecutive parts, for parallel work.
    pub(crate) fn parts(&self) -> impl Iterator<Item = ByKey<'_>> {
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
            ByKey::of(self, runs.collect())
        })
    }

    /// The sorted runs of which the graph consists.
    fn sorted_runs(&self) -> Vec<Range<usize>> {
        let runs = self.layers.iter().flat_map(Layer::runs);
        runs.filter(|run| !run.is_empty()).collect()
    }
}

impl ByKey<'_> {
    /// The positions of these sorted runs.
    fn of(graph: &Graph, runs: Vec<Range<usize>>) -> ByKey<'_> {
        let heads = runs.iter().enumerate().filter(|(_, rest)| !rest.is_empty());
        let order = KWay::new(heads.map(|(run, rest)| (graph.boards[rest.start], run)));
        ByKey { order, runs, graph }
    }

    /// The places of the positions that are left, in any order.
    pub(crate) fn places(&self) -> impl Iterator<Item = usize> {
        self.runs.iter().cloned().flatten()
    }
}

impl Iterator for ByKey<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        let boards = &self.graph.boards;
        let runs = &mut self.runs;
        let mut place = None;
        let Ok(_) = self.order.next(|run| -> Result<_, Infallible> {
            let rest = &mut runs[run];
            place = rest.next();
            Ok((rest.start < rest.end).then(|| boards[rest.start]))
        });
        place.map(|place| NodeId(place as u32))
    }
}
