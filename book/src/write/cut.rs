//! Cutting a book: choosing the positions to keep, and turning the best links to the others into leaves.
//!
//! A dropped link becomes its position's leaf if it beats the leaf, so no kept position loses value by the rules that
//! count leaves.

use crate::read::lookup::{left_the_book, positions_on};
use crate::write::rewrite::{LinkedBook, Report, Target, rewrite};
use crate::{Context, Error, Result};
use obook_graph::negamax::negamax;
use obook_graph::passes::views;
use obook_graph::{Graph, NodeId, Selection};
use obook_model::{Leaf, NoLeaf, PERSON_LEVEL, RuleSet};
use obook_othello::Line;
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
    /// The positions to keep, in a book that is linked and computed. `book_depth` is the depth in its header.
    ///
    /// With Egaroucid's rules a linked pass position stays if the position after the pass does, because those rules
    /// know only the latter.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn kept(
        &self,
        graph: &Graph,
        rules: RuleSet,
        book_depth: Option<i32>,
    ) -> Result<Selection, Refused> {
        let depth = |given: Option<u8>| {
            let book_depth = book_depth.map(|depth| depth.clamp(0, ALL_PLIES.into()) as u8);
            given.or(book_depth).unwrap_or(ALL_PLIES)
        };
        let root = |line: &Line, depth: u8| {
            let root = graph.find(line.board().canonical()).ok_or_else(|| {
                let known = |board: &_| graph.find(*board).is_some();
                let known = positions_on(line).take_while(known).count();
                Refused::NotInBook {
                    line: line.clone(),
                    known,
                }
            })?;
            match plies(graph, root) {
                plies if plies > depth => Err(Refused::TooDeep { plies, depth }),
                _ => Ok(root),
            }
        };
        let start = Line::new();
        let mut kept = match self {
            Cut::Prune { depth: given } => {
                let depth = depth(*given);
                by_best_play_of_one_side(graph, root(&start, depth)?, depth)
            }
            Cut::Subtree { from, depth: given } => {
                let depth = depth(*given);
                by_any_links(graph, root(from, depth)?, depth)
            }
            Cut::Reachable => by_any_links(graph, root(&start, ALL_PLIES)?, ALL_PLIES),
            Cut::Reduce {
                from,
                depth,
                losses,
            } => within_losses(graph, root(from, *depth)?, *depth, *losses),
            Cut::Depth(depth) => Selection::matching(graph, |id| plies(graph, id) <= *depth),
        };
        if rules != RuleSet::Edax {
            keep_other_views(graph, &mut kept);
        }
        Ok(kept)
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

/// Why a book can't be cut.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refused {
    /// The position to start from is not in the book.
    #[error(
        "the position after {line} is not in the book, which has the first {known} positions of the line"
    )]
    NotInBook {
        /// The line that leads there.
        line: Line,
        /// How many positions of the line are in the book.
        known: usize,
    },
    /// The cut would remove the position to start from.
    #[error(
        "the position to start from is {plies} plies from the start position, and nothing stays beyond {depth}"
    )]
    TooDeep {
        /// Its distance from the start position in plies.
        plies: u8,
        /// The requested depth.
        depth: u8,
    },
}

impl Refused {
    fn of(self, path: &Path) -> Error {
        match self {
            Refused::NotInBook { line, known } => left_the_book(path, &line, known),
            Refused::TooDeep { plies, depth } => Error::TooDeep {
                path: path.to_owned(),
                plies,
                depth,
            },
        }
    }
}

/// Keeps linked pass positions and finished games whose other view is kept: for Egaroucid the two are one position.
fn keep_other_views(graph: &Graph, kept: &mut Selection) {
    for id in graph.ids() {
        if !kept.contains(id) {
            continue;
        }
        for child in graph.links(id).filter_map(|link| link.child) {
            if kept.contains(child) || !graph.board(child).board().legal_moves().is_empty() {
                continue;
            }
            let other = graph.board(child).board().passed().canonical();
            if graph.find(other).is_some_and(|other| kept.contains(other)) {
                kept.insert(child);
            }
        }
    }
}

