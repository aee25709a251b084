//! Finds every move that leads from a position of the book to another one.

use crate::graph::{Graph, TooLarge};

/// What [`link`] changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
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
/// # Errors
/// [`TooLarge`] above 2³² − 2 links; the graph is then as it was.
pub fn link(graph: &mut Graph) -> Result<LinkReport, TooLarge> {
    graph.relink()
}
