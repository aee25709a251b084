//! The acyclic part: own scores layer by layer, in parallel.

use crate::graph::{Graph, MAX_SCORE, Score};
use crate::limits::payoff;
use rayon::prelude::*;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

/// What is known of one position, in 4 bytes: a score, or one of the numbers below, which no score can be.
pub(crate) type Cell = i32;

/// Lower than every score, so that it is also the maximum of no options.
pub(crate) const NO_SCORE: Cell = i32::MIN;
/// Bounds are known, and stand elsewhere.
pub(crate) const UNSETTLED: Cell = i32::MAX - 1;
/// Nothing is known yet.
pub(crate) const PENDING: Cell = i32::MAX;

/// One cell per position.
///
/// They are atomics so that a layer can be written in parallel whatever the numbers of its positions are. Each is
/// written once, and by then it depends on nothing else, so the relaxed order is enough.
pub(crate) struct Cells(Vec<AtomicI32>);

impl Cells {
    #[inline]
    pub(crate) fn get(&self, node: u32) -> Cell {
        self.0[node as usize].load(Relaxed)
    }

    #[inline]
    pub(crate) fn set(&self, node: u32, cell: Cell) {
        self.0[node as usize].store(cell, Relaxed);
    }

    pub(crate) fn into_inner(self) -> Vec<Cell> {
        self.0.into_iter().map(AtomicI32::into_inner).collect()
    }
}

/// Fewer positions than this are not worth waking a thread for.
const GRAIN: usize = 1024;

/// Settles what the ranks allow to settle. All that is on a cycle, or leads to one, stays [`PENDING`]; so do
/// positions with an edge along which the rank does not grow, but for luck.
///
/// Inside a layer a position may find its child pending or already settled, as the threads happen to run. What it
/// finds settled is right in either case, so chance decides which positions are left over, never what they are worth.
pub(crate) fn settle_layers(graph: &impl Graph) -> Cells {
    let cells = Cells(
        (0..graph.nodes())
            .into_par_iter()
            .map(|_| AtomicI32::new(PENDING))
            .collect(),
    );
    let mut by_rank: Vec<(u32, u32)> = (0..graph.nodes())
        .into_par_iter()
        .map(|node| (graph.rank(node), node))
        .collect();
    by_rank.par_sort_unstable();
    let settle = |&(_, node): &(u32, u32)| {
        if let Some(score) = best_option(graph, &cells, node) {
            cells.set(node, score);
        }
    };
    for layer in by_rank.chunk_by(|a, b| a.0 == b.0).rev() {
        if layer.len() < 2 * GRAIN {
            layer.iter().for_each(settle);
        } else {
            layer.par_iter().with_min_len(GRAIN).for_each(settle);
        }
    }
    cells
}

/// The best option of a position all of whose children have been settled; `None` if one of them has not.
fn best_option(graph: &impl Graph, cells: &Cells, node: u32) -> Option<Cell> {
    let mut best: Score = payoff(graph, node).unwrap_or(NO_SCORE);
    for edge in graph.children(node) {
        match cells.get(edge.child) {
            NO_SCORE => {}
            score if score > MAX_SCORE => return None,
            score => best = best.max(edge.carry(score)),
        }
    }
    Some(best)
}
