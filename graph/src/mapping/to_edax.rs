//! Any book into Edax's form, with everything that Edax demands.

use super::demands::{self, Demand, MAX_LEVEL};
use super::to_leaves::{self, Linked, MissingLeaf, is_passed, score_for_parent};
use super::{Loss, Losses};
use crate::link::link;
use crate::negamax::{self, negamax};
use crate::passes::restore_passes;
use crate::{Edit, Graph, NodeId, TooLarge};
use foldhash::HashSet;
use obook_model::RuleSet;
use obook_model::{Engine, Leaf};
use obook_othello::{CanonicalBoard, Move};
use rayon::prelude::*;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// Positions that one thread takes at a time.
const CHUNK: usize = 1 << 12;
/// How many positions an error names.
const NAMED: usize = 3;

/// How to make an Edax book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EdaxOptions {
    /// Whose rules the source's numbers follow.
    pub rules: RuleSet,
    /// What to do where a leaf is missing.
    pub missing_leaf: MissingLeaf,
    /// Level of positions that have none.
    pub assumed_level: u8,
    /// Error of a search that does not reach the end, in discs.
    pub midgame_error: i32,
    /// Error of a selective search to the end, in discs.
    pub endcut_error: i32,
}

/// Why there is no Edax book.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EdaxError {
    /// The book is too large.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// Edax would stumble over the book.
    #[error(transparent)]
    Refused(#[from] Refused),
}

/// Positions that do not meet Edax's demands.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct Refused {
    /// How many demands are not met.
    pub count: u64,
    /// The first of them, and the boards.
    pub first: Vec<(CanonicalBoard, Demand)>,
    /// What was done where a leaf was missing.
    pub missing_leaf: MissingLeaf,
}

impl Refused {
    /// Whether the book lacks a leaf that Edax demands: a search may find it, or another [`MissingLeaf`] choose one.
    #[must_use]
    pub fn lacks_leaves(&self) -> bool {
        let missing = |(_, demand): &(_, Demand)| matches!(demand, Demand::MissingLeaf(_));
        self.first.iter().any(missing)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let positions = if self.count == 1 {
            "position"
        } else {
            "positions"
        };
        write!(f, "Edax would stumble over {} {positions}", self.count)?;
        for (board, demand) in &self.first {
            write!(f, "\n{}: {demand}", board.board().to_text())?;
        }
        if self.count > self.first.len() as u64 {
            f.write_str("\n…")?;
        }
        Ok(())
    }
}

/// Brings a book into Edax's form.
///
/// A book that follows Edax's rules and meets its demands stays as it is. In any other, pass positions are put back;
/// a position with neither child nor leaf becomes a leaf of its parents, and only the best of a position's leaves
/// stays; then all numbers are computed by Edax's rules. Levels keep their number.
///
/// # Errors
/// [`Refused`] where the book lacks what Edax demands, [`TooLarge`]; the graph is then of no use.
pub fn to_edax(graph: &mut Graph, options: &EdaxOptions) -> Result<Losses, EdaxError> {
    let mut losses = Losses::default();
    losses.add(Loss::Engines, count_other_engines(graph, Engine::Edax));
    if options.rules == RuleSet::Edax && has_all_numbers(graph) {
        let wrong = demands::check(graph).map(|(id, _)| id);
        let mut wrong: Vec<NodeId> = wrong.collect();
        if wrong.is_empty() {
            return Ok(losses);
        }
        wrong.dedup();
        losses.add(Loss::Mended, wrong.len() as u64);
    }
    let known = to_leaves::boards_without_a_place(graph);
    if options.rules != RuleSet::Edax {
        restore_passes(graph)?;
    }
    let leaves: Vec<Option<Leaf>> = graph.ids().map(|id| graph.leaf(id)).collect();
    link(graph)?;
    losses += fold(graph, &leaves, &known, options)?;
    let values: Vec<Option<i16>> = graph.ids().map(|id| graph.value(id)).collect();
    negamax(
        graph,
        negamax::Scoring::Edax {
            midgame_error: options.midgame_error,
            endcut_error: options.endcut_error,
        },
    );
    let changed = graph
        .ids()
        .zip(values)
        .filter(|(id, before)| before.is_some() && graph.value(*id) != *before);
    losses.add(Loss::Values, changed.count() as u64);
    refuse_if_wrong(graph, options.missing_leaf)?;
    Ok(losses)
}

