//! Visits to positions: of a whole graph from the leaves up, of one position, or of a record without a graph.

use super::{Edge, Graph, Node, NodeId};
use obook_othello::{CanonicalBoard, Leaf, Link, Move, Position};
use rayon::prelude::*;
use smallvec::SmallVec;
use std::ops::Range;

/// Positions that a thread takes at a time: enough to be worth splitting, and few enough to share a layer evenly.
pub(super) const CHUNK: usize = 2048;

/// The least number of layers or runs that a thread takes at a time, if all of them together hold this many positions. A thread keeps
/// all of a small graph: waking another one and waiting for it would take longer than the work.
pub(super) fn least_share(parts: usize, positions: usize) -> usize {
    if positions <= CHUNK { parts.max(1) } else { 1 }
}

/// These places, `size` at a time, for threads to share.
pub(crate) fn batches(
    places: Range<usize>,
    size: usize,
) -> impl IndexedParallelIterator<Item = Range<usize>> {
    let count = places.len().div_ceil(size);
    (0..count).into_par_iter().map(move |batch| {
        let start = places.start + batch * size;
        start..places.end.min(start + size)
    })
}

/// Neighbouring positions and their links, for one thread to change.
pub(super) struct Chunk<'a> {
    pub(super) places: Range<usize>,
    offsets: &'a [u32],
    pub(super) edges: &'a mut [Edge],
}

impl Chunk<'_> {
    /// The links of one of the positions.
    pub(super) fn edges_of(&mut self, place: usize) -> &mut [Edge] {
        let first = self.offsets[self.places.start];
        let start = (self.offsets[place] - first) as usize;
        let end = (self.offsets[place + 1] - first) as usize;
        &mut self.edges[start..end]
    }
}

/// Splits the positions in `places`, whose links are `edges`, into chunks.
pub(super) fn split<'a>(
    offsets: &'a [u32],
    places: Range<usize>,
    mut edges: &'a mut [Edge],
) -> Vec<Chunk<'a>> {
    let chunk = |start: usize| {
        let places = start..places.end.min(start + CHUNK);
        let count = (offsets[places.end] - offsets[places.start]) as usize;
        Chunk {
            places,
            offsets,
            edges: edges.split_off_mut(..count).expect("there are as many"),
        }
    };
    places.clone().step_by(CHUNK).map(chunk).collect()
}

/// A visited position, with everything that its numbers depend on.
pub(crate) struct Step<'a> {
    pub(crate) board: CanonicalBoard,
    pub(crate) node: &'a mut Node,
    pub(crate) leaf: Option<Leaf>,
    pub(crate) edges: &'a mut [Edge],
    /// The numbers of all positions below, for [`Edge::child_in`]. They have been computed before.
    pub(crate) below: &'a [Node],
}

impl Graph {
    /// Visits one position as if its passes led to `pass`. The links keep the new score of a pass, but not the new child.
    pub(crate) fn visit_again(
        &mut self,
        id: NodeId,
        pass: Option<NodeId>,
        visit: impl FnOnce(Step<'_>),
    ) {
        let range = self.edge_range(id.index());
        let mut edges: SmallVec<[Edge; 8]> = self.edges(id.index()).into();
        let by_rules = edges.iter().find(|edge| edge.mv() == Move::Pass);
        let by_rules = by_rules.and_then(|edge| edge.child());
        let lead = |edges: &mut [Edge], child| {
            let passes = edges.iter_mut().filter(|edge| edge.mv() == Move::Pass);
            passes.for_each(|edge| edge.set_child(child));
        };
        lead(&mut edges, pass);
        self.nodes[id.index()] = self.visited(id, &mut edges, visit);
        lead(&mut edges, by_rules);
        self.edges[range].copy_from_slice(&edges);
    }

    /// Returns what a visit would make of one position and its links. Nothing changes.
    pub(crate) fn judge(
        &self,
        id: NodeId,
        visit: impl FnOnce(Step<'_>),
    ) -> (Node, SmallVec<[Edge; 8]>) {
        let mut edges: SmallVec<[Edge; 8]> = self.edges(id.index()).into();
        (self.visited(id, &mut edges, visit), edges)
    }

    /// Returns what a visit makes of one position with these links.
    fn visited(&self, id: NodeId, edges: &mut [Edge], visit: impl FnOnce(Step<'_>)) -> Node {
        let mut node = self.nodes[id.index()];
        visit(Step {
            board: self.board(id),
            node: &mut node,
            leaf: self.leaf(id),
            edges,
            below: &self.nodes,
        });
        node
    }

    /// Visits every position after its children. Positions that don't depend on each other are visited in parallel.
    pub(crate) fn walk_up(&mut self, visit: impl Fn(Step<'_>) + Sync) {
        for layer in &self.layers {
            for places in layer.runs() {
                let places = places.start.max(self.frozen)..places.end.max(self.frozen);
                let (below, rest) = self.nodes.split_at_mut(places.start);
                let below = &*below;
                let nodes = rest[..places.len()].par_chunks_mut(CHUNK);
                let boards = &self.boards;
                let leaves = self.leaves[places.clone()].par_chunks(CHUNK);
                let links = self.offsets[places.start] as usize..self.offsets[places.end] as usize;
                let chunks = split(&self.offsets, places, &mut self.edges[links]);
                let all = (nodes, leaves, chunks).into_par_iter();
                all.for_each(|(nodes, leaves, mut chunk)| {
                    let own = nodes.iter_mut().zip(leaves);
                    for (place, (node, leaf)) in chunk.places.clone().zip(own) {
                        visit(Step {
                            board: boards[place],
                            node,
                            leaf: leaf.get(),
                            edges: chunk.edges_of(place),
                            below,
                        });
                    }
                });
            }
        }
    }

    /// Counts the positions that are not frozen and that a visit would change, given the present numbers of their children.
    pub(crate) fn count_changes(&self, visit: impl Fn(Step<'_>) + Sync) -> u64 {
        self.count_unfrozen(|id| {
            let before = self.edges(id.index());
            let (node, edges) = self.judge(id, &visit);
            node != self.nodes[id.index()] || before.iter().any(|edge| !edges.contains(edge))
        })
    }
}

/// Returns what a visit makes of a record. `children` are in the order of its links, `None` if the book lacks the child.
pub(crate) fn visit_record(
    position: &Position,
    children: &[Option<&Position>],
    visit: impl FnOnce(Step<'_>),
) -> Position {
    let mut below: SmallVec<[Node; 8]> = SmallVec::new();
    let edge = |(link, child): (&Link, &Option<&Position>)| {
        let child = child.map(|child| {
            below.push(Node::new(child));
            NodeId(below.len() as u32 - 1)
        });
        Edge::new(link.mv, link.score, child)
    };
    let mut edges: SmallVec<[Edge; 8]> = position.links.iter().zip(children).map(edge).collect();
    let mut node = Node::new(position);
    visit(Step {
        board: position.board,
        node: &mut node,
        leaf: position.leaf,
        edges: &mut edges,
        below: &below,
    });
    Position {
        leaf: position.leaf,
        no_leaf: position.no_leaf,
        ..node.record(position.board, &edges)
    }
}
