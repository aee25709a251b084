//! Splits the links among threads, and the walk from the leaves up that every negamax is.

use super::probe::Probe;
use super::{Edge, Graph, Node, NodeId};
use obook_model::Leaf;
use obook_othello::{Board, Move};
use rayon::prelude::*;
use smallvec::SmallVec;
use std::ops::Range;

/// Positions that one thread takes at a time: enough to make the split worth it, few enough to share a layer evenly.
pub(super) const CHUNK: usize = 2048;

/// Neighbouring positions and their links, to be changed by one thread.
pub(crate) struct Chunk<'a> {
    /// The positions.
    pub places: Range<usize>,
    offsets: &'a [u32],
    edges: &'a mut [Edge],
}

impl Chunk<'_> {
    /// The links of one of the positions.
    pub(crate) fn edges(&mut self, place: usize) -> &mut [Edge] {
        let first = self.offsets[self.places.start];
        let start = (self.offsets[place] - first) as usize;
        let end = (self.offsets[place + 1] - first) as usize;
        &mut self.edges[start..end]
    }
}

/// The chunks of the positions in `places`, whose links `edges` are.
fn split<'a>(
    offsets: &'a [u32],
    places: Range<usize>,
    mut edges: &'a mut [Edge],
) -> Vec<Chunk<'a>> {
    places
        .clone()
        .step_by(CHUNK)
        .map(|start| {
            let places = start..places.end.min(start + CHUNK);
            let count = (offsets[places.end] - offsets[places.start]) as usize;
            let (own, rest) = std::mem::take(&mut edges).split_at_mut(count);
            edges = rest;
            Chunk {
                places,
                offsets,
                edges: own,
            }
        })
        .collect()
}

/// A position with all that its numbers depend on.
pub struct Step<'a> {
    pub empties: u8,
    pub node: &'a mut Node,
    pub leaf: Option<Leaf>,
    pub edges: &'a mut [Edge],
    /// Every position further down, computed already: where [`Edge::child_in`] looks.
    pub below: &'a [Node],
}

/// Where the passes of a position lead while it is visited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PassTo {
    /// Where the rules have them lead.
    Child,
    /// Out of the book.
    Nowhere,
    /// Here, even if it is not the rules' child.
    Position(NodeId),
}

impl Graph {
    /// Visits one position once more. Where passes were led elsewhere, the links remember the score, not the child.
    pub fn visit_again(&mut self, id: NodeId, pass: PassTo, visit: impl FnOnce(Step<'_>)) {
        let by_rules: SmallVec<[Edge; 8]> = self.edges(id.index()).into();
        let mut edges = by_rules.clone();
        for edge in edges.iter_mut().filter(|edge| edge.mv() == Move::Pass) {
            match pass {
                PassTo::Child => {}
                PassTo::Nowhere => edge.set_child(None),
                PassTo::Position(child) => edge.set_child(Some(child)),
            }
        }
        self.nodes[id.index()] = self.visited(id, &mut edges, visit);
        for edge in edges.iter_mut().filter(|edge| edge.mv() == Move::Pass) {
            let own = by_rules.iter().find(|own| own.mv() == edge.mv());
            edge.set_child(own.and_then(|own| own.child()));
        }
        let range = self.edge_range(id.index());
        self.edges[range].copy_from_slice(&edges);
    }

    /// What `visit` makes of one position and its links, given the numbers of its children as they stand. Nothing changes.
    pub fn judge(&self, id: NodeId, visit: impl FnOnce(Step<'_>)) -> (Node, SmallVec<[Edge; 8]>) {
        let mut edges: SmallVec<[Edge; 8]> = self.edges(id.index()).into();
        (self.visited(id, &mut edges, visit), edges)
    }

    /// What `visit` makes of one position with these links.
    fn visited(&self, id: NodeId, edges: &mut [Edge], visit: impl FnOnce(Step<'_>)) -> Node {
        let mut node = self.nodes[id.index()];
        visit(Step {
            empties: self.board(id).board().empties() as u8,
            node: &mut node,
            leaf: self.leaf(id),
            edges,
            below: &self.nodes,
        });
        node
    }

    /// Visits every position after all its children, those that don't depend on each other in parallel.
    pub fn walk_up(&mut self, visit: impl Fn(Step<'_>) + Sync) {
        for (empties, layer) in (0..).zip(&self.layers) {
            for places in [layer.start..layer.passes, layer.passes..layer.end] {
                let places = places.start.max(self.frozen)..places.end.max(self.frozen);
                let (below, rest) = self.nodes.split_at_mut(places.start);
                let below = &*below;
                let nodes = &mut rest[..places.len()];
                let leaves = &self.leaves[places.clone()];
                let links = self.offsets[places.start] as usize..self.offsets[places.end] as usize;
                let chunks = split(&self.offsets, places, &mut self.edges[links]);
                (
                    nodes.par_chunks_mut(CHUNK),
                    leaves.par_chunks(CHUNK),
                    chunks,
                )
                    .into_par_iter()
                    .for_each(|(nodes, leaves, mut chunk)| {
                        for (place, (node, leaf)) in
                            chunk.places.clone().zip(nodes.iter_mut().zip(leaves))
                        {
                            visit(Step {
                                empties,
                                node,
                                leaf: leaf.get(),
                                edges: chunk.edges(place),
                                below,
                            });
                        }
                    });
            }
        }
    }

    /// Finds the children of the links that have none, and returns how many still have none.
    pub(super) fn find_children(&mut self) -> u64 {
        let mut edges = std::mem::take(&mut self.edges);
        let graph = &*self;
        let missing = split(&graph.offsets, 0..graph.len(), &mut edges)
            .into_par_iter()
            .map(|mut chunk| {
                let mut probes = Vec::with_capacity(chunk.edges.len());
                for place in chunk.places.clone() {
                    let board = graph.boards[place].board();
                    let childless = chunk.edges(place).iter().filter(|edge| !edge.has_child());
                    probes.extend(childless.map(|edge| graph.probe_child(board, edge.mv())));
                }
                let mut missing = 0;
                let childless = chunk.edges.iter_mut().filter(|edge| !edge.has_child());
                for (edge, probe) in childless.zip(probes) {
                    let child = probe.and_then(|probe: Probe<'_>| probe.find(graph));
                    missing += u64::from(child.is_none());
                    edge.set_child(child);
                }
                missing
            })
            .sum();
        self.edges = edges;
        missing
    }

    /// The position that a move leads to, if the move is legal, on its way to its place.
    fn probe_child(&self, board: Board, mv: Move) -> Option<Probe<'_>> {
        let child = board.play(mv)?;
        let layer = self.layers.get(child.empties() as usize)?;
        Some(self.probe(layer, child.canonical()))
    }
}
