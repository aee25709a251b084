//! Converts any book into Edax's form, so that it meets all of Edax's demands.

use super::demands::{self, Demand, Moves};
use super::to_egaroucid::board_of_leaf;
use super::{Loss, Losses, Survey, compute_and_compare};
use crate::arena::batches;
use crate::link::link_beside_leaves;
use crate::negamax::Scoring;
use crate::passes::restore_passes;
use crate::slabs::{self, ADDED, Slab, Slabs};
use crate::{Graph, LinkTo, NodeId};
use obook_base::Progress;
use obook_othello::levels::MAX_LEVEL;
use obook_othello::{CanonicalBoard, Engine, Leaf, Move, final_leaf};
use rayon::prelude::*;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// Positions that a thread takes at a time.
const CHUNK: usize = 1 << 12;
/// The number of positions that an error names.
const NAMED: usize = 3;

/// How to make an Edax book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EdaxOptions {
    /// The rules that the source's numbers follow.
    pub rules: Scoring,
    /// The fallback for missing leaves.
    pub missing_leaf: MissingLeaf,
    /// The level of positions without one.
    pub assumed_level: u8,
    /// The rules for the new book's numbers: Edax's.
    pub new_rules: Scoring,
}

impl EdaxOptions {
    /// Whether the source follows Edax's rules.
    fn is_edax(&self) -> bool {
        matches!(self.rules, Scoring::Edax { .. })
    }
}

/// The fallback for a position that has neither a leaf nor a link for each legal move. Edax demands one or the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MissingLeaf {
    /// Refuse, and name the positions.
    Stop,
    /// Use the best child that can't be a position. If there is none, turn a position after a pass, which lacks a leaf itself,
    /// into a leaf of its parents, as in Edax's own books. Otherwise refuse.
    #[default]
    Fold,
    /// As [`MissingLeaf::Fold`], but instead of refusing turn the worst link into the leaf. Its child leaves the book, because
    /// linking the book again would otherwise bring the link back. The positions below the child stay.
    Demote,
}

