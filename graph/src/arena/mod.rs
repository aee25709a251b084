//! A whole book in memory: positions in layers by their number of empties, with their links to each other.
//!
//! Every disc placed leads one layer down and a pass stays in its layer, so a book computed layer by layer, the passes
//! of a layer after the rest of it, sees every child before its parents. Positions are numbered in just that order:
//! everything a position depends on has a smaller [`NodeId`].
//!
//! About 60 bytes hold a position with one link. Inside a layer the positions (and apart from them the passes) are
//! sorted by canonical key.

mod builder;
mod changes;
mod chunks;
mod edit;
mod frozen;
mod gather;
mod index;
mod node;
mod positions;
mod probe;
mod record;
mod relink;
mod revise;
mod selection;
mod unlinked;

pub use builder::{BuildReport, GraphBuilder, TooLarge};
pub use positions::Positions;
pub use selection::Selection;

pub use changes::{Before, Differs};
pub use chunks::{PassTo, Step};
pub use edit::Edit;
pub(crate) use node::PackedLeaf;
pub use node::{Edge, Node};
pub use record::{turned_record, visit_record};
pub use unlinked::{BATCH, BoardSet};

use index::{Index, Seed};
use obook_model::{Bounds, Engine, Leaf, Link, NoLeaf, Outcomes, Position};
use obook_othello::{CanonicalBoard, Move};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::ops::Range;

/// Where a position is in its [`Graph`]. Children come before their parents.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(u32);

impl NodeId {
    /// The place among all positions, from 0 to [`Graph::len`] − 1.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A book in memory.
///
/// ```
/// use obook_graph::Graph;
/// use obook_model::{Engine, Leaf, Position};
/// use obook_othello::{Board, Line};
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
/// assert_eq!(moves, ["d3", "c4", "f5", "e6"], "four moves, each to the same position");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Graph {
    boards: Vec<CanonicalBoard>,
    nodes: Vec<Node>,
    leaves: Vec<PackedLeaf>,
    /// Where the links of each position begin among `edges`; one more entry says where the last ones end.
    offsets: Vec<u32>,
    edges: Vec<Edge>,
    /// By number of empties, from 0 up; some may hold nothing.
    layers: Vec<Layer>,
    /// So many positions, the first by their places, are only read: see [`Graph::freeze`].
    frozen: usize,
    /// What the boards of every layer are hashed with.
    seed: Seed,
}

/// The positions with one number of empties.
#[derive(Clone, Debug)]
struct Layer {
    start: usize,
    /// Where the positions that must pass begin.
    passes: usize,
    end: usize,
    index: Index,
}

/// A link of a position in a [`Graph`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkTo {
    /// The move, in the orientation of the position's canonical board.
    pub mv: Move,
    /// The child's value for the side to move, in discs, if it is known.
    pub score: Option<i8>,
    /// The position it leads to; `None` where the book doesn't hold it or the move is not legal (which
    /// [`link`](crate::link::link) mends).
    pub child: Option<NodeId>,
}

impl Graph {
    /// Takes positions one by one, in any order.
    #[must_use]
    pub fn builder() -> GraphBuilder {
        GraphBuilder::default()
    }

    /// A graph of all that a reader yields, with the links as they are given.
    ///
    /// # Errors
    /// The reader's first error, or [`TooLarge`].
    pub fn from_positions<E: From<TooLarge>>(
        positions: impl IntoIterator<Item = Result<Position, E>>,
    ) -> Result<(Graph, BuildReport), E> {
        let mut builder = Graph::builder();
        for position in positions {
            builder.push(position?);
        }
        Ok(builder.finish()?)
    }