/// The effect of a [`Cut`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Counts {
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
/// use obook_book::write::cut::{Cut, cut};
/// use obook_book::write::{Target, import::import};
/// use obook_book::{Book, Context, IfExists, NewBook, Store};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/edax/games.dat");
/// # let folder = tempfile::tempdir()?;
/// # let book = folder.path().join("games.obook");
/// let context = Context::new("test");
/// let file = Book::open(file.as_ref(), &context)?;
/// import(file, NewBook::create(&book, IfExists::Refuse, &context)?)?;
/// let mut store = Store::open_for_writing(&book, &context)?;
/// let report = cut(Target::InPlace(&mut store), &Cut::Depth(20), &context)?;
/// let counts = report.counts;
/// assert_eq!((counts.kept, counts.removed, counts.depth), (682, 1565, Some(20)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the book can't be read, is damaged, or lacks the position to start from; and if the target can't be written. Everything is then as before.
pub fn cut(target: Target<'_>, cut: &Cut, context: &Context) -> Result<Report<Counts>> {
    let progress = context.progress();
    rewrite(target, context, |path, book| {
        let LinkedBook {
            graph,
            header,
            rules,
        } = book;
        progress.step("choosing", None);
        let kept = cut
            .kept(graph, header.rules, header.header.depth())
            .map_err(|refused| refused.of(path))?;
        let links = drop_links(graph, &kept, header.rules);
        negamax(graph, rules);
        if let Some(depth) = cut.new_depth() {
            header.header.set_depth(depth.into());
        }
        let count = kept.count();
        let counts = Counts {
            kept: count as u64,
            removed: (graph.len() - count) as u64,
            links,
            depth: header.header.depth(),
        };
        Ok((counts, kept))
    })
}

/// The side to move may play any link, its opponent only the best.
const ANY: u8 = 1;
/// The side to move may play only the best links, its opponent any.
const BEST: u8 = 2;

/// The plies from the start position: discs placed since, without passes.
fn plies(graph: &Graph, id: NodeId) -> u8 {
    60u8.saturating_sub(graph.board(id).board().empties() as u8)
}

/// Positions that any links reach, down to `depth` plies from the start position.
fn by_any_links(graph: &Graph, root: NodeId, depth: u8) -> Selection {
    sweep(graph, root, depth, |_, _, _| ANY)
}

/// Positions reached while one side, either of them, plays links as good as the best, leaf included, and the other
/// side plays any.
fn by_best_play_of_one_side(graph: &Graph, root: NodeId, depth: u8) -> Selection {
    sweep(graph, root, depth, |state, score, value| {
        let as_good = score.is_some() && score.map(i16::from) >= value;
        let after_best = if state & BEST != 0 && as_good { ANY } else { 0 };
        let after_any = if state & ANY != 0 { BEST } else { 0 };
        after_any | after_best
    })
}

/// Sweeps the positions below the root. Given a position's state, a link's score and the position's value, `step`
/// returns the state in which the child is reached, or 0 if it isn't. Parents come after their children in a graph,
/// so one sweep from the root down visits every position after all that lead to it.
fn sweep(
    graph: &Graph,
    root: NodeId,
    depth: u8,
    step: impl Fn(u8, Option<i8>, Option<i16>) -> u8,
) -> Selection {
    let mut kept = Selection::none(graph);
    let mut states = vec![0; root.index() + 1];
    states[root.index()] = ANY | BEST;
    for place in (0..=root.index()).rev() {
        let id = graph.id(place);
        let state = states[place];
        if state == 0 || plies(graph, id) > depth {
            continue;
        }
        kept.insert(id);
        let value = graph.value(id);
        for link in graph.links(id) {
            if let Some(child) = link.child {
                states[child.index()] |= step(state, link.score, value);
            }
        }
    }
    kept
}

/// How many discs the moves of a line may lose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Losses {
    /// Maximum loss of one move against the best one.
    pub per_move: u8,
    /// Maximum total loss of all moves of a line, by both sides.
    pub per_line: u8,
}

/// The positions that lines within these losses lead to, down to `depth` plies from the start position, and all that
/// can't be reached from the root.
///
/// A position's budget is the most that any way to it leaves. Parents come after their children in a graph, so the budget is
/// known when the sweep reaches the position.
fn within_losses(graph: &Graph, root: NodeId, depth: u8, losses: Losses) -> Selection {
    let per_move = i32::from(losses.per_move);
    let reachable = by_any_links(graph, root, u8::MAX);
    let mut budgets: Vec<Option<i32>> = vec![None; root.index() + 1];
    budgets[root.index()] = Some(losses.per_line.into());
    for place in (0..=root.index()).rev() {
        let id = graph.id(place);
        let (Some(budget), Some(value)) = (budgets[place], graph.value(id)) else {
            continue;
        };
        for link in graph.links(id) {
            let (Some(child), Some(score)) = (link.child, link.score) else {
                continue;
            };
            let loss = i32::from(value) - i32::from(score);
            if loss <= per_move.min(budget) && plies(graph, child) <= depth {
                let left = &mut budgets[child.index()];
                *left = (*left).max(Some(budget - loss));
            }
        }
    }
    let within = |id: NodeId| budgets.get(id.index()).is_some_and(Option::is_some);
    Selection::matching(graph, |id| within(id) || !reachable.contains(id))
}

