//! Cutting a book: choosing the positions to keep, and turning the best links to the others into leaves.
//!
//! A dropped link becomes its position's leaf if it beats the leaf, so no kept position loses value by the rules that
//! count leaves.

use crate::read::lookup::{known_on, left_the_book};
use crate::write::rewrite::{KEPT, LinkedBook, Report, Target, Work, rewrite};
use crate::{Context, Error, Result};
use obook_converters::Header;
use obook_graph::passes::views;
use obook_graph::slabs::{self, Slab, Slabs};
use obook_graph::{Graph, LinkTo, NodeId};
use obook_othello::{CanonicalBoard, Leaf, Line, NoLeaf, RuleSet, is_entered};
use rayon::prelude::*;
use serde::Serialize;
use std::cmp::Reverse;
use std::path::Path;

/// Which positions to keep.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cut {
    /// Edax's `book prune`: positions that one side can reach from the start position with any moves while the other
    /// side plays moves as good as the best, leaf included; for either side.
    Prune {
        /// Maximum plies from the start position; `None` for the book's depth, if it has one.
        depth: Option<u8>,
    },
    /// Edax's `book subtree`: positions that any links reach from the end of a line.
    Subtree {
        /// The line.
        from: Line,
        /// As in [`Cut::Prune`].
        depth: Option<u8>,
    },
    /// Positions that any links reach from the start position.
    Reachable,
    /// Egaroucid's reduce: of the positions that can be reached from the end of a line, those that small losses lead
    /// to; and all others.
    Reduce {
        /// The line.
        from: Line,
        /// Maximum plies from the start position.
        depth: u8,
        /// How much the moves that lead there may lose.
        losses: Losses,
    },
    /// Positions at most this many plies from the start position.
    Depth(u8),
}

/// More plies than any game has.
const ALL_PLIES: u8 = 60;

impl Cut {
    /// Marks the positions to keep as [`KEPT`], in the book at `path`, which is linked and computed. `book_depth` is the depth in its
    /// header.
    ///
    /// With Egaroucid's rules a linked pass position stays if the position after the pass does, because those rules
    /// know only the latter.
    ///
    /// # Errors
    /// If the book lacks the position to start from, or nothing stays at its depth; and those of temporary files.
    #[doc(hidden)]
    pub fn choose(
        &self,
        path: &Path,
        book: &mut Slabs,
        rules: RuleSet,
        book_depth: Option<i32>,
    ) -> Result<()> {
        let depth = |given: Option<u8>| {
            let book_depth = book_depth.map(|depth| depth.clamp(0, ALL_PLIES.into()) as u8);
            given.or(book_depth).unwrap_or(ALL_PLIES)
        };
        let start = Line::new();
        let marking = Marking {
            path,
            book,
            both_views: rules != RuleSet::Edax,
        };
        let any = |_: u8, _: Option<i8>, _: Option<i16>| ANY;
        match self {
            Cut::Prune { depth: given } => marking.by_links(&start, depth(*given), by_best_play),
            Cut::Subtree { from, depth: given } => marking.by_links(from, depth(*given), any),
            Cut::Reachable => marking.by_links(&start, ALL_PLIES, any),
            Cut::Reduce {
                from,
                depth,
                losses,
            } => marking.within_losses(from, *depth, *losses),
            Cut::Depth(depth) => marking.mark(&[], |graph, id, _: &mut [()]| {
                plies(graph.board(id)) <= *depth
            }),
        }
    }

    /// The depth of the book after the cut, if the cut sets one.
    fn new_depth(&self) -> Option<u8> {
        match self {
            Cut::Prune { depth } | Cut::Subtree { depth, .. } => *depth,
            Cut::Depth(depth) => Some(*depth),
            Cut::Reachable | Cut::Reduce { .. } => None,
        }
    }
}

