//! Converts any book into the form of one of Egaroucid's formats.

use super::demands::Moves;
use super::{Loss, Losses, Outline, Survey, compute_and_compare};
use crate::arena::{BATCH, BoardSet, batches};
use crate::link::link;
use crate::negamax::{Scoring, count_inconsistent, count_lines};
use crate::passes::{
    add_passed, drop_passes, lacking_passed, lacking_views, restore_passes_by, views,
};
use crate::slabs::{Result, Slab, Slabs};
use crate::{Graph, GraphBuilder, NodeId};
use obook_converters::{Format, Header};
use obook_othello::{CanonicalBoard, Engine, Leaf, NoLeaf, Position, RuleSet};
use rayon::prelude::*;
use std::ops::Range;

/// The treatment of leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaves {
    /// Leaves stay leaves. Formats without leaves lose them.
    Keep,
    /// Each leaf becomes a position, as Egaroucid 7.8 has it.
    AsPositions,
}

/// How to make an Egaroucid book.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EgaroucidOptions {
    /// The rules that the source's numbers follow.
    pub rules: RuleSet,
    /// The header of the source.
    pub header: Header,
    /// The format: `.egbk3` has leaves, but no pass positions, `.egbk2` pass positions and links, `.egbk` pass positions with values
    /// only.
    pub format: Format,
    /// The treatment of leaves.
    pub leaves: Leaves,
}

/// Converts a book into the form of one of Egaroucid's formats.
///
/// 1. An Edax book gets the numbers that it lacks, and the losses of its way to Egaroucid are counted. Any other book gets the pass
///    positions that it lacks.
/// 2. Leaves stay or become positions.
/// 3. Lines are counted as Egaroucid does, unless an Egaroucid book has them already. All other numbers stay.
/// 4. For `.egbk3` the pass positions go: see [`drop_passes`].
///
/// # Errors
/// Returns [`slabs::Error`](crate::slabs::Error). The book is then useless.
pub fn to_egaroucid(book: &mut Slabs, options: &EgaroucidOptions) -> Result<Losses> {
    // Lines and values lead through passes.
    restore_passes_by(book, options.rules)?;
    let mut losses = Losses::default();
    let survey = Survey::of(book, Engine::Egaroucid, &mut losses)?;
    let scoring = Scoring::of(options.rules, &options.header);
    let is_edax = options.rules == RuleSet::Edax;
    let recount = is_edax || !survey.has_lines;
    if survey.proofs > 0 || is_edax && !survey.has_all_numbers {
        book.sweep_up(|slab| {
            slab.graph_mut().restrict_proofs(|_| None);
            link(slab.graph_mut())?;
            compute_and_compare(slab.graph_mut(), scoring, &mut losses);
            Ok(())
        })?;
    }
    Outline::of(book)?.count_losses(&options.header, &mut losses);
    if is_edax {
        count_losses_of_edax(book, options.format, scoring, &mut losses)?;
    }

    let as_positions = options.leaves == Leaves::AsPositions;
    let mut turned_leaves = 0;
    if as_positions {
        book.grow(|slab, positions| {
            turned_leaves += count_leaves(slab.graph());
            leaves_as_positions(slab.graph(), positions);
            Ok(())
        })?;
    } else if !options.format.holds().leaves {
        book.scan(|slab| losses.add(Loss::Leaves, count_leaves(slab.graph())))?;
    }
    losses.add(Loss::LeavesAsPositions, turned_leaves);
    if options.format == Format::Egbk3 && recount && !is_edax {
        // A position that takes the place of a pass may lead to others.
        add_passed(book)?;
    }
    let relink = as_positions || (!is_edax && (recount || options.format == Format::Egbk2));
    if relink || recount {
        book.sweep_up(|slab| {
            if as_positions {
                losses.add(Loss::LeafScores, count_other_scores(slab.graph()));
                slab.graph_mut().drop_leaves();
            }
            if relink {
                link(slab.graph_mut())?;
            }
            if recount {
                count_lines(slab.graph_mut());
            }
            if turned_leaves > 0 {
                losses.add(Loss::Transpositions, count_contradicted(slab.graph()));
            }
            Ok(())
        })?;
    }

    if options.format == Format::Egbk3 {
        book.sweep_up(|slab| {
            slab.restructure(|graph, _| drop_passes(graph))?;
            Ok(())
        })?;
    } else if !options.format.holds().levels {
        book.scan(|slab| {
            let graph = slab.graph();
            let levels = graph.count_unfrozen(|id| graph.level(id).is_some());
            losses.add(Loss::Levels, levels);
        })?;
    }
    Ok(losses)
}

/// Counts what an Edax book loses or gains on its way through one of Egaroucid's formats.
fn count_losses_of_edax(
    book: &mut Slabs,
    format: Format,
    scoring: Scoring,
    losses: &mut Losses,
) -> Result<()> {
    book.sweep_up(|slab| {
        let graph = slab.graph();
        losses.add(Loss::Inconsistent, count_inconsistent(graph, scoring));
        let unreached = graph.count_unreached_passes(slab.layers());
        losses.add(Loss::UnreachablePasses, unreached);
        let other_level = |id: &NodeId| {
            let passed = graph.find(graph.board(*id).board().passed().canonical());
            !graph.is_frozen(*id)
                && passed.is_some_and(|passed| graph.level(passed) != graph.level(*id))
        };
        let levels = graph.pass_ids().filter(other_level).count();
        losses.add(Loss::PassLevels, levels as u64);
        count_gains(slab, format, losses);
        Ok(())
    })
}

/// The score of this position's pass becomes a position with links.
const HAS_LINKS: u8 = 2;