/// Why there is no Edax book.
#[derive(Debug, thiserror::Error)]
pub enum EdaxError {
    /// The book is too large, or a temporary file fails.
    #[error(transparent)]
    Slabs(#[from] slabs::Error),
    /// The book doesn't meet Edax's demands.
    #[error(transparent)]
    Refused(#[from] Refused),
}

/// Positions that don't meet Edax's demands.
#[derive(Clone, PartialEq, Eq, Debug, Default, thiserror::Error)]
pub struct Refused {
    /// The number of demands that aren't met.
    pub count: u64,
    /// The first few of them, each with its board.
    pub first: Vec<(CanonicalBoard, Demand)>,
    /// Whether any position lacks a leaf. A search may find it, or another [`MissingLeaf`] choose one.
    pub lacks_leaves: bool,
    /// The treatment of missing leaves.
    pub missing_leaf: MissingLeaf,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let positions = match self.count {
            1 => "position doesn't",
            _ => "positions don't",
        };
        write!(f, "{} {positions} meet Edax's demands", self.count)?;
        for (board, demand) in &self.first {
            write!(f, "\n{}: {demand}", board.board().to_text())?;
        }
        if self.count > self.first.len() as u64 {
            f.write_str("\n…")?;
        }
        Ok(())
    }
}

/// Converts a book into Edax's form.
///
/// A book that follows Edax's rules, meets its demands and has one level for each position and its leaf stays as it is, but for
/// numbers that allow for other errors. Any other book is converted:
///
/// 1. It gets pass positions, and a link for every move to a position of the book.
/// 2. Some positions go, and become leaves of their parents: those without a child or leaf, and others if a leaf is missing
///    (see [`MissingLeaf`]).
/// 3. Every position that stays gets one level, and the best of its leaves.
/// 4. All numbers are computed by Edax's rules.
///
/// Levels keep their number, on Edax's scale.
///
/// # Errors
/// Returns [`Refused`] if the book still doesn't meet Edax's demands, or [`slabs::Error`]. The book is then useless.
pub fn to_edax(book: &mut Slabs, options: &EdaxOptions) -> Result<Losses, EdaxError> {
    if !options.is_edax() {
        restore_passes(book)?;
    }
    let mut losses = Losses::default();
    let survey = Survey::of(book, Engine::Edax, &mut losses)?;
    if options.is_edax() && survey.has_all_numbers {
        let (mut wrong, mut has_one_level) = (0, true);
        book.scan(|slab| {
            let graph = slab.graph();
            let mut ids: Vec<NodeId> = demands::check(graph).map(|(id, _)| id).collect();
            ids.dedup();
            wrong += ids.len() as u64;
            has_one_level &= graph.unfrozen().all(|id| leaf_has_its_level(graph, id));
        })?;
        if wrong == 0 && survey.proofs == 0 && has_one_level {
            return match options.rules == options.new_rules {
                true => Ok(losses),
                false => compute(book, options, losses),
            };
        }
        losses.add(Loss::Mended, wrong);
    }

    book.sweep_up(|slab| {
        slab.graph_mut().restrict_proofs(|_| None);
        // Leaves that linking drops may still be needed.
        link_beside_leaves(slab.graph_mut(), &Progress::hidden())?;
        mark_scores(slab, options);
        Ok(())
    })?;
    if options.missing_leaf != MissingLeaf::Stop {
        book.sweep_down(|slab| {
            fold_behind_passes(slab, options);
            Ok(())
        })?;
    }
    if options.missing_leaf == MissingLeaf::Demote {
        let mut demoted = 0;
        book.sweep_down(|slab| {
            demoted += Folding::new(slab, options).replace_links(Folding::worst_child);
            Ok(())
        })?;
        losses.add(Loss::DemotedLinks, demoted);
    }
    book.sweep_down(|slab| fold(slab, options, &mut losses))?;
    compute(book, options, losses)
}

/// Whether a position's leaf, if it has a level of its own, has that of the position.
fn leaf_has_its_level(graph: &Graph, id: NodeId) -> bool {
    let of_leaf = graph.leaf(id).and_then(|leaf| leaf.level);
    of_leaf.is_none_or(|level| graph.level(id) == Some(level))
}

/// Step 4: computes the book, and checks Edax's demands.
fn compute(
    book: &mut Slabs,
    options: &EdaxOptions,
    mut losses: Losses,
) -> Result<Losses, EdaxError> {
    let mut refused = Refused {
        missing_leaf: options.missing_leaf,
        ..Refused::default()
    };
    book.sweep_up(|slab| {
        let graph = slab.graph_mut();
        compute_and_compare(graph, options.new_rules, &mut losses);
        for (id, demand) in demands::check(graph) {
            refused.count += 1;
            refused.lacks_leaves |= matches!(demand, Demand::MissingLeaf(_));
            if refused.first.len() < NAMED {
                refused.first.push((graph.board(id), demand));
            }
        }
        Ok(())
    })?;
    match refused.count {
        0 => Ok(losses),
        _ => Err(refused.into()),
    }
}

/// The leaf of a position is a legal move out of the book.
const LEADS_OUT: u8 = 2;
/// The position goes.
const GONE: u8 = 4;
/// The position goes as soon as it is known of all positions which ones go without it.
const GOES_NEXT: u8 = 8;
/// A position that stays has a link to this position.
const REACHED: u8 = 16;
/// A position that goes has a link to this position.
const LEFT: u8 = 64;
/// The position became a leaf.
const USED: u8 = 32;

/// The new leaf and level of a position.
type Edit = (Option<Leaf>, Option<u8>);

/// A linked slab in which some positions become leaves of their parents. Linking kept the leaves.
struct Folding<'a> {
    graph: &'a Graph,
    marks: &'a mut [u8],
    options: &'a EdaxOptions,
}

/// A move that could be a position's leaf.
#[derive(Clone, Copy)]
struct Candidate {
    leaf: Leaf,
    /// The child, if the book has it.
    child: Option<NodeId>,
}

/// Marks the positions that go because they are only scores of moves that lead to them.
fn mark_scores(slab: &mut Slab, options: &EdaxOptions) {
    let mut folding = Folding::new(slab, options);
    folding.mark(LEADS_OUT, Folding::leaf_leads_out);
    folding.mark(GONE, Folding::is_leaf_of_its_parents);
    folding.mark(GOES_NEXT, |folding, id| {
        folding.lacks_a_leaf(id) && folding.may_fold_behind_pass(id)
    });
}

