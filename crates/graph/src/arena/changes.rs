//! The differences between two states of a graph.

use super::{Edge, Graph, Node, NodeId, PackedLeaf, edge_range};
use obook_othello::{Leaf, Link, NoLeaf, Position};
use rayon::prelude::*;
use smallvec::SmallVec;

/// The numbers, links and leaves of a graph at an earlier time. Takes half the memory of the graph.
#[derive(Debug)]
pub struct Before {
    nodes: Vec<Node>,
    leaves: Vec<PackedLeaf>,
    offsets: Vec<u32>,
    edges: Vec<Edge>,
}

/// Which parts of a position differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Differs {
    /// The numbers, including the level, or the remark about a missing leaf.
    pub numbers: bool,
    /// The level, its engine, or the remark about a missing leaf: what can't be computed.
    pub level: bool,
    /// The moves or scores of the links, in any order.
    pub links: bool,
    /// The moves of the links.
    pub moves: bool,
    /// The leaf.
    pub leaf: bool,
}

/// A position's numbers, its leaf, the remark about a missing one, and its links.
type Parts<'p> = (&'p Node, Option<Leaf>, Option<NoLeaf>, &'p [Edge]);

impl Differs {
    /// Every part differs, as for a new position.
    pub const ALL: Differs = Differs {
        numbers: true,
        level: true,
        links: true,
        moves: true,
        leaf: true,
    };

    /// Compares two records of one board.
    #[must_use]
    pub fn between(old: &Position, new: &Position) -> Differs {
        let edges = |position: &Position| -> SmallVec<[Edge; 8]> {
            let edge = |link: &Link| Edge::new(link.mv, link.score, None);
            position.links.iter().map(edge).collect()
        };
        Differs::of(
            (&Node::new(old), old.leaf, old.no_leaf, &edges(old)[..]),
            (&Node::new(new), new.leaf, new.no_leaf, &edges(new)[..]),
        )
    }

    fn of(old: Parts<'_>, new: Parts<'_>) -> Differs {
        let level = |(node, _, no_leaf, _): Parts<'_>| (node.level(), node.engine(), no_leaf);
        Differs {
            numbers: old.0 != new.0 || old.2 != new.2,
            level: level(old) != level(new),
            links: !same(old.3, new.3, |edge| (edge.mv(), edge.score())),
            moves: !same(old.3, new.3, |edge| edge.mv()),
            leaf: old.1 != new.1,
        }
    }

    /// Whether any part differs.
    #[must_use]
    pub fn any(self) -> bool {
        self != Differs::default()
    }
}

impl Graph {
    /// Remembers the present state for [`Graph::since`]. Until then no position may be added or removed.
    #[must_use]
    pub fn remember(&self) -> Before {
        Before {
            nodes: self.nodes.clone(),
            leaves: self.leaves.clone(),
            offsets: self.offsets.clone(),
            edges: self.edges.clone(),
        }
    }

    /// Compares every position with its earlier state. The results are in the order of the [`NodeId`]s.
    ///
    /// # Panics
    /// Panics if the number of positions is not the same.
    #[must_use]
    pub fn since(&self, before: &Before) -> Vec<Differs> {
        assert_eq!(self.len(), before.nodes.len(), "no position came or went");
        let differs = |id: NodeId| {
            let place = id.index();
            let (old, new) = (before.leaves[place], self.leaves[place]);
            let (old_edges, edges) = (before.edges(place), self.edges(place));
            Differs::of(
                (&before.nodes[place], old.get(), old.no_leaf(), old_edges),
                (&self.nodes[place], new.get(), new.no_leaf(), edges),
            )
        };
        self.in_parallel(0..self.len()).map(differs).collect()
    }
}

impl Before {
    /// The leaf that the position had.
    #[must_use]
    pub fn leaf(&self, id: NodeId) -> Option<Leaf> {
        self.leaves[id.index()].get()
    }

    fn edges(&self, place: usize) -> &[Edge] {
        &self.edges[edge_range(&self.offsets, place)]
    }
}

/// Whether the links agree in what `says` returns, in any order.
fn same<T: PartialEq>(one: &[Edge], other: &[Edge], says: impl Fn(&Edge) -> T) -> bool {
    let has = |edge: &Edge| other.iter().any(|other| says(other) == says(edge));
    one.len() == other.len() && one.iter().all(has)
}

#[cfg(test)]
mod tests {
    use super::*;
    use obook_othello::{Board, Engine, Move};

    fn graph(change: impl FnOnce(&mut Position)) -> Graph {
        let link = |code, score| Link {
            mv: Move::from_code(code).unwrap(),
            score,
        };
        let mut position = Position::new(Board::START.canonical(), Engine::Edax);
        position.links.extend([link(19, Some(1)), link(26, None)]);
        change(&mut position);
        let positions = [Ok::<_, super::super::TooLarge>(position)];
        Graph::from_positions(positions).unwrap().0
    }

    #[test]
    fn every_part_is_compared() {
        let before = graph(|_| {}).remember();
        let differs = |change: fn(&mut Position)| graph(change).since(&before)[0];
        let [numbers, level, links, moves, leaf] = [true; 5];
        let none = Differs::default();
        assert_eq!(differs(|_| {}), none);
        assert_eq!(differs(|position| position.links.reverse()), none);
        let numbers = Differs { numbers, ..none };
        assert_eq!(differs(|position| position.value = Some(0)), numbers);
        let level = Differs { level, ..numbers };
        assert_eq!(differs(|position| position.level = Some(0)), level);
        assert_eq!(
            differs(|position| position.engine = Engine::Egaroucid),
            level
        );
        assert_eq!(
            differs(|position| position.no_leaf = Some(NoLeaf::Undefined)),
            level
        );
        let links = Differs { links, ..none };
        assert_eq!(differs(|position| position.links[0].score = Some(2)), links);
        let moves = Differs { moves, ..links };
        assert_eq!(differs(|position| position.links.truncate(1)), moves);
        let leaf = Differs { leaf, ..none };
        let set_leaf = |position: &mut Position| {
            position.leaf = Some(Leaf {
                mv: None,
                score: 0,
                level: None,
                engine: Engine::Edax,
            });
        };
        assert_eq!(differs(set_leaf), leaf);
    }
}
