//! Conversion of a book from one engine's form to another's.
//!
//! A [`Graph`] has a book in Edax's form: a pass is a position and a link, and a finished game has a leaf without a move.
//! Egaroucid's books have no passes, links, bounds or outcomes, and a leaf of Edax's may be a position there. [`to_egaroucid`] and
//! [`to_edax`] convert a book such that a consistent Edax book survives a round trip unchanged. [`to_ntest`] keeps all values. They count as
//! [`Losses`] what the target can't hold.

pub mod demands;
mod header;
mod losses;
mod to_edax;
mod to_egaroucid;
mod to_ntest;

pub use header::{HeaderOptions, Outline};
pub use losses::{Loss, Losses};
pub use to_edax::{EdaxError, EdaxOptions, MissingLeaf, Refused, to_edax};
pub use to_egaroucid::{EgaroucidOptions, Leaves, decide_no_leaf, to_egaroucid};
pub use to_ntest::to_ntest;

use crate::negamax::{Scoring, negamax};
use crate::slabs::{self, Slabs};
use crate::{Graph, NodeId};
use obook_othello::levels::{self, Strength};
use obook_othello::{Engine, Leaf, Move};
use rayon::prelude::*;

/// The facts that decide how a book is converted.
struct Survey {
    /// Whether the book has all numbers that Edax's rules define.
    has_all_numbers: bool,
    /// Whether every position has a number of lines.
    has_lines: bool,
    /// The positions of which something is proven. No format of Edax's and Egaroucid's holds that, so their numbers must be
    /// computed without it.
    proofs: u64,
}

/// The engines with a format of their own.
const WITH_FORMAT: [Engine; 2] = [Engine::Edax, Engine::Egaroucid];

impl Survey {
    /// Looks at a book, and counts what this engine's formats lose of proofs, other engines and illegal passes.
    fn of(book: &mut Slabs, engine: Engine, losses: &mut Losses) -> slabs::Result<Survey> {
        let mut survey = Survey {
            has_all_numbers: true,
            has_lines: true,
            proofs: 0,
        };
        let (mut is_mixed, mut passes) = ([false; 2], 0);
        book.scan(|slab| {
            let graph = slab.graph();
            survey.has_lines &= (graph.unfrozen()).all(|id| graph.lines(id).is_some());
            survey.has_all_numbers &= has_all_numbers(graph);
            survey.proofs += graph.count_unfrozen(|id| graph.proof(id).is_some());
            passes += count_illegal_passes(graph);
            for (is_mixed, engine) in is_mixed.iter_mut().zip(WITH_FORMAT) {
                let is_other = |id| searches(graph, id).any(|(own, _)| own != engine);
                *is_mixed |= graph.unfrozen().any(is_other);
            }
        })?;
        losses.add(Loss::Proofs, survey.proofs);
        losses.add(Loss::IllegalPasses, passes);
        // If all levels of the book are of one of the two, they can come back.
        if is_mixed == [true; 2] {
            book.scan(|slab| add_other_engines(slab.graph(), engine, losses))?;
        }
        Ok(survey)
    }
}

/// Counts the positions whose level, or whose leaf's level, means another search on this engine's scale, and those with the level of
/// an engine that obook doesn't know.
fn add_other_engines(graph: &Graph, engine: Engine, losses: &mut Losses) {
    let others = graph.count_unfrozen(|id| means_another_search(graph, id, engine));
    losses.add(Loss::Engines, others);
    // No format has names of engines.
    let has_name = |(engine, level): (Engine, Option<u8>)| level.is_some() && !engine.is_known();
    let names = graph.count_unfrozen(|id| searches(graph, id).any(has_name));
    losses.add(Loss::Names, names);
}

/// Counts the positions that have a pass although they have a move.
fn count_illegal_passes(graph: &Graph) -> u64 {
    graph.count_unfrozen(|id| {
        let passes = graph.links(id).any(|link| link.mv == Move::Pass);
        passes && !graph.board(id).board().must_pass()
    })
}

/// Computes the numbers, and counts the known values that change.
fn compute_and_compare(graph: &mut Graph, scoring: Scoring, losses: &mut Losses) {
    let values: Vec<Option<i16>> = graph.unfrozen().map(|id| graph.value(id)).collect();
    negamax(graph, scoring);
    let both = graph.unfrozen().zip(values);
    let changed = both.filter(|(id, before)| before.is_some() && graph.value(*id) != *before);
    losses.add(Loss::Values, changed.count() as u64);
}

/// Whether the positions that are not frozen have all numbers that Edax's rules define.
fn has_all_numbers(graph: &Graph) -> bool {
    graph.unfrozen().all(|id| {
        graph.value(id).is_some()
            && graph.bounds(id).is_some()
            && graph.outcomes(id).is_some()
            && graph.lines(id).is_some()
            && graph.links(id).all(|link| link.score.is_some())
    })
}

/// The searches of a position and of its leaf: their engines and levels.
fn searches(graph: &Graph, id: NodeId) -> impl Iterator<Item = (Engine, Option<u8>)> {
    let (engine, level) = (graph.engine(id), graph.level(id));
    let of_leaf = |leaf: Leaf| (leaf.engine, levels::of_leaf(leaf, level, engine));
    let leaf = graph.leaf(id).map(of_leaf);
    [(engine, level)].into_iter().chain(leaf)
}

/// Whether the level of a position or of its leaf means another search on this engine's scale than on its own.
fn means_another_search(graph: &Graph, id: NodeId, engine: Engine) -> bool {
    let empties = graph.board(id).board().empties() as u8;
    searches(graph, id).any(|(own, level)| {
        let scales = [own.scale(), engine];
        let [own, other] = scales.map(|engine| Strength::new(engine, level, empties));
        own != other
    })
}