fn refuse_if_wrong(graph: &Graph, missing_leaf: MissingLeaf) -> Result<(), Refused> {
    let mut wrong = demands::check(graph);
    let first: Vec<_> = wrong
        .by_ref()
        .take(NAMED)
        .map(|(id, demand)| (graph.board(id), demand))
        .collect();
    let count = (first.len() + wrong.count()) as u64;
    if count == 0 {
        Ok(())
    } else {
        Err(Refused {
            count,
            first,
            missing_leaf,
        })
    }
}

/// Positions whose level, or whose leaf's level, is not on `engine`'s scale, unless all levels are of the one engine whose
/// format the book can go back to.
pub(super) fn count_other_engines(graph: &Graph, engine: Engine) -> u64 {
    let others = |engine: Engine| {
        let is_other = move |id: &NodeId| {
            let of_leaf = graph.leaf(*id).map(|leaf| leaf.engine);
            graph.engine(*id) != engine || of_leaf.is_some_and(|found| found != engine)
        };
        graph.ids().filter(is_other)
    };
    let goes_back = [Engine::Edax, Engine::Egaroucid];
    match goes_back.iter().any(|all| others(*all).next().is_none()) {
        true => 0,
        false => others(engine).count() as u64,
    }
}

pub(super) fn has_all_numbers(graph: &Graph) -> bool {
    (0..graph.len()).into_par_iter().all(|place| {
        let id = graph.id(place);
        graph.value(id).is_some()
            && graph.bounds(id).is_some()
            && graph.outcomes(id).is_some()
            && graph.lines(id).is_some()
            && graph.links(id).all(|link| link.score.is_some())
    })
}

/// Makes leaves of the positions that can't be positions, and gives each of the others its one leaf and one level.
/// `leaves` are those before linking, `known` the boards without a place that the source holds.
fn fold(
    graph: &mut Graph,
    leaves: &[Option<Leaf>],
    known: &HashSet<CanonicalBoard>,
    options: &EdaxOptions,
) -> Result<Losses, TooLarge> {
    let linked = Linked {
        graph,
        leaves,
        rules: options.rules,
    };
    let (gone, demoted) = linked.become_leaves(options.missing_leaf, known);
    let used: Vec<AtomicBool> = gone.iter().map(|_| AtomicBool::new(false)).collect();
    let folder = Folder {
        linked,
        graph,
        options,
        gone: &gone,
        used: &used,
    };
    let chunks: Vec<(Vec<Edit>, Losses)> = (0..graph.len().div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let mut losses = Losses::default();
            let places = chunk * CHUNK..graph.len().min((chunk + 1) * CHUNK);
            let edits = places.map(|place| folder.edit(graph.id(place), &mut losses));
            (edits.collect(), losses)
        })
        .collect();
    let mut edits = Vec::with_capacity(graph.len());
    let mut losses = Losses::default();
    losses.add(Loss::DemotedLinks, demoted);
    for (chunk, more) in chunks {
        edits.extend(chunk);
        losses += more;
    }
    let lost = |id: &NodeId| {
        let was_there = !graph.board(*id).board().legal_moves().is_empty();
        gone[id.index()] && was_there && !used[id.index()].load(Ordering::Relaxed)
    };
    losses.add(Loss::Orphans, graph.ids().filter(lost).count() as u64);
    graph.apply(&edits, Engine::Edax);
    if gone.contains(&true) {
        let (nothing, _) = Graph::builder().finish()?;
        graph.revise(|_, id| !gone[id.index()], &nothing)?;
    }
    graph.retain_links(|_, _, link| link.child.is_some());
    Ok(losses)
}

/// A move that could be a position's leaf.
#[derive(Clone, Copy)]
struct Candidate {
    leaf: Leaf,
    /// The position behind it, where the book has one.
    child: Option<NodeId>,
}

