//! Converts any book into Edax's form, so that it meets all of Edax's demands.

use super::demands::{self, Demand, Moves};
use super::{Loss, Losses, count_other_engines, has_all_numbers};
use crate::arena::Edit;
use crate::link::link;
use crate::negamax::{Scoring, negamax};
use crate::passes::restore_passes;
use crate::{Graph, LinkTo, NodeId, TooLarge};
use foldhash::{HashMap, HashSet};
use obook_model::levels::MAX_LEVEL;
use obook_model::{Engine, Leaf, RuleSet};
use obook_othello::{CanonicalBoard, Move};
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
    pub rules: RuleSet,
    /// The fallback for missing leaves.
    pub missing_leaf: MissingLeaf,
    /// The level of positions without one.
    pub assumed_level: u8,
    /// The error of midgame searches, in discs.
    pub midgame_error: i32,
    /// The error of selective searches to the end, in discs.
    pub endcut_error: i32,
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
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EdaxError {
    /// The book is too large.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// The book doesn't meet Edax's demands.
    #[error(transparent)]
    Refused(#[from] Refused),
}

/// Positions that don't meet Edax's demands.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
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
/// A book that follows Edax's rules and meets its demands stays as it is. Any other book is converted:
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
/// Returns [`Refused`] if the book still doesn't meet Edax's demands, or [`TooLarge`]. The graph is then useless.
pub fn to_edax(graph: &mut Graph, options: &EdaxOptions) -> Result<Losses, EdaxError> {
    let mut losses = Losses::default();
    losses.add(Loss::Engines, count_other_engines(graph, Engine::Edax));
    if options.rules == RuleSet::Edax && has_all_numbers(graph) {
        let mut wrong: Vec<NodeId> = demands::check(graph).map(|(id, _)| id).collect();
        if wrong.is_empty() {
            return Ok(losses);
        }
        wrong.dedup();
        losses.add(Loss::Mended, wrong.len() as u64);
    }

    let without_move = boards_without_move(graph);
    if options.rules != RuleSet::Edax {
        restore_passes(graph)?;
    }
    // Linking drops leaves that may still be needed.
    let leaves: Vec<Option<Leaf>> = graph.ids().map(|id| graph.leaf(id)).collect();
    link(graph)?;

    let mut folding = Folding::new(graph, &leaves, options);
    losses.add(Loss::DemotedLinks, folding.choose(&without_move));
    let edits = folding.edits(&mut losses);
    let gone = folding.gone;
    graph.apply(&edits, Engine::Edax);
    if gone.contains(&true) {
        let (nothing, _) = Graph::builder().finish()?;
        graph.revise(|_, id| !gone[id.index()], &nothing)?;
    }
    graph.retain_links(|_, _, link| link.child.is_some());

    let values: Vec<Option<i16>> = graph.ids().map(|id| graph.value(id)).collect();
    negamax(
        graph,
        Scoring::Edax {
            midgame_error: options.midgame_error,
            endcut_error: options.endcut_error,
        },
    );
    let changed = graph
        .ids()
        .zip(values)
        .filter(|(id, before)| before.is_some() && graph.value(*id) != *before);
    losses.add(Loss::Values, changed.count() as u64);

    let unmet: Vec<(NodeId, Demand)> = demands::check(graph).collect();
    if unmet.is_empty() {
        return Ok(losses);
    }
    let named = unmet.iter().take(NAMED);
    let is_missing_leaf = |(_, demand): &(_, Demand)| matches!(demand, Demand::MissingLeaf(_));
    Err(EdaxError::Refused(Refused {
        count: unmet.len() as u64,
        first: named
            .map(|(id, demand)| (graph.board(*id), *demand))
            .collect(),
        lacks_leaves: unmet.iter().any(is_missing_leaf),
        missing_leaf: options.missing_leaf,
    }))
}

/// The boards of the book in which the side to move can't place a disc.
fn boards_without_move(graph: &Graph) -> HashSet<CanonicalBoard> {
    (0..graph.len())
        .into_par_iter()
        .map(|place| graph.board(graph.id(place)))
        .filter(|board| board.board().legal_moves().is_empty())
        .collect()
}

/// A linked book in which some positions become leaves of their parents.
struct Folding<'a> {
    graph: &'a Graph,
    /// The leaves before linking.
    leaves: &'a [Option<Leaf>],
    options: &'a EdaxOptions,
    /// For each position whether its leaf is a legal move out of the book.
    leads_out: Vec<bool>,
    /// For each position whether it goes.
    gone: Vec<bool>,
}

