//! The input of a rule, and its walk through a book.

use crate::search::as_strong_as;
use crate::{Chosen, Played, Want};
use obook_graph::negamax::Scoring;
use obook_graph::{Graph, NodeId};
use obook_model::levels::{MAX_LEVEL, Strength, of_leaf};
use obook_model::{Engine, Leaf};
use obook_othello::{Board, CanonicalBoard};
use obook_store::Lost;

/// The input of a rule.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The book, fixed.
    pub book: &'a Graph,
    /// The beginning of lines: the start position, or the end of a line.
    pub root: CanonicalBoard,
    /// The rules of its values, with the errors that they allow for.
    pub scoring: Scoring,
    /// The greatest number of discs placed on a line, the leaf's included: positions with fewer empty squares than 61 − depth get no
    /// children.
    pub depth: u8,
    /// The level of the stage, on the scale of
    pub level: u8,
    /// this engine.
    pub engine: Engine,
    /// How often the rule was asked before: some take turns between the two sides.
    pub turn: u64,
    /// The games of the book's owner.
    pub played: &'a Played,
}

impl Place<'_> {
    /// Whether lines continue below a board: its game is not over, and one more disc is not too many.
    pub(crate) fn goes_on(&self, board: Board) -> bool {
        board.empties() >= u32::from(61u8.saturating_sub(self.depth)) && !board.is_over()
    }

    /// Whether a board may be a position of the book: it is not beyond the depth.
    pub(crate) fn has_room_for(&self, board: Board) -> bool {
        board.empties() >= u32::from(60u8.saturating_sub(self.depth))
    }

    /// A board that should be searched.
    pub(crate) fn chosen(&self, board: CanonicalBoard, want: Want, level: Option<u8>) -> Chosen {
        Chosen {
            board,
            want,
            level,
            // Results near the root decide what is wanted below it.
            priority: board.board().empties().into(),
        }
    }

    /// A board that the book lacks and may hold, at the level of the stage.
    pub(crate) fn missing(&self, board: CanonicalBoard) -> Option<Chosen> {
        let is_missing = self.book.find(board).is_none() && self.has_room_for(board.board());
        is_missing.then(|| self.chosen(board, Want::Position, None))
    }

    /// Whether a position's leaf is worth as much as the position, or more. By Egaroucid's rules values come from links alone.
    pub(crate) fn has_best_leaf(&self, id: NodeId) -> bool {
        let leaf = self.book.leaf(id).map(|leaf| i16::from(leaf.score));
        leaf.is_some() && leaf >= self.book.value(id)
    }

    /// The position after a leaf, unless it is in the book.
    pub(crate) fn child_of_leaf(&self, id: NodeId) -> Option<CanonicalBoard> {
        let mv = self.book.leaf(id)?.mv?;
        let child = self.book.board(id).board().play(mv)?.canonical();
        self.book.find(child).is_none().then_some(child)
    }

    /// Edax's expansion of a position: what its leaf leads to becomes a position, too, at the same level.
    pub(crate) fn expansion(&self, id: NodeId) -> Option<Chosen> {
        let child = self.child_of_leaf(id)?;
        let level = self.book.leaf(id).and_then(|leaf| self.level_of(id, leaf));
        Some(self.chosen(child, Want::Position, level))
    }

    /// The level of the search behind a position's leaf, or the lowest level of the stage's engine that is as strong; `None` if it is
    /// unknown or not a search.
    pub(crate) fn level_of(&self, id: NodeId, leaf: Leaf) -> Option<u8> {
        let level = of_leaf(leaf, self.book.level(id), self.book.engine(id));
        let level = level.filter(|level| *level <= MAX_LEVEL)?;
        if leaf.engine == self.engine {
            return Some(level);
        }
        let engine = leaf.engine;
        let board = self.book.board(id);
        Some(as_strong_as(Lost { level, engine }, self.engine, 0, board))
    }

    /// Whether a search at the level of the stage is stronger than the one behind a position's leaf.
    pub(crate) fn is_weaker(&self, id: NodeId, leaf: Leaf) -> bool {
        let empties = self.book.board(id).board().empties() as u8;
        let level = of_leaf(leaf, self.book.level(id), self.book.engine(id));
        let own = Strength::new(leaf.engine, level, empties);
        let wanted = Strength::new(self.engine, Some(self.level), empties);
        // The score of a game that is over needs no search.
        leaf.mv.is_some() && wanted.searches_more_than(own)
    }
}

/// Visits a position and the positions below it, as far as lines may be longer: each once, after all its parents.
///
/// `visit` gets a position, what its parents left for it, and a slice with a place for each position below. It leaves something
/// there for the positions to be reached from here; those with the default are not visited. Parents come after their children
/// in a graph, so one sweep does it, however many paths lead to a position.
pub(crate) fn down<S: Copy + Default + PartialEq>(
    place: &Place<'_>,
    from: NodeId,
    with: S,
    visit: impl FnMut(NodeId, S, &mut [S]),
) {
    down_from(place, &[(from, with)], visit);
}

/// As [`down`], below several positions. One that is below another finds in its place what it begins with.
pub(crate) fn down_from<S: Copy + Default + PartialEq>(
    place: &Place<'_>,
    from: &[(NodeId, S)],
    mut visit: impl FnMut(NodeId, S, &mut [S]),
) {
    let book = place.book;
    let last = from.iter().map(|(id, _)| id.index()).max();
    let mut left = vec![S::default(); last.map_or(0, |last| last + 1)];
    for (id, with) in from {
        left[id.index()] = *with;
    }
    for at in (0..left.len()).rev() {
        let (below, here) = left.split_at_mut(at);
        if here[0] == S::default() {
            continue;
        }
        let id = book.id(at);
        if place.goes_on(book.board(id).board()) {
            visit(id, here[0], below);
        }
    }
}

/// As [`down`], along all links.
pub(crate) fn down_all(place: &Place<'_>, from: NodeId, mut visit: impl FnMut(NodeId)) {
    down(place, from, true, |id, _, below| {
        visit(id);
        for child in place.book.links(id).filter_map(|link| link.child) {
            below[child.index()] = true;
        }
    });
}
