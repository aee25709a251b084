//! Converts any book into the form of NTest's.

use super::to_egaroucid::{
    count_contradicted, count_leaves, count_other_scores, leaves_as_positions,
};
use super::{Loss, Losses, Outline, add_other_engines, compute_and_compare, count_illegal_passes};
use crate::link::link;
use crate::negamax::Scoring;
use crate::passes::{drop_passes, restore_passes};
use crate::slabs::{Result, Slabs};
use obook_converters::Header;
use obook_converters::ntest::held;
use obook_othello::Engine;
use obook_othello::levels::MAX_LEVEL;
use rayon::prelude::*;

/// The last positions in NTest's books have this many empty squares. It solves the others at once.
const LAST: u32 = 9;

/// Converts a book into the form of NTest's.
///
/// 1. A book without values, such as Edax's text, gets them by the source's rules. The source's header is lost.
/// 2. Leaves become positions, which is how NTest keeps a move that was searched.
/// 3. Pass positions go, and so do the last positions of a game.
///
/// Values stay as they are, also those that don't follow from the moves in the book, which are counted. Of proofs, NTest holds
/// exact scores, wins and losses.
///
/// # Errors
/// Returns [`slabs::Error`](crate::slabs::Error). The book is then useless.
pub fn to_ntest(book: &mut Slabs, scoring: Scoring, header: &Header) -> Result<Losses> {
    // Values lead through passes.
    restore_passes(book)?;
    let mut losses = Losses::default();
    let mut lacks_values = false;
    book.scan(|slab| {
        let graph = slab.graph();
        add_other_engines(graph, Engine::Ntest, &mut losses);
        let too_high = graph.count_unfrozen(|id| graph.level(id) > Some(MAX_LEVEL));
        losses.add(Loss::LevelsAbove60, too_high);
        losses.add(Loss::IllegalPasses, count_illegal_passes(graph));
        let loses_proof = |id| graph.proof(id).is_some_and(|it| held(it) != Some(it));
        losses.add(Loss::Proofs, graph.count_unfrozen(loses_proof));
        losses.add(Loss::LeavesAsPositions, count_leaves(graph));
        lacks_values |= graph.unfrozen().any(|id| graph.value(id).is_none());
    })?;
    if lacks_values {
        book.sweep_up(|slab| {
            link(slab.graph_mut())?;
            compute_and_compare(slab.graph_mut(), scoring, &mut losses);
            Ok(())
        })?;
    }
    Outline::of(book)?.count_losses(header, &mut losses);
    book.grow(|slab, positions| {
        leaves_as_positions(slab.graph(), positions);
        Ok(())
    })?;
    restore_passes(book)?;
    book.sweep_up(|slab| {
        losses.add(Loss::LeafScores, count_other_scores(slab.graph()));
        let graph = slab.graph_mut();
        graph.drop_leaves();
        graph.restrict_proofs(held);
        link(graph)?;
        losses.add(Loss::Transpositions, count_contradicted(graph));
        Ok(())
    })?;
    book.sweep_up(|slab| {
        let late = slab.restructure(|graph, _| {
            drop_passes(graph)?;
            graph.remove(|graph, id| graph.board(id).board().empties() < LAST)
        })?;
        losses.add(Loss::LatePositions, late);
        Ok(())
    })?;
    Ok(losses)
}