/// The effect of a [`Cut`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct CutCounts {
    /// Positions kept.
    pub kept: u64,
    /// Positions removed.
    pub removed: u64,
    /// Links dropped from kept positions, and what became of them.
    #[serde(flatten)]
    pub links: DroppedLinks,
    /// The book's depth now, in plies from the start position, if it has one.
    pub depth: Option<i32>,
}

/// Cuts a book: links and computes it, chooses the positions to keep, turns dropped links into leaves if
/// they beat what is there, and computes it again.
///
/// ```
/// use obook::write::cut::{Cut, cut};
/// use obook::write::Target;
/// use obook::{Book, Context};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/games.dat");
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("games.obook");
/// let context = Context::new("test");
/// let mut book = Book::import(file, &path, &context)?;
/// let report = cut(Target::InPlace(&mut book), &Cut::Depth(20), &context)?;
/// let counts = report.counts;
/// assert_eq!((counts.kept, counts.removed, counts.depth), (682, 1565, Some(20)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the book can't be read, is damaged, or lacks the position to start from; and if the target can't be written. Everything is then as before.
pub fn cut(target: Target<'_>, cut: &Cut, context: &Context) -> Result<Report<CutCounts>> {
    let links = DroppedLinks::default();
    rewrite(target, Cutting { cut, links }, context)
}

/// A cut at work.
struct Cutting<'a> {
    cut: &'a Cut,
    links: DroppedLinks,
}

impl Work for Cutting<'_> {
    type Counts = CutCounts;

    fn begin(&mut self, path: &Path, linked: &mut LinkedBook, context: &Context) -> Result<()> {
        context.progress().step("choosing", None);
        let LinkedBook { book, header, .. } = linked;
        let depth = header.header.depth();
        self.cut.choose(path, book, header.rules, depth)?;
        if let Some(depth) = self.cut.new_depth() {
            header.header.set_depth(depth.into());
        }
        Ok(())
    }

    fn change(&mut self, slab: &mut Slab, rules: RuleSet) -> slabs::Result<()> {
        let kept = slab.marked(KEPT);
        self.links += drop_links(slab.graph_mut(), &kept, rules);
        Ok(())
    }

    fn end(self, header: &Header, before: u64, kept: u64) -> CutCounts {
        CutCounts {
            kept,
            removed: before - kept,
            links: self.links,
            depth: header.depth(),
        }
    }
}

/// The plies from the start position: discs placed since, without passes.
fn plies(board: CanonicalBoard) -> u8 {
    60u8.saturating_sub(board.board().empties() as u8)
}

/// The side to move may play any link, its opponent only the best.
const ANY: u8 = 1;
/// The side to move may play only the best links, its opponent any.
const BEST: u8 = 2;

/// How many discs the moves of a line may lose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Losses {
    /// Maximum loss of one move against the best one.
    pub per_move: u8,
    /// Maximum total loss of all moves of a line, by both sides.
    pub per_line: u8,
}

/// The marking of the positions to keep.
struct Marking<'a> {
    path: &'a Path,
    book: &'a mut Slabs,
    /// Whether positions without a move stay if their other view does.
    both_views: bool,
}

