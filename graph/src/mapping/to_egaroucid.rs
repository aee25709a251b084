//! Converts any book into the form of one of Egaroucid's formats.

use super::demands::Moves;
use super::{Loss, Losses, count_other_engines, has_all_numbers, header};
use crate::arena::{BATCH, BoardSet};
use crate::link::link;
use crate::negamax::{Scoring, count_inconsistent, count_lines, negamax};
use crate::passes::{drop_passes, lacking_views, restore_passes, views};
use crate::{Graph, NodeId, TooLarge};
use obook_converters::Header;
use obook_model::{Engine, NoLeaf, Position, RuleSet};
use obook_othello::{Board, CanonicalBoard};
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

/// One of Egaroucid's formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// Leaves, but no pass positions.
    Egbk3,
    /// Pass positions and links, but no leaves.
    Egbk2,
    /// Pass positions with values only.
    Egbk,
}

/// How to make an Egaroucid book.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EgaroucidOptions {
    /// The rules that the source's numbers follow.
    pub rules: RuleSet,
    /// The header of the source.
    pub header: Header,
    /// The format.
    pub target: Target,
    /// The treatment of leaves.
    pub leaves: Leaves,
}

/// Converts a book into the form of one of Egaroucid's formats.
///
/// 1. An Edax book gets the numbers that it lacks, and the losses of its way to Egaroucid are counted.
/// 2. Leaves stay or become positions.
/// 3. Lines are counted as Egaroucid does, unless an Egaroucid book has them already. All other numbers stay.
/// 4. For `.egbk3` the pass positions go: see [`drop_passes`].
///
/// # Errors
/// Returns [`TooLarge`] if the graph gets too many positions. The graph is then useless.
pub fn to_egaroucid(graph: &mut Graph, options: &EgaroucidOptions) -> Result<Losses, TooLarge> {
    let mut losses = Losses::default();
    losses.add(Loss::Engines, count_other_engines(graph, Engine::Egaroucid));
    let is_edax = options.rules == RuleSet::Edax;
    let recount = is_edax || !has_lines(graph);
    if is_edax {
        if !has_all_numbers(graph) {
            link(graph)?;
            negamax(graph, edax_rules(options));
        }
        count_losses_of_edax(graph, options, &mut losses);
    } else if recount {
        // Lines lead through passes.
        restore_passes(graph)?;
    }

    let leaves = count_leaves(graph);
    match (options.leaves, options.target) {
        (Leaves::AsPositions, _) => {
            losses.add(Loss::LeavesAsPositions, leaves);
            losses.add(Loss::LeafScores, leaves_to_positions(graph)?);
        }
        (Leaves::Keep, Target::Egbk3) => {}
        (Leaves::Keep, Target::Egbk2 | Target::Egbk) => losses.add(Loss::Leaves, leaves),
    }

    if options.leaves == Leaves::AsPositions || (recount && !is_edax) {
        link(graph)?;
    }
    if recount {
        count_lines(graph);
    }
    if options.leaves == Leaves::AsPositions {
        losses.add(Loss::Transpositions, count_contradicted(graph));
    }

    match options.target {
        Target::Egbk3 => {
            drop_passes(graph)?;
        }
        Target::Egbk2 => {
            if !is_edax {
                link(graph)?;
            }
        }
        Target::Egbk => {
            let levels = graph.ids().filter(|id| graph.level(*id).is_some());
            losses.add(Loss::Levels, levels.count() as u64);
        }
    }
    Ok(losses)
}

fn has_lines(graph: &Graph) -> bool {
    (0..graph.len())
        .into_par_iter()
        .all(|place| graph.lines(graph.id(place)).is_some())
}

fn edax_rules(options: &EgaroucidOptions) -> Scoring {
    let (midgame_error, endcut_error) = options.header.errors();
    Scoring::Edax {
        midgame_error,
        endcut_error,
    }
}

/// Counts what an Edax book loses or gains on its way through one of Egaroucid's formats.
fn count_losses_of_edax(graph: &Graph, options: &EgaroucidOptions, losses: &mut Losses) {
    header::count_losses(graph, &options.header, losses);
    losses.add(
        Loss::Inconsistent,
        count_inconsistent(graph, edax_rules(options)),
    );
    let passed = match options.target {
        Target::Egbk3 => scores_of_passes(graph),
        Target::Egbk2 | Target::Egbk => Vec::new(),
    };
    let gains = count_gains(graph, passed);
    losses.add(Loss::AddedViews, gains.views);
    losses.add(Loss::Links, gains.links);
    losses.add(Loss::ScoresOfPasses, gains.scores_of_passes);
    losses.add(Loss::UnreachablePasses, graph.count_unreached_passes());
    let other_level = |id: &NodeId| {
        let passed = graph.find(graph.board(*id).board().passed().canonical());
        passed.is_some_and(|passed| graph.level(passed) != graph.level(*id))
    };
    let levels = graph.pass_ids().filter(other_level).count();
    losses.add(Loss::PassLevels, levels as u64);
}

