//! A whole book in memory: positions in layers by their number of empty squares, and the links between them.
//!
//! Placing a disc leads one layer down, and a pass stays in its layer. Each layer ends with the positions in which the side to
//! move must pass, so a position always has a greater [`NodeId`] than its children. Both parts of a layer are sorted by
//! canonical key.
//!
//! A position with one link takes about 60 bytes.

mod builder;
mod by_key;
mod changes;
mod edit;
mod index;
pub mod link;
mod node;
mod walk;

pub use builder::{GraphBuilder, TooLarge};
pub use changes::{Before, Differs};
pub(crate) use link::{BATCH, BoardSet};
pub(crate) use node::{Edge, Node, PackedLeaf};
pub(crate) use walk::{Step, batches, visit_record};

use index::{Index, Seed};
use obook_othello::{
    Bounds, CanonicalBoard, Engine, Leaf, Move, NoLeaf, Outcomes, Position, Proof,
};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::ops::Range;

/// A position of a [`Graph`]. Children come before their parents.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(u32);

impl NodeId {
    /// The place among all positions, from 0 to [`Graph::len`] − 1.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A book in memory: positions, and the links between them.
///
/// ```
/// use obook_graph::Graph;
/// use obook_othello::{Board, Engine, Leaf, Line, Position};
///
/// let mut builder = Graph::builder();
/// for moves in ["", "f5", "f5d6"] {
///     let board = moves.parse::<Line>()?.board().canonical();
///     builder.push(Position::new(board, Engine::Edax));
/// }
/// let (mut graph, _) = builder.finish()?;
/// obook_graph::link::link(&mut graph)?;
///
/// let start = graph.find(Board::START.canonical()).unwrap();
/// let moves: Vec<String> = graph.links(start).map(|link| link.mv.to_string()).collect();
/// assert_eq!(moves, ["d3", "c4", "f5", "e6"], "all four moves lead to the same position");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Graph {
    boards: Vec<CanonicalBoard>,
    nodes: Vec<Node>,
    leaves: Vec<PackedLeaf>,
    /// The start of each position's links in `edges`, and the end of the last ones.
    offsets: Vec<u32>,
    edges: Vec<Edge>,
    /// By number of empty squares, from 0 up. Some may be empty.
    layers: Vec<Layer>,
    /// The number of frozen positions, which come first: see [`Graph::freeze`].
    frozen: usize,
    /// The key of the hash of boards.
    seed: Seed,
}

/// The positions with the same number of empty squares.
#[derive(Clone, Debug)]
struct Layer {
    start: usize,
    /// The first position in which the side to move must pass.
    passes: usize,
    end: usize,
    index: Index,
}

impl Layer {
    /// The places of its two parts, each sorted by board: positions without a pass, and pass positions.
    fn runs(&self) -> [Range<usize>; 2] {
        [self.start..self.passes, self.passes..self.end]
    }
}

/// A link of a position in a [`Graph`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkTo {
    /// The move, in the orientation of the position's canonical board.
    pub mv: Move,
    /// The child's value for the side to move, in discs, if it is known.
    pub score: Option<i8>,
    /// The position to which the link leads. `None` if the book lacks it or the move is illegal; [`link`](crate::link::link)
    /// drops such links.
    pub child: Option<NodeId>,
}

impl Graph {
    /// Starts a graph from positions in any order.
    #[must_use]
    pub fn builder() -> GraphBuilder {
        GraphBuilder::default()
    }

    /// Makes a graph of all positions that an iterator yields, with their links, and counts duplicates.
    ///
    /// # Errors
    /// Returns the first error of the iterator, or [`TooLarge`].
    pub fn from_positions<E: From<TooLarge>>(
        positions: impl IntoIterator<Item = Result<Position, E>>,
    ) -> Result<(Graph, u64), E> {
        let mut builder = Graph::builder();
        for position in positions {
            builder.push(position?);
        }
        Ok(builder.finish()?)
    }