/// A move that could be a position's leaf.
#[derive(Clone, Copy)]
struct Candidate {
    leaf: Leaf,
    /// The child, if the book has it.
    child: Option<NodeId>,
}

impl<'a> Folding<'a> {
    fn new(graph: &'a Graph, leaves: &'a [Option<Leaf>], options: &'a EdaxOptions) -> Folding<'a> {
        let mut folding = Folding {
            graph,
            leaves,
            options,
            leads_out: Vec::new(),
            gone: Vec::new(),
        };
        let leads_out = folding.ids().map(|id| folding.leaf_leads_out(id));
        folding.leads_out = leads_out.collect();
        folding
    }
}

/// Step 2: which positions go.
impl Folding<'_> {
    /// Chooses the positions that go. Returns how many go because their link is demoted. `without_move` are the boards without
    /// a move that the source has.
    fn choose(&mut self, without_move: &HashSet<CanonicalBoard>) -> u64 {
        self.gone = self
            .ids()
            .map(|id| self.is_leaf_of_its_parents(id))
            .collect();
        let mut demoted = 0;
        if self.options.missing_leaf != MissingLeaf::Stop {
            self.fold_behind_passes();
        }
        if self.options.missing_leaf == MissingLeaf::Demote {
            demoted = self.replace_links(Self::worst_child);
        }
        if self.gone.contains(&true) {
            self.drop_unreached_views(without_move);
        }
        demoted
    }

    /// Whether a position is only the score of a move that leads to it. Pass positions and finished games are more than that.
    fn is_leaf_of_its_parents(&self, id: NodeId) -> bool {
        self.can_move(id)
            && self.leaf(id).is_none()
            && (self.graph.links(id).len() == 0 || self.is_score_of_a_pass(id))
    }

    /// The position's own leaf, if it is a legal move out of the book.
    fn leaf(&self, id: NodeId) -> Option<Leaf> {
        self.leaves[id.index()].filter(|_| self.leads_out[id.index()])
    }

    fn leaf_leads_out(&self, id: NodeId) -> bool {
        let mv = self.leaves[id.index()].and_then(|leaf| leaf.mv);
        let child = mv.and_then(|mv| self.graph.board(id).board().play(mv));
        let Some(child) = child else { return false };
        match self.graph.find(child.canonical()) {
            None => true,
            Some(child) => self.is_score_of_a_pass(child),
        }
    }

    /// Whether a position may have come from an Edax pass position whose leaf is the pass: no lines are counted below it, even if
    /// the book has some of its children.
    fn is_score_of_a_pass(&self, id: NodeId) -> bool {
        self.options.rules != RuleSet::Edax
            && self.graph.lines(id) == Some(1)
            && self.leaves[id.index()].is_none()
            && self.is_after_pass(id)
    }

    /// Lets positions after passes go if they or their parents lack a leaf.
    fn fold_behind_passes(&mut self) {
        let after_passes: Vec<NodeId> = self
            .ids()
            .filter(|id| self.lacks_a_leaf(*id) && self.may_fold_behind_pass(*id))
            .collect();
        for id in after_passes {
            self.gone[id.index()] = true;
        }
        self.replace_links(|folding, id| {
            let children = folding.graph.links(id).filter_map(|link| link.child);
            children
                .filter(|child| folding.may_fold_behind_pass(*child))
                .max_by_key(|child| folding.score_for_parent(*child))
        });
    }

    fn may_fold_behind_pass(&self, id: NodeId) -> bool {
        self.leaf(id).is_none() && self.is_after_pass(id) && self.score_for_parent(id).is_some()
    }

    /// Lets a child of every position go that lacks a leaf, as `choose` decides. Returns how many.
    fn replace_links(&mut self, choose: impl Fn(&Self, NodeId) -> Option<NodeId>) -> u64 {
        let mut replaced = 0;
        // Parents first, because a position that goes needs no leaf.
        for id in self.graph.ids().rev() {
            if !self.lacks_a_leaf(id) {
                continue;
            }
            if let Some(child) = choose(self, id) {
                self.gone[child.index()] = true;
                replaced += 1;
            }
        }
        replaced
    }