impl Marking<'_> {
    /// The position at the end of a line, which must be in the book, and no deeper than `depth`.
    fn root(&mut self, line: &Line, depth: u8) -> Result<CanonicalBoard> {
        let root = line.board().canonical();
        let mut has = |board| self.book.has(board).map_err(Error::of_slabs(self.path));
        if !has(root)? {
            let known = known_on(line, has)?;
            return Err(left_the_book(self.path, line, known));
        }
        match plies(root) {
            plies if plies > depth => Err(Error::TooDeep {
                path: self.path.to_owned(),
                plies,
                depth,
            }),
            _ => Ok(root),
        }
    }

    /// Marks positions that `step` reaches from the end of a line. Given a position's state, a link's score and the position's value,
    /// it returns the state in which the child is reached, or 0 if it isn't.
    fn by_links(
        mut self,
        from: &Line,
        depth: u8,
        step: impl Fn(u8, Option<i8>, Option<i16>) -> u8,
    ) -> Result<()> {
        let root = self.root(from, depth)?;
        self.mark(&[(root, ANY | BEST)], |graph, id, states: &mut [u8]| {
            let state = states[id.index()];
            if state == 0 || plies(graph.board(id)) > depth {
                return false;
            }
            let value = graph.value(id);
            for link in graph.links(id) {
                if let Some(child) = link.child {
                    states[child.index()] |= step(state, link.score, value);
                }
            }
            true
        })
    }

    /// Marks positions that lines within these losses lead to from the end of this one, down to `depth` plies from the start position,
    /// and all that can't be reached from there.
    fn within_losses(mut self, from: &Line, depth: u8, losses: Losses) -> Result<()> {
        let root = self.root(from, depth)?;
        let per_move = i32::from(losses.per_move);
        let to_root = Some(Some(losses.per_line.into()));
        self.mark(&[(root, to_root)], |graph, id, left: &mut [Left]| {
            let Some(budget) = left[id.index()] else {
                return true;
            };
            let value = graph.value(id);
            for LinkTo { score, child, .. } in graph.links(id) {
                let Some(child) = child else { continue };
                let after = || {
                    let budget = budget?;
                    let loss = i32::from(value?) - i32::from(score?);
                    let stays = loss <= per_move.min(budget) && plies(graph.board(child)) <= depth;
                    stays.then_some(budget - loss)
                };
                left[child.index()] = left[child.index()].max(Some(after()));
            }
            budget.is_some()
        })
    }

    /// Marks positions from the start position down. `visit` gets a position after all that lead to it, with the states of all in
    /// its slab, as [`Slabs::sweep_down_from`] keeps them. It changes the states of the position's children, and returns whether the
    /// position is kept.
    fn mark<S: Copy + Default>(
        self,
        from: &[(CanonicalBoard, S)],
        mut visit: impl FnMut(&Graph, NodeId, &mut [S]) -> bool,
    ) -> Result<()> {
        let marked = self.book.sweep_down_from(from, |slab, states| {
            let (graph, marks) = slab.graph_and_marks();
            // Parents come after their children in a graph.
            for place in graph.unfrozen_places().rev() {
                if visit(graph, graph.id(place), states) {
                    marks[place] |= KEPT;
                }
            }
            if self.both_views {
                keep_other_views(graph, marks);
            }
            Ok(())
        });
        marked.map_err(Error::of_slabs(self.path))
    }
}

/// The step of lines in which one side, either of them, plays links as good as the best, leaf included, and the other side plays any.
fn by_best_play(state: u8, score: Option<i8>, value: Option<i16>) -> u8 {
    let as_good = score.is_some() && score.map(i16::from) >= value;
    let after_best = if state & BEST != 0 && as_good { ANY } else { 0 };
    let after_any = if state & ANY != 0 { BEST } else { 0 };
    after_any | after_best
}

/// The most that a line from the root to a position leaves of what it may lose: `None` if there is no such line, and `Some(None)` if
/// every one loses too much or is too long.
type Left = Option<Option<i32>>;

/// The mark of a position without a move to which a kept position links.
const LINKED: u8 = 4;

/// Keeps linked pass positions and finished games whose other view is kept: for Egaroucid the two are one position.
fn keep_other_views(graph: &Graph, marks: &mut [u8]) {
    let is_view = |id: NodeId| graph.board(id).board().legal_moves().is_empty();
    for place in graph.unfrozen_places() {
        if marks[place] & KEPT == 0 {
            continue;
        }
        for child in graph.links(graph.id(place)).filter_map(|link| link.child) {
            if marks[child.index()] & KEPT == 0 && is_view(child) {
                marks[child.index()] |= LINKED;
            }
        }
    }
    for place in graph.unfrozen_places() {
        if marks[place] & (KEPT | LINKED) != LINKED {
            continue;
        }
        let other = graph.board(graph.id(place)).board().passed().canonical();
        let other = graph.find(other);
        if other.is_some_and(|other| marks[other.index()] & KEPT != 0) {
            marks[place] |= KEPT;
        }
    }
}

