//! Takes positions in any order and makes a [`Graph`] of them.

use super::index::{Index, Seed};
use super::{Edge, Graph, Layer, Node, PackedLeaf};
use crate::levels::Strength;
use obook_converters::Position;
use obook_othello::CanonicalBoard;
use rayon::prelude::*;

/// A book is gathered here, layer by layer, before it becomes a [`Graph`]; [`Graph::builder`] makes one.
#[derive(Default)]
pub struct GraphBuilder {
    /// By number of empties; as long as the highest number needs.
    layers: Vec<Gathered>,
}

/// The positions of a layer in the order in which they came, with the links of all of them behind one another.
#[derive(Default)]
struct Gathered {
    records: Vec<Record>,
    links: Vec<Edge>,
}

struct Record {
    board: CanonicalBoard,
    node: Node,
    leaf: PackedLeaf,
    /// Where its links end; they begin where those of the record before end.
    links_end: usize,
}

/// What [`GraphBuilder::finish`] found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BuildReport {
    /// Boards that came more than once: of each the record with the higher level was kept, of equal ones the later.
    pub duplicates: u64,
    /// Links whose child is not in the book or whose move is not legal. They are kept until
    /// [`link`](crate::link::link) drops them.
    pub without_child: u64,
}

/// The book has more positions or links than a [`Graph`] can number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "the book has {found} {what}, at most 4294967294 fit in memory at once; split it with `obook subtree` or `depth`"
)]
pub struct TooLarge {
    found: usize,
    what: &'static str,
}

impl TooLarge {
    /// # Errors
    /// Where `found` can't be numbered with 32 bits and one number to spare.
    pub(super) fn check(found: usize, what: &'static str) -> Result<u32, TooLarge> {
        match u32::try_from(found) {
            Ok(number) if number < u32::MAX => Ok(number),
            _ => Err(TooLarge { found, what }),
        }
    }
}

impl GraphBuilder {
    /// Adds a position. Where the board came before, [`finish`](GraphBuilder::finish) keeps the stronger of the two.
    pub fn push(&mut self, position: Position) {
        let empties = position.board.board().empties() as usize;
        if self.layers.len() <= empties {
            self.layers.resize_with(empties + 1, Gathered::default);
        }
        let layer = &mut self.layers[empties];
        let edge = |link: &obook_converters::Link| Edge::new(link.mv, link.score, None);
        layer.links.extend(position.links.iter().map(edge));
        layer.records.push(Record {
            board: position.board,
            node: Node::new(&position),
            leaf: PackedLeaf::new(position.leaf),
            links_end: layer.links.len(),
        });
    }

    /// Sorts the layers, drops duplicates and finds the children of the links.
    ///
    /// # Errors
    /// [`TooLarge`] above 2³² − 2 positions or links.
    pub fn finish(self) -> Result<(Graph, BuildReport), TooLarge> {
        let mut report = BuildReport::default();
        let (positions, links) = self
            .layers
            .iter()
            .fold((0, 0), |(positions, links), layer| {
                (positions + layer.records.len(), links + layer.links.len())
            });
        TooLarge::check(positions, "positions")?;
        TooLarge::check(links, "links")?;
        let mut graph = Graph {
            boards: Vec::with_capacity(positions),
            nodes: Vec::with_capacity(positions),
            leaves: Vec::with_capacity(positions),
            offsets: Vec::with_capacity(positions + 1),
            edges: Vec::with_capacity(links),
            layers: Vec::new(),
            seed: Seed::random(),
        };
        graph.offsets.push(0);
        for layer in self.layers {
            report.duplicates += graph.add_layer(layer);
        }
        graph.index_layers();
        report.without_child = graph.find_children();
        Ok((graph, report))
    }
}

impl Gathered {
    /// The records' places in the order of the graph, without the weaker of equal boards, and where the passes begin.
    fn order(&self) -> (Vec<u32>, usize) {
        let key = |(place, record): (usize, &Record)| {
            let board = record.board;
            (board.board().must_pass(), board, place as u32)
        };
        let mut keys: Vec<_> = self.records.par_iter().enumerate().map(key).collect();
        if !keys.is_sorted() {
            keys.par_sort_unstable();
        }
        keys.dedup_by(|later, kept| {
            let same = later.1 == kept.1;
            if same && self.strength(later.2) >= self.strength(kept.2) {
                kept.2 = later.2;
            }
            same
        });
        let passes = keys.partition_point(|(pass, _, _)| !pass);
        (
            keys.into_iter().map(|(_, _, place)| place).collect(),
            passes,
        )
    }

    fn strength(&self, place: u32) -> Strength {
        let Record { board, node, .. } = &self.records[place as usize];
        Strength::new(node.engine(), node.level(), board.board().empties() as u8)
    }

    fn links(&self, place: u32) -> &[Edge] {
        let place = place as usize;
        let start = place
            .checked_sub(1)
            .map_or(0, |before| self.records[before].links_end);
        &self.links[start..self.records[place].links_end]
    }
}

impl Graph {
    /// Appends a layer and returns how many duplicates it had.
    fn add_layer(&mut self, layer: Gathered) -> u64 {
        let start = self.len();
        let (order, passes) = layer.order();
        let records = || {
            order
                .par_iter()
                .map(|place| &layer.records[*place as usize])
        };
        self.boards.par_extend(records().map(|record| record.board));
        self.nodes.par_extend(records().map(|record| record.node));
        self.leaves.par_extend(records().map(|record| record.leaf));
        for place in &order {
            self.edges.extend_from_slice(layer.links(*place));
            self.offsets.push(self.edges.len() as u32);
        }
        self.layers.push(Layer {
            start,
            passes: start + passes,
            end: self.len(),
            index: Index::default(),
        });
        (layer.records.len() - order.len()) as u64
    }
}