    /// Whether a position stays but Edax would search it: it has no leaf, no child that could become one, and a move that is not
    /// a link.
    fn lacks_a_leaf(&self, id: NodeId) -> bool {
        if self.gone[id.index()] || !self.can_move(id) || self.leaf(id).is_some() {
            return false;
        }
        let mut unlinked = Moves::legal(self.graph.board(id).board());
        for LinkTo { mv, child, .. } in self.graph.links(id) {
            let Some(child) = child else { continue };
            if !self.gone[child.index()] {
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

    /// Lets views without a move go that were only added for positions which are gone.
    fn drop_unreached_views(&mut self, without_move: &HashSet<CanonicalBoard>) {
        let mut added: HashMap<NodeId, bool> = boards_without_move(self.graph)
            .difference(without_move)
            .filter_map(|board| self.graph.find(*board))
            .map(|id| (id, false))
            .collect();
        if added.is_empty() {
            return;
        }
        for id in self.graph.ids().filter(|id| !self.gone[id.index()]) {
            for child in self.graph.links(id).filter_map(|link| link.child) {
                if let Some(reached) = added.get_mut(&child) {
                    *reached = true;
                }
            }
        }
        for (id, reached) in added {
            self.gone[id.index()] |= !reached;
        }
    }

    fn ids(&self) -> impl ParallelIterator<Item = NodeId> {
        let ids = (0..self.graph.len()).into_par_iter();
        ids.map(|place| self.graph.id(place))
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
    fn edits(&self, losses: &mut Losses) -> Vec<Edit> {
        // The positions that became a leaf.
        let used: Vec<AtomicBool> = self.gone.iter().map(|_| AtomicBool::new(false)).collect();
        let chunks: Vec<(Vec<Edit>, Losses)> = (0..self.graph.len().div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let mut losses = Losses::default();
                let places = chunk * CHUNK..self.graph.len().min((chunk + 1) * CHUNK);
                let edits = places.map(|place| self.edit(self.graph.id(place), &used, &mut losses));
                (edits.collect(), losses)
            })
            .collect();
        let mut edits = Vec::with_capacity(self.graph.len());
        for (chunk, more) in chunks {
            edits.extend(chunk);
            *losses += more;
        }
        let is_orphan = |id: &NodeId| {
            self.gone[id.index()] && self.can_move(*id) && !used[id.index()].load(Ordering::Relaxed)
        };
        let orphans = self.graph.ids().filter(is_orphan);
        losses.add(Loss::Orphans, orphans.count() as u64);
        edits
    }

    fn edit(&self, id: NodeId, used: &[AtomicBool], losses: &mut Losses) -> Edit {
        if self.gone[id.index()] {
            return Edit::new(None, None);
        }
        let leaf = self.best_leaf(id, used, losses);
        let level = self.one_level(id, leaf, losses);
        let leaf = leaf.map(|leaf| Leaf {
            level: Some(level),
            engine: Engine::Edax,
            ..leaf
        });
        Edit::new(leaf, Some(level))
    }

    /// The best of the position's own leaf and its children that go; the final score if the game is over.
    fn best_leaf(&self, id: NodeId, used: &[AtomicBool], losses: &mut Losses) -> Option<Leaf> {
        let board = self.graph.board(id).board();
        if board.is_over() {
            return Some(Leaf {
                mv: None,
                score: board.final_score(),
                level: self.graph.leaf(id).and_then(|leaf| leaf.level),
                engine: self.graph.engine(id),
            });
        }
        let own = self.leaf(id).or_else(|| self.value_of_pass(id));
        if own.is_none() && self.options.missing_leaf == MissingLeaf::Stop && !board.must_pass() {
            return None;
        }
        let mut best = own.map(|leaf| Candidate { leaf, child: None });
        let mut count = u64::from(own.is_some());
        let mut children = Vec::new();
        for link in self.graph.links(id) {
            let child = link.child.filter(|child| self.gone[child.index()]);
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
        let level = self
            .graph
            .level(child)
            .max(of_leaf.and_then(|leaf| leaf.level));
        let leaf = Leaf {
            mv: Some(mv),
            score,
            level,
            engine: self.graph.engine(child),
        };
        let child = Some(child);
        Some(Candidate { leaf, child })
    }

    /// Whether a child may replace the position's own leaf. A position after a pass may be only the score of that pass. Then it
    /// counts for a parent by another move only if that parent's value comes from it.
    fn may_replace_leaf(&self, id: NodeId, candidate: Candidate) -> bool {
        let after_pass = candidate
            .child
            .is_some_and(|child| self.is_after_pass(child));
        !after_pass
            || self
                .graph
                .value(id)
                .is_some_and(|value| self.explains(id, value, candidate))
    }

    /// Whether only this candidate explains a position's value.
    fn explains(&self, id: NodeId, value: i16, candidate: Candidate) -> bool {
        let score = i16::from(candidate.leaf.score);
        let others = self
            .graph
            .links(id)
            .filter(|link| link.child != candidate.child)
            .filter_map(|link| self.graph.value(link.child?));
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
