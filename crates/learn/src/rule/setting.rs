//! The setting of a rule, and its walk through a book.

use crate::search::as_strong_as;
use crate::{Chosen, Played, Want};
use obook_graph::slabs::{Error, Slabs};
use obook_graph::{Graph, NodeId};
use obook_othello::levels::{MAX_LEVEL, Strength, of_leaf};
use obook_othello::{Board, CanonicalBoard, Engine, Leaf};
use std::collections::HashSet;

/// The choice of a rule; `None` if it begins at the root and the book lacks that.
pub(crate) type Choice = Result<Option<Vec<Chosen>>, Error>;

/// The setting in which a rule chooses.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// The beginning of lines: the start position, or the end of a line.
    pub root: CanonicalBoard,
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

impl Setting<'_> {
    /// Whether lines continue below a board: its game is not over, and one more disc is not too many.
    pub(crate) fn goes_on(&self, board: Board) -> bool {
        board.empties() >= u32::from(61u8.saturating_sub(self.depth)) && !board.is_over()
    }

    /// A board that the book lacks, at the level of the stage, if the book may hold it: it is not beyond the depth.
    pub(crate) fn missing(&self, board: CanonicalBoard) -> Option<Chosen> {
        let has_room = board.board().empties() >= u32::from(60u8.saturating_sub(self.depth));
        has_room.then(|| Chosen::new(board, Want::Position, None))
    }

    /// Edax's expansion of a position: what its leaf leads to becomes a position, too, at the same level.
    pub(crate) fn expansion(&self, book: &Graph, id: NodeId) -> Option<Chosen> {
        let child = child_of_leaf(book, id)?;
        let level = book.leaf(id).and_then(|leaf| self.level_of(book, id, leaf));
        Some(Chosen::new(child, Want::Position, level))
    }

    /// The level of the search behind a position's leaf, or the lowest level of the stage's engine that is as strong; `None` if it is
    /// unknown or not a search.
    pub(crate) fn level_of(&self, book: &Graph, id: NodeId, leaf: Leaf) -> Option<u8> {
        let level = of_leaf(leaf, book.level(id), book.engine(id));
        let level = level.filter(|level| *level <= MAX_LEVEL)?;
        if leaf.engine == self.engine {
            return Some(level);
        }
        let board = book.board(id);
        Some(as_strong_as((leaf.engine, level), self.engine, 0, board))
    }

    /// Another search of a position's leaf, if one at the level of the stage is stronger than the one behind it.
    pub(crate) fn deepening(&self, book: &Graph, id: NodeId) -> Option<Chosen> {
        // The score of a game that is over needs no search.
        let leaf = book.leaf(id).filter(|leaf| leaf.mv.is_some())?;
        let board = book.board(id);
        let empties = board.board().empties() as u8;
        let level = of_leaf(leaf, book.level(id), book.engine(id));
        let own = Strength::new(leaf.engine, level, empties);
        let wanted = Strength::new(self.engine, Some(self.level), empties);
        let is_weaker = wanted.searches_more_than(own);
        is_weaker.then(|| Chosen::new(board, Want::Leaf, None))
    }
}

/// Whether a position's leaf is worth as much as the position, or more. By Egaroucid's rules values come from links alone.
pub(crate) fn has_best_leaf(book: &Graph, id: NodeId) -> bool {
    let leaf = book.leaf(id).map(|leaf| i16::from(leaf.score));
    leaf.is_some() && leaf >= book.value(id)
}

/// The children of a position that have a value, with it.
pub(crate) fn replies(book: &Graph, id: NodeId) -> impl Iterator<Item = (NodeId, i16)> {
    let children = book.links(id).filter_map(|link| link.child);
    children.filter_map(|child| Some((child, book.value(child)?)))
}

/// The position after a leaf, unless it is in the book.
pub(crate) fn child_of_leaf(book: &Graph, id: NodeId) -> Option<CanonicalBoard> {
    let mv = book.leaf(id)?.mv?;
    let child = book.board(id).child(mv)?;
    book.find(child).is_none().then_some(child)
}

/// Visits the root and the positions below it, as far as lines may be longer: each once, after all its parents. Returns what `visit`
/// chooses.
///
/// `visit` gets a slab of the book and a position in it, what its parents left for it, and a slice with a place for each position
/// below. It leaves something there for the positions to be reached from here; those with the default are not visited. Parents come
/// after their children in a graph, so one sweep does it, however many paths lead to a position.
pub(crate) fn down<S: Copy + Default + PartialEq>(
    book: &mut Slabs,
    setting: &Setting<'_>,
    with: S,
    visit: impl FnMut(&Graph, NodeId, S, &mut [S]) -> Option<Chosen>,
) -> Choice {
    down_from(book, setting, &[(setting.root, with)], |_| (), visit)
}

/// As [`down`], also below other boards than the root, as far as the book holds them. One that is below another finds in its place
/// what it begins with. After each slab, `sift` may drop what is not wanted.
pub(crate) fn down_from<S: Copy + Default + PartialEq>(
    book: &mut Slabs,
    setting: &Setting<'_>,
    from: &[(CanonicalBoard, S)],
    mut sift: impl FnMut(&mut Vec<Chosen>),
    mut visit: impl FnMut(&Graph, NodeId, S, &mut [S]) -> Option<Chosen>,
) -> Choice {
    let mut chosen = Vec::new();
    let mut has_root = false;
    book.sweep_down_from(from, |slab, left| {
        let graph = slab.graph();
        has_root |= graph.find(setting.root).is_some();
        for at in graph.unfrozen_places().rev() {
            let (below, here) = left.split_at_mut(at);
            if here[0] == S::default() {
                continue;
            }
            let id = graph.id(at);
            if setting.goes_on(graph.board(id).board()) {
                chosen.extend(visit(graph, id, here[0], below));
            }
        }
        sift(&mut chosen);
        Ok(())
    })?;
    Ok(has_root.then_some(chosen))
}

/// As [`down`], along all links. Expands the positions for which `is_wanted` holds.
pub(crate) fn expand_all(
    book: &mut Slabs,
    setting: &Setting<'_>,
    is_wanted: impl Fn(&Graph, NodeId) -> bool,
) -> Choice {
    down(book, setting, true, |book, id, _, below| {
        for child in book.links(id).filter_map(|link| link.child) {
            below[child.index()] = true;
        }
        is_wanted(book, id).then(|| setting.expansion(book, id))?
    })
}

/// The result of `look` for each of these boards, in the slab that holds a board if the book does.
pub(crate) fn look_up<T: Clone + Default>(
    book: &mut Slabs,
    boards: &[CanonicalBoard],
    mut look: impl FnMut(&Graph, CanonicalBoard) -> T,
) -> Result<Vec<T>, Error> {
    let layer = |board: CanonicalBoard| board.board().empties() as usize;
    let layers: HashSet<usize> = boards.iter().map(|board| layer(*board)).collect();
    let mut found = vec![T::default(); boards.len()];
    book.scan_layers(
        |empties| layers.contains(&empties),
        |slab| {
            let layers = slab.layers();
            for (board, found) in boards.iter().zip(&mut found) {
                if layers.contains(&layer(*board)) {
                    *found = look(slab.graph(), *board);
                }
            }
        },
    )?;
    Ok(found)
}