struct Folder<'a> {
    linked: Linked<'a>,
    graph: &'a Graph,
    options: &'a EdaxOptions,
    gone: &'a [bool],
    /// Which of those that are gone became a leaf.
    used: &'a [AtomicBool],
}

impl Folder<'_> {
    fn edit(&self, id: NodeId, losses: &mut Losses) -> Edit {
        if self.gone[id.index()] {
            return Edit::new(None, None);
        }
        let leaf = self.leaf(id, losses);
        let level = self.level(id, leaf, losses);
        let leaf = leaf.map(|leaf| Leaf {
            level: Some(level),
            engine: Engine::Edax,
            ..leaf
        });
        Edit::new(leaf, Some(level))
    }

    fn leaf(&self, id: NodeId, losses: &mut Losses) -> Option<Leaf> {
        let board = self.graph.board(id).board();
        if board.is_over() {
            return Some(Leaf {
                mv: None,
                score: board.final_score(),
                level: self.graph.leaf(id).and_then(|leaf| leaf.level),
                engine: self.graph.engine(id),
            });
        }
        let own = self.linked.leaf(id).or_else(|| self.pass_value(id));
        if own.is_none() && self.options.missing_leaf == MissingLeaf::Stop && !board.must_pass() {
            return None;
        }
        let mut best = own.map(|leaf| Candidate { leaf, child: None });
        let mut count = u64::from(own.is_some());
        let mut children = Vec::new();
        for candidate in self.folded(id) {
            // Symmetric moves lead to the same child.
            if children.contains(&candidate.child) {
                continue;
            }
            children.push(candidate.child);
            count += 1;
            let better = best.is_none_or(|best| candidate.leaf.score > best.leaf.score);
            if better && (own.is_none() || self.counts(id, candidate)) {
                best = Some(candidate);
            }
        }
        losses.add(Loss::CrowdedMoves, count.saturating_sub(1));
        if let Some(child) = best.and_then(|best| best.child) {
            self.used[child.index()].store(true, Ordering::Relaxed);
        }
        best.map(|best| best.leaf)
    }

    /// A pass position that knows its value but not the position behind the pass.
    fn pass_value(&self, id: NodeId) -> Option<Leaf> {
        let alone = self.graph.links(id).len() == 0 && self.graph.board(id).board().must_pass();
        let value = self.graph.value(id).filter(|_| alone)?;
        Some(Leaf {
            mv: Some(Move::Pass),
            score: i8::try_from(value).ok()?,
            level: self.graph.level(id),
            engine: self.graph.engine(id),
        })
    }

    /// The children that are no positions, as leaves.
    fn folded(&self, id: NodeId) -> impl Iterator<Item = Candidate> {
        self.graph.links(id).filter_map(|link| {
            let child = link.child.filter(|child| self.gone[child.index()])?;
            self.candidate(link.mv, child)
        })
    }

    fn candidate(&self, mv: Move, child: NodeId) -> Option<Candidate> {
        let score = score_for_parent(self.graph, child)?;
        // The search behind a value is that of the child, or that of its leaf where the leaf has it.
        let of_leaf = self.linked.leaf(child);
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

    /// Whether a child may take the place of a leaf. Behind a pass there may be what was never a position of the book,
    /// only the score of the pass: it counts for a parent by another move only where the parent's own value says so.
    fn counts(&self, id: NodeId, candidate: Candidate) -> bool {
        let is_passed = candidate
            .child
            .is_some_and(|child| is_passed(self.graph, child));
        !is_passed
            || self
                .graph
                .value(id)
                .is_some_and(|value| self.needs(id, value, candidate))
    }

    /// Whether a position's value is a candidate's score and nothing else in the book gives it.
    fn needs(&self, id: NodeId, value: i16, candidate: Candidate) -> bool {
        let score = i16::from(candidate.leaf.score);
        let others = self
            .graph
            .links(id)
            .filter(|link| link.child != candidate.child)
            .filter_map(|link| self.graph.value(link.child?));
        value >= score && others.map(|value| -value).all(|other| other < score)
    }

    /// Edax has one level for a position and its leaf: that of the search behind the leaf.
    fn level(&self, id: NodeId, leaf: Option<Leaf>, losses: &mut Losses) -> u8 {
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
