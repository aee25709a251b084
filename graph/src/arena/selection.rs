//! Some of the positions of a graph: those that stay, or those that a command is about.

use super::NodeId;

/// A choice of some of the positions of a [`Graph`](super::Graph).
///
/// ```
/// use obook_graph::{Graph, Selection};
/// use obook_model::{Engine, Position};
/// use obook_othello::Board;
///
/// let mut builder = Graph::builder();
/// builder.push(Position::new(Board::START.canonical(), Engine::Edax));
/// let (graph, _) = builder.finish()?;
/// let start = graph.find(Board::START.canonical()).unwrap();
/// let mut kept = Selection::none(&graph);
/// assert!(!kept.contains(start));
/// kept.insert(start);
/// assert_eq!(kept, Selection::all(&graph));
/// # Ok::<(), obook_graph::TooLarge>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selection(Vec<bool>);

impl Selection {
    /// All positions.
    #[must_use]
    pub fn all(graph: &super::Graph) -> Selection {
        Selection(vec![true; graph.len()])
    }

    /// None of the positions.
    #[must_use]
    pub fn none(graph: &super::Graph) -> Selection {
        Selection(vec![false; graph.len()])
    }

    /// Those for which `is_in` says so.
    #[must_use]
    pub fn matching(graph: &super::Graph, is_in: impl Fn(NodeId) -> bool) -> Selection {
        Selection(graph.ids().map(is_in).collect())
    }

    /// Whether a position is one of them.
    #[must_use]
    pub fn contains(&self, id: NodeId) -> bool {
        self.0[id.index()]
    }

    /// Adds a position.
    pub fn insert(&mut self, id: NodeId) {
        self.0[id.index()] = true;
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.iter().filter(|is_in| **is_in).count()
    }
}
