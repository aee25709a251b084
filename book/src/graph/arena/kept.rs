//! Which positions of a graph stay.

use super::NodeId;

/// A choice of some of the positions of a [`Graph`](super::Graph).
///
/// ```
/// use obook_book::graph::{Graph, Kept};
/// use obook_converters::{Engine, Position};
/// use obook_othello::Board;
///
/// let mut builder = Graph::builder();
/// builder.push(Position::new(Board::START.canonical(), Engine::Edax));
/// let (graph, _) = builder.finish()?;
/// let start = graph.find(Board::START.canonical()).unwrap();
/// let mut kept = Kept::none(&graph);
/// assert!(!kept.contains(start));
/// kept.insert(start);
/// assert_eq!(kept, Kept::all(&graph));
/// # Ok::<(), obook_book::graph::TooLarge>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kept(Vec<bool>);

impl Kept {
    /// All positions.
    #[must_use]
    pub fn all(graph: &super::Graph) -> Kept {
        Kept(vec![true; graph.len()])
    }

    /// None of the positions.
    #[must_use]
    pub fn none(graph: &super::Graph) -> Kept {
        Kept(vec![false; graph.len()])
    }

    /// Those that `keep` approves.
    #[must_use]
    pub fn those(graph: &super::Graph, keep: impl Fn(NodeId) -> bool) -> Kept {
        Kept(graph.ids().map(keep).collect())
    }

    /// Whether a position stays.
    #[must_use]
    pub fn contains(&self, id: NodeId) -> bool {
        self.0[id.index()]
    }

    /// Lets a position stay.
    pub fn insert(&mut self, id: NodeId) {
        self.0[id.index()] = true;
    }

    /// How many stay.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.iter().filter(|kept| **kept).count()
    }
}