/// The effect of [`drop_links`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct DroppedLinks {
    /// Links from kept to removed positions.
    pub links_dropped: u64,
    /// Positions without a leaf that got one of these links as their leaf.
    pub leaves_gained: u64,
    /// Positions whose leaf was beaten by one of these links.
    pub leaves_replaced: u64,
}

/// A link that becomes its position's leaf.
struct NewLeaf {
    of: NodeId,
    child: NodeId,
    leaf: Leaf,
}

/// Drops the links to removed positions. The best of a position's becomes its leaf, with the child's level, if it
/// beats the current leaf. So no kept position loses value.
///
/// Of equally good links the first becomes the leaf: in an Edax file that is Edax's own order and choice; a database
/// has the smaller move first; Egaroucid takes the first one that it visits. With Edax's rules a position has the
/// level of its leaf, so the level changes too, unless a person entered either value.
pub fn drop_links(graph: &mut Graph, kept: &Selection, rules: RuleSet) -> DroppedLinks {
    let new: Vec<(NewLeaf, bool)> = (0..graph.len())
        .into_par_iter()
        .map(|place| graph.id(place))
        .filter(|id| kept.contains(*id))
        .filter_map(|id| new_leaf(graph, kept, id))
        .collect();
    let mut dropped = DroppedLinks::default();
    for (NewLeaf { of, child, leaf }, replaces) in new {
        if replaces {
            dropped.leaves_replaced += 1;
        } else {
            dropped.leaves_gained += 1;
        }
        graph.set_leaf(of, leaf);
        // An entered value stands for no search, and only for itself.
        let searched = |level: Option<u8>| level != Some(PERSON_LEVEL);
        let levels = [leaf.level, graph.level(of)];
        if rules == RuleSet::Edax && leaf.level.is_some() && levels.into_iter().all(searched) {
            graph.set_level(of, graph.engine(child), leaf.level);
        }
    }
    let untrue: Vec<NodeId> = (0..graph.len())
        .into_par_iter()
        .map(|place| graph.id(place))
        .filter(|id| kept.contains(*id) && loses_a_move(graph, kept, *id))
        .collect();
    untrue.into_iter().for_each(|id| graph.forget_no_leaf(id));
    let stays = |id: Option<NodeId>| id.is_some_and(|id| kept.contains(id));
    dropped.links_dropped = (0..graph.len())
        .into_par_iter()
        .map(|place| graph.id(place))
        .filter(|id| kept.contains(*id))
        .map(|id| graph.links(id).filter(|link| !stays(link.child)).count() as u64)
        .sum();
    if dropped.links_dropped > 0 {
        graph.retain_links(|_, _, link| stays(link.child));
    }
    dropped
}

/// Whether all moves were said to be in the book, and one of them no longer is.
fn loses_a_move(graph: &Graph, kept: &Selection, id: NodeId) -> bool {
    let goes = |board| graph.find(board).is_some_and(|it| !kept.contains(it));
    let mut children = graph.board(id).board().children();
    graph.no_leaf(id) == Some(NoLeaf::AllMovesInBook)
        && children.any(|(_, child)| views(child).any(goes))
}

/// The best link to a removed position if it beats the leaf, and whether there was a leaf.
fn new_leaf(graph: &Graph, kept: &Selection, id: NodeId) -> Option<(NewLeaf, bool)> {
    let links = graph.links(id);
    let going = links.filter_map(|link| {
        let child = link.child.filter(|child| !kept.contains(*child))?;
        Some((link.score?, link.mv, child))
    });
    let (score, mv, child) = going.min_by_key(|(score, _, _)| Reverse(*score))?;
    let old = graph.leaf(id);
    let beaten = old.is_none_or(|old| score > old.score);
    let leaf = Leaf {
        mv: Some(mv),
        score,
        level: graph.level(child),
        engine: graph.engine(child),
    };
    let of = id;
    beaten.then_some((NewLeaf { of, child, leaf }, old.is_some()))
}