/// The boards after passes of which the book only has the score.
fn scores_of_passes(graph: &Graph) -> Vec<CanonicalBoard> {
    let passed = graph
        .pass_ids()
        .map(|id| graph.board(id).board().passed().canonical());
    passed
        .filter(|board| graph.find(*board).is_none())
        .collect()
}

/// Additions to a book after a round trip.
struct Gains {
    /// Views of which the book only has the other side's.
    views: u64,
    /// Missing links, and links without a child, which don't come back.
    links: u64,
    /// Scores of passes that become positions with links.
    scores_of_passes: u64,
}

/// Counts gains. `passed` are the boards that become positions because the book has the score of a pass.
fn count_gains(graph: &Graph, passed: Vec<CanonicalBoard>) -> Gains {
    let linked: Vec<CanonicalBoard> = passed
        .par_iter()
        .copied()
        .filter(|board| has_children(graph, *board))
        .collect();
    let lacking = lacking_views(graph).into_iter().map(|(view, _)| view);
    let lacking = graph.board_set(lacking.chain(passed).collect());
    let (mut reached, links) = (0..graph.len().div_ceil(BATCH))
        .into_par_iter()
        .map(|batch| {
            let places = batch * BATCH..graph.len().min((batch + 1) * BATCH);
            gains(graph, places, &lacking)
        })
        .reduce(
            || (Vec::new(), 0),
            |(mut reached, links), (other, more)| {
                reached.extend(other);
                (reached, links + more)
            },
        );
    reached.par_sort_unstable();
    reached.dedup();
    let is_view = |board: &CanonicalBoard| board.board().legal_moves().is_empty();
    let (views, mut passed): (Vec<_>, Vec<_>) = reached.into_iter().partition(is_view);
    passed.extend(linked);
    passed.sort_unstable();
    passed.dedup();
    Gains {
        views: views.len() as u64,
        links,
        scores_of_passes: passed.len() as u64,
    }
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
    for place in places.clone() {
        let mut linked = Moves::NONE;
        for link in graph.links(graph.id(place)) {
            wrong += u64::from(link.child.is_none() || !linked.insert(link.mv));
        }
    }
    let unlinked = graph.unlinked(places, lacking);
    let reached = unlinked.others().collect();
    (reached, wrong + unlinked.links().count() as u64)
}

fn count_leaves(graph: &Graph) -> u64 {
    let has_move = |id: &NodeId| graph.leaf(*id).is_some_and(|leaf| leaf.mv.is_some());
    graph.ids().filter(has_move).count() as u64
}

/// Makes a position of every leaf whose board the book lacks. Returns the number of leaves whose score differs from the position
/// that is there now, which came from another leaf or was in the book before.
fn leaves_to_positions(graph: &mut Graph) -> Result<u64, TooLarge> {
    let mut builder = Graph::builder();
    let mut scores: Vec<(CanonicalBoard, i8)> = Vec::new();
    for id in graph.ids() {
        let Some(leaf) = graph.leaf(id) else { continue };
        let child = leaf.mv.and_then(|mv| graph.board(id).board().play(mv));
        let Some(child) = child.map(Board::canonical) else {
            continue;
        };
        scores.push((child, leaf.score));
        if graph.find(child).is_none() {
            let mut position = Position::new(child, graph.engine(id));
            position.value = Some(-i16::from(leaf.score));
            position.level = leaf.level.or(graph.level(id));
            position.lines = Some(1);
            builder.push(position);
        }
    }
    let (new, _) = builder.finish()?;
    graph.revise(|_, _| true, &new)?;
    graph.drop_leaves();
    let differs = |(child, score): &&(CanonicalBoard, i8)| {
        let value = graph.find(*child).and_then(|child| graph.value(child));
        value.is_some_and(|value| value != -i16::from(*score))
    };
    Ok(scores.par_iter().filter(differs).count() as u64)
}

/// Counts the positions without a leaf whose value differs from their best link.
fn count_contradicted(graph: &Graph) -> u64 {
    let is_contradicted = |place: &usize| {
        let id = graph.id(*place);
        let children = graph.links(id).filter_map(|link| link.child);
        let best = children.filter_map(|child| graph.value(child)).min();
        let value = graph.value(id).filter(|_| graph.leaf(id).is_none());
        value.zip(best).is_some_and(|(value, best)| value != -best)
    };
    let places = (0..graph.len()).into_par_iter();
    places.filter(is_contradicted).count() as u64
}

/// Decides the remark about a missing leaf from the position's moves, if the book has none: `.egbk3` files need one for every
/// position without a leaf. Egaroucid never searches a position with the remark that all its moves are in the book.
pub fn decide_no_leaf(position: &mut Position, is_in_book: impl Fn(CanonicalBoard) -> bool + Copy) {
    if position.leaf.is_some() || position.no_leaf.is_some() {
        return;
    }
    let mut children = position.board.board().children();
    let all_in_book = children.all(|(_, child)| views(child).any(is_in_book));
    position.no_leaf = Some(if all_in_book {
        NoLeaf::AllMovesInBook
    } else {
        NoLeaf::Undefined
    });
}