    /// The number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.boards.len()
    }

    /// Whether there are no positions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.boards.is_empty()
    }

    /// The position with this board, if the book has it.
    #[must_use]
    pub fn find(&self, board: CanonicalBoard) -> Option<NodeId> {
        let layer = self.layers.get(board.board().empties() as usize)?;
        self.probe(layer, board).find(self)
    }

    /// All positions, children before their parents.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (0..self.len() as u32).map(NodeId)
    }

    /// The position at a place, which must be below [`len`](Graph::len).
    #[must_use]
    pub fn id(&self, place: usize) -> NodeId {
        assert!(place < self.len());
        NodeId(place as u32)
    }

    /// The positions in which the side to move must pass.
    pub fn pass_ids(&self) -> impl Iterator<Item = NodeId> {
        let passes = |layer: &Layer| layer.passes as u32..layer.end as u32;
        self.layers.iter().flat_map(passes).map(NodeId)
    }

    /// The number of pass positions to which no link leads, in the layers below these.
    pub(crate) fn count_unreached_passes(&self, layers: Range<usize>) -> u64 {
        let unreached = |above: usize| {
            let layer = above.checked_sub(1).and_then(|it| self.layers.get(it));
            let Some(layer) = layer else { return 0 };
            // Only moves from the layer above lead to a pass position, because a pass never follows a pass.
            let from = self.layers.get(above).map_or(0..0, |above| {
                self.offsets[above.start] as usize..self.offsets[above.end] as usize
            });
            let children = self.edges[from].iter().filter_map(|edge| edge.child());
            let is_pass = |child: &NodeId| (layer.passes..layer.end).contains(&child.index());
            let mut reached: Vec<NodeId> = children.filter(is_pass).collect();
            reached.sort_unstable();
            reached.dedup();
            (layer.end - layer.passes - reached.len()) as u64
        };
        let share = walk::least_share(layers.len(), self.len());
        let layers = layers.into_par_iter().with_min_len(share);
        layers.map(unreached).sum()
    }

    /// The places of the positions with this number of empty squares.
    pub(crate) fn layer(&self, empties: usize) -> Range<usize> {
        match self.layers.get(empties) {
            Some(layer) => layer.start..layer.end,
            None => self.len()..self.len(),
        }
    }

    /// A position's board.
    #[must_use]
    pub fn board(&self, id: NodeId) -> CanonicalBoard {
        self.boards[id.index()]
    }

    /// The score of a position's best move, in discs.
    #[must_use]
    pub fn value(&self, id: NodeId) -> Option<i16> {
        self.nodes[id.index()].value()
    }

    /// The bounds of a position's value, given the errors of the searches below it.
    #[must_use]
    pub fn bounds(&self, id: NodeId) -> Option<Bounds> {
        self.nodes[id.index()].bounds()
    }

    /// The level of the search behind a position's value or leaf, on its [engine](Graph::engine)'s scale.
    #[must_use]
    pub fn level(&self, id: NodeId) -> Option<u8> {
        self.nodes[id.index()].level()
    }

    /// The engine whose scale a position's level is on.
    #[must_use]
    pub fn engine(&self, id: NodeId) -> Engine {
        self.nodes[id.index()].engine()
    }

    /// The proven bounds of a position's value.
    #[must_use]
    pub fn proof(&self, id: NodeId) -> Option<Proof> {
        self.nodes[id.index()].proof()
    }

    /// The number of solved lines below a position, by outcome.
    #[must_use]
    pub fn outcomes(&self, id: NodeId) -> Option<Outcomes> {
        self.nodes[id.index()].outcomes()
    }

    /// The number of lines below a position, as the book's rules count them.
    #[must_use]
    pub fn lines(&self, id: NodeId) -> Option<u32> {
        self.nodes[id.index()].lines()
    }

    /// A position's leaf.
    #[must_use]
    pub fn leaf(&self, id: NodeId) -> Option<Leaf> {
        self.leaves[id.index()].get()
    }

    /// The book's remark about a missing leaf: see [`Position::no_leaf`].
    #[must_use]
    pub fn no_leaf(&self, id: NodeId) -> Option<NoLeaf> {
        self.leaves[id.index()].no_leaf()
    }

    /// Makes a position's numbers unknown. Level and engine stay.
    pub(crate) fn forget_numbers(&mut self, id: NodeId) {
        let node = &mut self.nodes[id.index()];
        node.set_value(None);
        node.set_bounds(None);
        node.set_outcomes(None);
        node.set_lines(None);
    }

    /// Keeps as much as `keep` says of what is proven of the positions that aren't frozen.
    pub(crate) fn restrict_proofs(&mut self, keep: impl Fn(Proof) -> Option<Proof>) {
        for node in &mut self.nodes[self.frozen..] {
            node.set_proof(node.proof().and_then(&keep));
        }
    }

    /// Replaces a position's value.
    pub fn set_value(&mut self, id: NodeId, value: Option<i16>) {
        self.nodes[id.index()].set_value(value);
    }

    /// Gives a position's pass the score that follows from this value of the child.
    pub(crate) fn set_pass_score(&mut self, id: NodeId, child: Option<i16>) {
        let range = self.edge_range(id.index());
        let edges = &mut self.edges[range];
        for edge in edges.iter_mut().filter(|edge| edge.mv() == Move::Pass) {
            edge.set_score(child.map(Edge::score_of));
        }
        edges.sort_by_key(|edge| Reverse(edge.score()));
    }

    /// Replaces a position's bounds.
    pub fn set_bounds(&mut self, id: NodeId, bounds: Option<Bounds>) {
        self.nodes[id.index()].set_bounds(bounds);
    }

    /// Replaces a position's level, which is on the scale of `engine`.
    pub fn set_level(&mut self, id: NodeId, engine: Engine, level: Option<u8>) {
        self.nodes[id.index()].set_level(engine, level);
    }

    /// Replaces a position's leaf.
    pub fn set_leaf(&mut self, id: NodeId, leaf: Leaf) {
        self.leaves[id.index()] = PackedLeaf::new(leaf);
    }

    /// Replaces what is proven of a position.
    pub fn set_proof(&mut self, id: NodeId, proof: Option<Proof>) {
        self.nodes[id.index()].set_proof(proof);
    }

    /// Drops the remark about a missing leaf. The position must have no leaf.
    pub fn forget_no_leaf(&mut self, id: NodeId) {
        assert_eq!(self.leaf(id), None);
        self.leaves[id.index()] = PackedLeaf::missing(None);
    }

    /// A position's links. [`negamax`](crate::negamax::negamax) sorts them best first.
    pub fn links(&self, id: NodeId) -> impl ExactSizeIterator<Item = LinkTo> {
        self.edges(id.index()).iter().map(|edge| edge.link_to())
    }

    /// A position as a record. Its links are sorted best score first, unknown scores last.
    #[must_use]
    pub fn position(&self, id: NodeId) -> Position {
        let mut position = self.record(id);
        position.links.sort_by_key(|link| Reverse(link.score));
        position
    }

    /// A position as a record, with its links in their present order.
    pub(crate) fn record(&self, id: NodeId) -> Position {
        Position {
            leaf: self.leaf(id),
            no_leaf: self.no_leaf(id),
            ..self.nodes[id.index()].record(self.board(id), self.edges(id.index()))
        }
    }

    /// All positions as records, sorted by canonical key. This needs hardly any memory.
    pub fn positions(&self) -> impl Iterator<Item = Position> + Send {
        self.ids_by_key().map(|id| self.position(id))
    }

    fn edges(&self, index: usize) -> &[Edge] {
        &self.edges[self.edge_range(index)]
    }

    fn edge_range(&self, index: usize) -> Range<usize> {
        edge_range(&self.offsets, index)
    }
}

/// The range of a position's links, by its place.
fn edge_range(offsets: &[u32], place: usize) -> Range<usize> {
    offsets[place] as usize..offsets[place + 1] as usize
}
