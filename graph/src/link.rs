//! Finds every move that leads from a position of the book to another one.

use crate::Progress;
use crate::{Graph, TooLarge};

/// What [`link`] changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct LinkReport {
    /// Links that were missing.
    pub added: u64,
    /// Links whose child is not in the book, whose move is not legal, or that stood there twice.
    pub removed: u64,
    /// Leaves whose move is a link.
    pub leaves_dropped: u64,
}

impl std::ops::AddAssign for LinkReport {
    fn add_assign(&mut self, other: LinkReport) {
        self.added += other.added;
        self.removed += other.removed;
        self.leaves_dropped += other.leaves_dropped;
    }
}

/// Gives every position the links that it should have: one for each legal move, the pass included, whose child is in
/// the book.
///
/// Links that were right stay in their order, with their scores; a new one follows them with the score that its child's
/// value gives. A position that is symmetric to itself gets a link for each of its symmetric moves, as Edax keeps them.
/// A leaf whose move is a link is no leaf any more.
///
/// ```
/// use obook_graph::Graph;
/// use obook_graph::link::{LinkReport, link};
/// use obook_model::{Engine, Leaf, Link, Position};
/// use obook_othello::{Board, Move};
///
/// let board = Board::START.canonical();
/// let moves: Vec<Move> = Board::START.moves().collect();
/// let mut start = Position::new(board, Engine::Edax);
/// start.leaf = Some(Leaf { mv: Some(moves[0]), score: 0, level: None, engine: Engine::Edax });
/// start.links.push(Link { mv: moves[1], score: None });
/// start.links.push(Link { mv: Move::Pass, score: None });
/// let child = Board::START.play(moves[0]).unwrap().canonical();
///
/// let positions = [start, Position::new(child, Engine::Edax)];
/// let (mut graph, _) = Graph::from_positions(positions.map(Ok::<_, obook_graph::TooLarge>))?;
/// let report = link(&mut graph)?;
/// assert_eq!(report, LinkReport { added: 3, removed: 1, leaves_dropped: 1 });
/// # Ok::<(), obook_graph::TooLarge>(())
/// ```
///
/// # Errors
/// [`TooLarge`] above 2³² − 2 links; the graph is then as it was.
pub fn link(graph: &mut Graph) -> Result<LinkReport, TooLarge> {
    graph.relink(&Progress::hidden())
}

/// As [`link`], told position by position.
///
/// # Errors
/// As [`link`].
pub fn link_shown(graph: &mut Graph, progress: &Progress) -> Result<LinkReport, TooLarge> {
    progress.step("linking", Some(graph.len() as u64));
    graph.relink(progress)
}