/// The effect of [`drop_links`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct DroppedLinks {
    /// Links from kept to removed positions.
    pub links_dropped: u64,
    /// Positions without a leaf that got one of these links as their leaf.
    pub leaves_gained: u64,
    /// Positions whose leaf was beaten by one of these links.
    pub leaves_replaced: u64,
}

obook_base::sums! { DroppedLinks { links_dropped, leaves_gained, leaves_replaced } }

/// Drops the links from positions that are not frozen to removed ones. The best of a position's becomes its leaf, with the child's level, if it
/// beats the current leaf. So no kept position loses value.
///
/// Of equally good links the first becomes the leaf: in an Edax file that is Edax's own order and choice; a database
/// has the smaller move first; Egaroucid takes the first one that it visits. With Edax's rules a position has the
/// level of its leaf, so the level changes too, unless a person entered either value.
#[doc(hidden)]
pub fn drop_links(graph: &mut Graph, kept: &[bool], rules: RuleSet) -> DroppedLinks {
    let new = staying(graph, kept).filter_map(|id| new_leaf(graph, kept, id));
    let new: Vec<(NodeId, NodeId, Leaf)> = new.collect();
    let mut dropped = DroppedLinks::default();
    for (of, child, leaf) in new {
        match graph.leaf(of) {
            Some(_) => dropped.leaves_replaced += 1,
            None => dropped.leaves_gained += 1,
        }
        graph.set_leaf(of, leaf);
        // An entered value stands for no search, and only for itself.
        let levels = [leaf.level, graph.level(of)];
        if rules == RuleSet::Edax && leaf.level.is_some() && !levels.into_iter().any(is_entered) {
            graph.set_level(of, graph.engine(child), leaf.level);
        }
    }
    let untrue = staying(graph, kept).filter(|id| loses_a_move(graph, kept, *id));
    let untrue: Vec<NodeId> = untrue.collect();
    untrue.into_iter().for_each(|id| graph.forget_no_leaf(id));
    let stays = |id: Option<NodeId>| id.is_some_and(|id| kept[id.index()]);
    let goes = |link: &LinkTo| !stays(link.child);
    let links = staying(graph, kept).map(|id| graph.links(id).filter(goes).count() as u64);
    dropped.links_dropped = links.sum();
    if dropped.links_dropped > 0 {
        graph.retain_links(|_, _, link| stays(link.child));
    }
    dropped
}

/// The unfrozen positions that stay.
fn staying(graph: &Graph, kept: &[bool]) -> impl ParallelIterator<Item = NodeId> {
    graph.unfrozen().filter(move |id| kept[id.index()])
}

/// Whether all moves were said to be in the book, and one of them no longer is.
fn loses_a_move(graph: &Graph, kept: &[bool], id: NodeId) -> bool {
    let goes = |board| graph.find(board).is_some_and(|it| !kept[it.index()]);
    let mut children = graph.board(id).board().children();
    graph.no_leaf(id) == Some(NoLeaf::AllMovesInBook)
        && children.any(|(_, child)| views(child).any(goes))
}

/// A position, the removed one that its best link to such leads to, and that link as a leaf, if it beats the leaf that is there.
fn new_leaf(graph: &Graph, kept: &[bool], id: NodeId) -> Option<(NodeId, NodeId, Leaf)> {
    let links = graph.links(id);
    let going = links.filter_map(|link| {
        let child = link.child.filter(|child| !kept[child.index()])?;
        Some((link.score?, link.mv, child))
    });
    let (score, mv, child) = going.min_by_key(|(score, _, _)| Reverse(*score))?;
    let is_better = graph.leaf(id).is_none_or(|old| score > old.score);
    let leaf = Leaf {
        mv: Some(mv),
        score,
        level: graph.level(child),
        engine: graph.engine(child),
    };
    is_better.then_some((id, child, leaf))
}