/// Lets positions after passes go if they or their parents lack a leaf.
fn fold_behind_passes(slab: &mut Slab, options: &EdaxOptions) {
    let mut folding = Folding::new(slab, options);
    for marks in &mut *folding.marks {
        *marks |= if *marks & GOES_NEXT != 0 { GONE } else { 0 };
    }
    folding.replace_links(|folding, id| {
        let children = folding.graph.links(id).filter_map(|link| link.child);
        let children = children.filter(|child| folding.may_fold_behind_pass(*child));
        children.max_by_key(|child| folding.score_for_parent(*child))
    });
}

/// Turns positions into leaves of their parents.
fn fold(slab: &mut Slab, options: &EdaxOptions, losses: &mut Losses) -> slabs::Result<()> {
    let mut folding = Folding::new(slab, options);
    folding.drop_unreached_views();
    let edits = folding.edits(losses);
    slab.restructure(|graph, marks| {
        let stays = |id: NodeId| marks[id.index()] & GONE == 0;
        graph.apply(&edits, Engine::Edax);
        graph.retain_links(|_, _, link| link.child.is_some_and(stays));
        graph.remove(|_, id| !stays(id))?;
        Ok(())
    })
}

impl<'a> Folding<'a> {
    fn new(slab: &'a mut Slab, options: &'a EdaxOptions) -> Folding<'a> {
        let (graph, marks) = slab.graph_and_marks();
        Folding {
            graph,
            marks,
            options,
        }
    }
}

/// Step 2: which positions go.
impl Folding<'_> {
    /// Marks the positions of which this is so.
    fn mark(&mut self, mark: u8, is_so: impl Fn(&Self, NodeId) -> bool + Sync) {
        let this = &*self;
        let found: Vec<bool> = this.graph.unfrozen().map(|id| is_so(this, id)).collect();
        let own = &mut self.marks[self.graph.unfrozen_places()];
        for (marks, found) in own.iter_mut().zip(found) {
            *marks |= if found { mark } else { 0 };
        }
    }

    fn is_marked(&self, id: NodeId, mark: u8) -> bool {
        self.marks[id.index()] & mark != 0
    }

    /// Whether a position is only the score of a move that leads to it. Pass positions and finished games are more than that.
    fn is_leaf_of_its_parents(&self, id: NodeId) -> bool {
        self.can_move(id)
            && self.leaf(id).is_none()
            && (self.graph.links(id).len() == 0 || self.is_score_of_a_pass(id))
    }

    /// The position's own leaf, if it is a legal move out of the book.
    fn leaf(&self, id: NodeId) -> Option<Leaf> {
        let leaf = self.graph.leaf(id);
        leaf.filter(|_| self.is_marked(id, LEADS_OUT))
    }

    fn leaf_leads_out(&self, id: NodeId) -> bool {
        board_of_leaf(self.graph, id).is_some_and(|(board, _)| {
            let child = self.graph.find(board);
            child.is_none_or(|child| self.is_score_of_a_pass(child))
        })
    }

    /// Whether a position may have come from an Edax pass position whose leaf is the pass: no lines are counted below it, even if
    /// the book has some of its children.
    fn is_score_of_a_pass(&self, id: NodeId) -> bool {
        !self.options.is_edax()
            && self.graph.lines(id) == Some(1)
            && self.graph.leaf(id).is_none()
            && self.is_after_pass(id)
    }

    fn may_fold_behind_pass(&self, id: NodeId) -> bool {
        self.leaf(id).is_none() && self.is_after_pass(id) && self.score_for_parent(id).is_some()
    }

    /// Lets a child of every position go that lacks a leaf, as `choose` decides. Returns how many.
    fn replace_links(&mut self, choose: impl Fn(&Self, NodeId) -> Option<NodeId>) -> u64 {
        let mut replaced = 0;
        // Parents first, because a position that goes needs no leaf.
        for id in self.graph.unfrozen_ids().rev() {
            if !self.lacks_a_leaf(id) {
                continue;
            }
            if let Some(child) = choose(self, id) {
                self.marks[child.index()] |= GONE;
                replaced += 1;
            }
        }
        replaced
    }

    /// Whether a position stays but Edax would search it: it has no leaf, no child that could become one, and a move that is not
    /// a link.
    fn lacks_a_leaf(&self, id: NodeId) -> bool {
        if self.is_marked(id, GONE) || !self.can_move(id) || self.leaf(id).is_some() {
            return false;
        }
        let mut unlinked = Moves::legal(self.graph.board(id).board());
        for LinkTo { mv, child, .. } in self.graph.links(id) {
            let Some(child) = child else { continue };
            if !self.is_marked(child, GONE) {
                unlinked.remove(mv);
            } else if self.score_for_parent(child).is_some() {
                return false;
            }
        }
        !unlinked.is_empty()
    }

    /// The child with the worst score for a position.
    fn worst_child(&self, id: NodeId) -> Option<NodeId> {
        let children = self.graph.links(id).filter_map(|link| link.child);
        let scored = children.filter_map(|child| Some((self.score_for_parent(child)?, child)));
        let (_, worst) = scored.min_by_key(|(score, _)| *score)?;
        Some(worst)
    }

    /// Lets views without a move go that only positions which are gone lead to, if [`restore_passes_by`] added them now or, as
    /// all pass positions beside the position after the pass, when the book was imported.
    fn drop_unreached_views(&mut self) {
        if self.options.is_edax() || self.marks.iter().all(|marks| marks & GONE == 0) {
            return;
        }
        for id in self.graph.unfrozen_ids() {
            let reached = match self.is_marked(id, GONE) {
                true => LEFT,
                false => REACHED,
            };
            for child in self.graph.links(id).filter_map(|link| link.child) {
                self.marks[child.index()] |= reached;
            }
        }
        for (id, marks) in self.graph.ids().zip(&mut *self.marks) {
            let is_added = || {
                let board = self.graph.board(id).board();
                *marks & ADDED != 0
                    || board.must_pass() && self.graph.find(board.passed().canonical()).is_some()
            };
            if *marks & (LEFT | REACHED) == LEFT && is_added() {
                *marks |= GONE;
            }
        }
    }

    fn can_move(&self, id: NodeId) -> bool {
        !self.graph.board(id).board().legal_moves().is_empty()
    }

    /// Whether the book has the pass position before this position.
    fn is_after_pass(&self, id: NodeId) -> bool {
        let before = self.graph.board(id).board().passed();
        before.must_pass() && self.graph.find(before.canonical()).is_some()
    }

    /// The score of a position as the leaf of its parents, if a leaf can hold its value.
    fn score_for_parent(&self, child: NodeId) -> Option<i8> {
        i8::try_from(self.graph.value(child)?).ok()?.checked_neg()
    }
}

