//! Which positions of a graph lack a leaf.

use obook_graph::mapping::demands::lacks_leaf;
use obook_graph::{Graph, NodeId};
use obook_model::Leaf;
use obook_store::{Lost, Missing};
use rayon::prelude::*;

/// Of the positions that `stays` approves, those that lack a leaf, in key order; `before` tells the leaf that a position
/// had.
pub fn missing(
    graph: &Graph,
    stays: impl Fn(NodeId) -> bool + Sync,
    before: impl Fn(NodeId) -> Option<Leaf> + Sync,
) -> Vec<Missing> {
    let missing = |place| {
        let id = graph.id(place);
        (stays(id) && lacks_leaf(graph, id)).then(|| Missing {
            board: graph.board(id),
            lost: before(id).and_then(|leaf| Lost::of(leaf, &graph.position(id))),
        })
    };
    let places = (0..graph.len()).into_par_iter();
    let mut missing: Vec<Missing> = places.filter_map(missing).collect();
    missing.par_sort_unstable_by_key(|missing| missing.board);
    missing
}