/// Counts what a book gains by a round trip: views of which it only has the other side's, missing links, which replace those without a
/// child, and scores of passes that become positions with links. Boards of the layer below are counted with the moves that lead to
/// them.
fn count_gains(slab: &mut Slab, format: Format, losses: &mut Losses) {
    let (graph, marks) = slab.graph_and_marks();
    // The boards after passes of which the book only has the score.
    let passed: Vec<(NodeId, CanonicalBoard)> = match format {
        Format::Egbk3 => lacking_passed(graph).collect(),
        _ => Vec::new(),
    };
    let has_links: Vec<NodeId> = passed
        .par_iter()
        .filter(|(pass, board)| !graph.is_frozen(*pass) && has_children(graph, *board))
        .map(|(pass, _)| *pass)
        .collect();
    for pass in &has_links {
        marks[pass.index()] |= HAS_LINKS;
    }
    let lacking = lacking_views(graph).into_iter().map(|(view, _)| view);
    let passed = passed.into_iter().map(|(_, board)| board);
    let lacking = graph.board_set(lacking.chain(passed).collect());
    let (reached, links): (Vec<Vec<CanonicalBoard>>, Vec<u64>) =
        batches(graph.unfrozen_places(), BATCH)
            .map(|places| gains(graph, places, &lacking))
            .unzip();
    let mut reached: Vec<CanonicalBoard> = reached.into_iter().flatten().collect();
    reached.par_sort_unstable();
    reached.dedup();
    let is_view = |board: &CanonicalBoard| board.board().legal_moves().is_empty();
    let (views, passed): (Vec<_>, Vec<_>) = reached.into_iter().partition(is_view);
    let without_links = |board: &&CanonicalBoard| {
        let pass = graph.find(board.board().passed().canonical());
        let pass = pass.expect("it has the score of the pass");
        marks[pass.index()] & HAS_LINKS == 0
    };
    let reached = passed.iter().filter(without_links).count();
    losses.add(Loss::AddedViews, views.len() as u64);
    losses.add(Loss::Links, links.iter().sum());
    let scores = has_links.len() + reached;
    losses.add(Loss::ScoresOfPasses, scores as u64);
}

/// Whether a move leads from this board to a position of the book.
fn has_children(graph: &Graph, board: CanonicalBoard) -> bool {
    let children = board.board().children();
    let mut views = children.flat_map(|(_, child)| views(child));
    views.any(|view| graph.find(view).is_some())
}

/// The boards of `lacking` to which moves of these positions lead, and the number of wrong or missing links.
fn gains(graph: &Graph, places: Range<usize>, lacking: &BoardSet) -> (Vec<CanonicalBoard>, u64) {
    let mut wrong = 0;
    for id in places.clone().map(|place| graph.id(place)) {
        let mut linked = Moves::NONE;
        for link in graph.links(id) {
            wrong += u64::from(link.child.is_none() || !linked.insert(link.mv));
        }
    }
    let unlinked = graph.unlinked(places, Some(lacking));
    let reached = unlinked.others().collect();
    (reached, wrong + unlinked.links().count() as u64)
}

pub(super) fn count_leaves(graph: &Graph) -> u64 {
    graph.count_unfrozen(|id| graph.leaf(id).is_some_and(|leaf| leaf.mv.is_some()))
}

/// The board to which a position's leaf leads.
pub(super) fn board_of_leaf(graph: &Graph, id: NodeId) -> Option<(CanonicalBoard, Leaf)> {
    let leaf = graph.leaf(id)?;
    Some((graph.board(id).child(leaf.mv?)?, leaf))
}

/// Adds a position for every leaf whose board the book lacks.
pub(super) fn leaves_as_positions(graph: &Graph, positions: &mut GraphBuilder) {
    for id in graph.unfrozen_ids() {
        let Some((board, leaf)) = board_of_leaf(graph, id) else {
            continue;
        };
        if graph.find(board).is_none() {
            let mut position = Position::new(board, graph.engine(id));
            position.value = Some(-i16::from(leaf.score));
            position.level = leaf.level.or(graph.level(id));
            position.lines = Some(1);
            positions.push(position);
        }
    }
}

/// Counts the leaves whose score differs from the position that is there now, which came from another leaf or was in the book
/// before.
pub(super) fn count_other_scores(graph: &Graph) -> u64 {
    graph.count_unfrozen(|id| {
        board_of_leaf(graph, id).is_some_and(|(board, leaf)| {
            let value = graph.find(board).and_then(|child| graph.value(child));
            value.is_some_and(|value| value != -i16::from(leaf.score))
        })
    })
}

/// Counts the positions without a leaf whose value differs from their best link, within what is proven.
pub(super) fn count_contradicted(graph: &Graph) -> u64 {
    graph.count_unfrozen(|id| {
        let children = graph.links(id).filter_map(|link| link.child);
        let best = children.filter_map(|child| graph.value(child)).min();
        let best = best.map(|best| match graph.proof(id) {
            Some(proof) => proof.clamp(-best),
            None => -best,
        });
        let value = graph.value(id).filter(|_| graph.leaf(id).is_none());
        value.zip(best).is_some_and(|(value, best)| value != best)
    })
}

/// Decides the remark about a missing leaf from the position's moves, if the book has none: `.egbk3` files need one for every
/// position without a leaf. Egaroucid never searches a position with the remark that all its moves are in the book.
pub fn decide_no_leaf(position: &mut Position, is_in_book: impl Fn(CanonicalBoard) -> bool + Copy) {
    if position.leaf.is_some() || position.no_leaf.is_some() {
        return;
    }
    let mut children = position.board.board().children();
    let all_in_book = children.all(|(_, child)| views(child).any(is_in_book));
    position.no_leaf = Some(match all_in_book {
        true => NoLeaf::AllMovesInBook,
        false => NoLeaf::Undefined,
    });
}