/// Step 3: the leaf and the level of each position that stays.
impl Folding<'_> {
    /// Chooses a leaf and a level for every position.
    fn edits(&mut self, losses: &mut Losses) -> Vec<Edit> {
        // The positions that became a leaf.
        let used: Vec<AtomicBool> = self.marks.iter().map(|_| AtomicBool::new(false)).collect();
        let own = self.graph.unfrozen_places();
        let this = &*self;
        let chunks: Vec<(Vec<Edit>, Losses)> = batches(own.clone(), CHUNK)
            .map(|places| {
                let mut losses = Losses::default();
                let edits = places.map(|place| this.edit(this.graph.id(place), &used, &mut losses));
                (edits.collect(), losses)
            })
            .collect();
        let mut edits = Vec::with_capacity(own.len());
        for (chunk, more) in chunks {
            edits.extend(chunk);
            *losses += more;
        }
        for (marks, used) in self.marks.iter_mut().zip(used) {
            *marks |= if used.into_inner() { USED } else { 0 };
        }
        let this = &*self;
        let orphans = this.graph.count_unfrozen(|id| {
            this.is_marked(id, GONE) && !this.is_marked(id, USED) && this.can_move(id)
        });
        losses.add(Loss::Orphans, orphans);
        edits
    }

    fn edit(&self, id: NodeId, used: &[AtomicBool], losses: &mut Losses) -> Edit {
        if self.is_marked(id, GONE) {
            return (None, None);
        }
        let leaf = self.best_leaf(id, used, losses);
        let level = self.one_level(id, leaf, losses);
        let leaf = leaf.map(|leaf| Leaf {
            level: Some(level),
            engine: Engine::Edax,
            ..leaf
        });
        (leaf, Some(level))
    }

    /// The best of the position's own leaf and its children that go; the final score if the game is over.
    fn best_leaf(&self, id: NodeId, used: &[AtomicBool], losses: &mut Losses) -> Option<Leaf> {
        let board = self.graph.board(id).board();
        if board.is_over() {
            let level = self.graph.leaf(id).and_then(|leaf| leaf.level);
            return Some(final_leaf(board, level, self.graph.engine(id)));
        }
        let own = self.leaf(id).or_else(|| self.value_of_pass(id));
        if own.is_none() && self.options.missing_leaf == MissingLeaf::Stop && !board.must_pass() {
            return None;
        }
        let mut best = own.map(|leaf| Candidate { leaf, child: None });
        let mut count = u64::from(own.is_some());
        let mut children = Vec::new();
        for link in self.graph.links(id) {
            let child = link.child.filter(|child| self.is_marked(*child, GONE));
            let Some(candidate) = child.and_then(|child| self.candidate(link.mv, child)) else {
                continue;
            };
            // Symmetric moves lead to the same child.
            if children.contains(&candidate.child) {
                continue;
            }
            children.push(candidate.child);
            count += 1;
            let better = best.is_none_or(|best| candidate.leaf.score > best.leaf.score);
            if better && (own.is_none() || self.may_replace_leaf(id, candidate)) {
                best = Some(candidate);
            }
        }
        losses.add(Loss::CrowdedMoves, count.saturating_sub(1));
        if let Some(child) = best.and_then(|best| best.child) {
            used[child.index()].store(true, Ordering::Relaxed);
        }
        best.map(|best| best.leaf)
    }

    /// The value of a pass position as its leaf, if the book lacks the position after the pass.
    fn value_of_pass(&self, id: NodeId) -> Option<Leaf> {
        let alone = self.graph.links(id).len() == 0 && self.graph.board(id).board().must_pass();
        let value = self.graph.value(id).filter(|_| alone)?;
        Some(Leaf {
            mv: Some(Move::Pass),
            score: i8::try_from(value).ok()?,
            level: self.graph.level(id),
            engine: self.graph.engine(id),
        })
    }

    /// A child that goes, as a leaf.
    fn candidate(&self, mv: Move, child: NodeId) -> Option<Candidate> {
        let score = self.score_for_parent(child)?;
        // The value comes from a search of the child, or from its leaf if that has the same score.
        let of_leaf = self.leaf(child);
        let of_leaf = of_leaf.filter(|leaf| leaf.score.checked_neg() == Some(score));
        let level_of_leaf = of_leaf.and_then(|leaf| leaf.level);
        let leaf = Leaf {
            mv: Some(mv),
            score,
            level: self.graph.level(child).max(level_of_leaf),
            engine: self.graph.engine(child),
        };
        let child = Some(child);
        Some(Candidate { leaf, child })
    }

    /// Whether a child may replace the position's own leaf. A position after a pass may be only the score of that pass. Then it
    /// counts for a parent by another move only if that parent's value comes from it.
    fn may_replace_leaf(&self, id: NodeId, candidate: Candidate) -> bool {
        let child = candidate.child;
        let after_pass = child.is_some_and(|child| self.is_after_pass(child));
        let value = self.graph.value(id);
        !after_pass || value.is_some_and(|value| self.explains(id, value, candidate))
    }

    /// Whether only this candidate explains a position's value.
    fn explains(&self, id: NodeId, value: i16, candidate: Candidate) -> bool {
        let score = i16::from(candidate.leaf.score);
        let links = self.graph.links(id);
        let others = links.filter(|link| link.child != candidate.child);
        let others = others.filter_map(|link| self.graph.value(link.child?));
        value >= score && others.map(|value| -value).all(|other| other < score)
    }

    /// Edax has one level for a position and its leaf: that of the search behind the leaf.
    fn one_level(&self, id: NodeId, leaf: Option<Leaf>, losses: &mut Losses) -> u8 {
        let own = self.graph.level(id);
        let of_leaf = leaf.and_then(|leaf| leaf.level);
        if own.is_some() && of_leaf.is_some() && own != of_leaf {
            losses.add(Loss::LeafLevels, 1);
        }
        let Some(level) = of_leaf.or(own) else {
            losses.add(Loss::AssumedLevels, 1);
            return self.options.assumed_level.min(MAX_LEVEL);
        };
        if level > MAX_LEVEL {
            losses.add(Loss::LevelsAbove60, 1);
        }
        level.min(MAX_LEVEL)
    }
}