    /// How many positions there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.boards.len()
    }

    /// Whether the book holds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.boards.is_empty()
    }

    /// How many links there are, those without a child included.
    #[must_use]
    pub fn link_count(&self) -> usize {
        self.edges.len()
    }

    /// The position with this board, if the book holds it.
    #[must_use]
    pub fn find(&self, board: CanonicalBoard) -> Option<NodeId> {
        let layer = self.layers.get(board.board().empties() as usize)?;
        self.probe(layer, board).find(self)
    }

    /// All positions, children before their parents.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (0..self.len() as u32).map(NodeId)
    }

    /// The position at a place below [`len`](Graph::len).
    pub fn id(&self, place: usize) -> NodeId {
        debug_assert!(place < self.len());
        NodeId(place as u32)
    }

    /// The positions whose side to move must pass.
    pub fn pass_ids(&self) -> impl Iterator<Item = NodeId> {
        self.layers
            .iter()
            .flat_map(|layer| layer.passes as u32..layer.end as u32)
            .map(NodeId)
    }

    /// How many of them no link leads to.
    pub fn count_unreached_passes(&self) -> u64 {
        let unreached = |(place, layer): (usize, &Layer)| {
            // Only moves from the layer above lead to a pass: one pass never follows another.
            let from = self.layers.get(place + 1).map_or(0..0, |above| {
                self.offsets[above.start] as usize..self.offsets[above.end] as usize
            });
            let children = self.edges[from].iter().filter_map(|edge| edge.child());
            let is_pass = |child: &NodeId| (layer.passes..layer.end).contains(&child.index());
            let mut reached: Vec<NodeId> = children.filter(is_pass).collect();
            reached.sort_unstable();
            reached.dedup();
            (layer.end - layer.passes - reached.len()) as u64
        };
        self.layers.par_iter().enumerate().map(unreached).sum()
    }

    /// The layers that hold something: a number of empties and the positions that have it, from few empties to many.
    pub fn layers(&self) -> impl Iterator<Item = (u8, impl ExactSizeIterator<Item = NodeId>)> {
        let filled = |(_, layer): &(u8, &Layer)| layer.start < layer.end;
        (0..)
            .zip(&self.layers)
            .filter(filled)
            .map(|(empties, layer)| {
                let ids = (layer.start as u32..layer.end as u32).map(NodeId);
                (empties, ids)
            })
    }

    /// Its board.
    #[must_use]
    pub fn board(&self, id: NodeId) -> CanonicalBoard {
        self.boards[id.index()]
    }

    /// Score of its best move, in discs.
    #[must_use]
    pub fn value(&self, id: NodeId) -> Option<i16> {
        self.nodes[id.index()].value()
    }

    /// What its value may be, given the errors of the searches below it.
    #[must_use]
    pub fn bounds(&self, id: NodeId) -> Option<Bounds> {
        self.nodes[id.index()].bounds()
    }

    /// The level behind its value or leaf, on its [engine](Graph::engine)'s scale.
    #[must_use]
    pub fn level(&self, id: NodeId) -> Option<u8> {
        self.nodes[id.index()].level()
    }

    /// Whose scale its level is on.
    #[must_use]
    pub fn engine(&self, id: NodeId) -> Engine {
        self.nodes[id.index()].engine()
    }

    /// Solved lines below it.
    #[must_use]
    pub fn outcomes(&self, id: NodeId) -> Option<Outcomes> {
        self.nodes[id.index()].outcomes()
    }

    /// Lines below it, as the book's rules count them.
    #[must_use]
    pub fn lines(&self, id: NodeId) -> Option<u32> {
        self.nodes[id.index()].lines()
    }

    /// Its leaf.
    #[must_use]
    pub fn leaf(&self, id: NodeId) -> Option<Leaf> {
        self.leaves[id.index()].get()
    }

    /// What the book says of the leaf that it lacks: see [`Position::no_leaf`].
    #[must_use]
    pub fn no_leaf(&self, id: NodeId) -> Option<NoLeaf> {
        self.leaves[id.index()].no_leaf()
    }

    /// Every link that leads to no position of the book, with the position that has it.
    pub fn links_without_child(&self) -> impl Iterator<Item = (NodeId, Move)> {
        let without = self.edges.iter().enumerate();
        let without = without.filter(|(_, edge)| !edge.has_child());
        without.map(|(at, edge)| {
            let after = self.offsets.partition_point(|start| *start as usize <= at);
            (self.id(after - 1), edge.mv())
        })
    }

    /// Makes all its numbers unknown; level and engine stay.
    pub fn forget_numbers(&mut self, id: NodeId) {
        let node = &mut self.nodes[id.index()];
        node.set_value(None);
        node.set_bounds(None);
        node.set_outcomes(None);
        node.set_lines(None);
    }

    pub fn set_value(&mut self, id: NodeId, value: Option<i16>) {
        self.nodes[id.index()].set_value(value);
    }

    /// Gives its pass the score that follows from this value of the child.
    pub fn set_pass_score(&mut self, id: NodeId, child: Option<i16>) {
        let range = self.edge_range(id.index());
        let edges = &mut self.edges[range];
        for edge in edges.iter_mut().filter(|edge| edge.mv() == Move::Pass) {
            edge.set_score(child.map(Edge::score_of));
        }
        edges.sort_by_key(|edge| Reverse(edge.score()));
    }

    pub fn set_level(&mut self, id: NodeId, engine: Engine, level: Option<u8>) {
        self.nodes[id.index()].set_level(engine, level);
    }

    pub fn set_leaf(&mut self, id: NodeId, leaf: Leaf) {
        self.leaves[id.index()] = PackedLeaf::new(leaf);
    }

    /// Says nothing any more of the leaf that the position lacks.
    pub fn forget_no_leaf(&mut self, id: NodeId) {
        debug_assert_eq!(self.leaf(id), None);
        self.leaves[id.index()] = PackedLeaf::missing(None);
    }

    /// Its links, in the order in which they are kept: best first after a
    /// [`negamax`](crate::negamax::negamax).
    pub fn links(&self, id: NodeId) -> impl ExactSizeIterator<Item = LinkTo> {
        self.edges(id.index()).iter().map(|edge| edge.link_to())
    }

    /// The position as a record; links best score first, unknown scores last, equals in the order they are kept.
    #[must_use]
    pub fn position(&self, id: NodeId) -> Position {
        let link = |edge: &Edge| Link {
            mv: edge.mv(),
            score: edge.score(),
        };
        let mut position = self.numbers(id);
        position.links = self.edges(id.index()).iter().map(link).collect();
        position.leaf = self.leaf(id);
        position.no_leaf = self.no_leaf(id);
        position.links.sort_by_key(|link| Reverse(link.score));
        position
    }

    /// A position's numbers, without links and leaf.
    pub fn numbers(&self, id: NodeId) -> Position {
        self.nodes[id.index()].record(self.board(id))
    }

    /// All positions as records, sorted by canonical key, without a copy of the book on the way.
    #[must_use]
    pub fn positions(&self) -> Positions<&Graph> {
        Positions::new(self)
    }

    /// All positions in the order of the database.
    pub fn ids_by_key(&self) -> impl Iterator<Item = NodeId> + Send {
        let mut positions = self.positions();
        std::iter::from_fn(move || positions.next_id())
    }

    /// As [`Graph::positions`], where nothing else needs the graph.
    #[must_use]
    pub fn into_positions(self) -> Positions<Graph> {
        Positions::new(self)
    }

    fn edges(&self, index: usize) -> &[Edge] {
        &self.edges[self.edge_range(index)]
    }

    fn edge_range(&self, index: usize) -> Range<usize> {
        edge_range(&self.offsets, index)
    }
}

/// Where the links of the position at a place are.
fn edge_range(offsets: &[u32], place: usize) -> Range<usize> {
    offsets[place] as usize..offsets[place + 1] as usize
}
