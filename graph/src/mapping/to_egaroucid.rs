//! Any book into the form of Egaroucid's.

use super::moves::Moves;
use super::to_edax::{count_other_engines, has_all_numbers};
use super::{Loss, Losses, header};
use crate::link::link;
use crate::negamax::{self, count_inconsistent, count_lines, negamax};
use crate::passes::{drop_passes, restore_passes, views};
use crate::{BATCH, BoardSet, Graph, NodeId, TooLarge};
use obook_converters::Header;
use obook_model::RuleSet;
use obook_model::{Engine, Position};
use obook_othello::{Board, CanonicalBoard};
use rayon::prelude::*;
use std::ops::Range;

/// What becomes of leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaves {
    /// They stay leaves; formats without leaves lose them.
    Keep,
    /// Each becomes a position of its own, the way of Egaroucid 7.8.
    AsPositions,
}

/// Which of Egaroucid's formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// No pass positions; leaves.
    Egbk3,
    /// Pass positions, links, no leaves.
    Egbk2,
    /// Pass positions and values, nothing else.
    Egbk,
}

/// How to make an Egaroucid book.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EgaroucidOptions {
    /// Whose rules the source's numbers follow.
    pub rules: RuleSet,
    /// What the source says about itself.
    pub header: Header,
    /// The format.
    pub target: Target,
    /// What becomes of leaves.
    pub leaves: Leaves,
}

/// Brings a book into the form of one of Egaroucid's formats.
///
/// Numbers stay as they are, but lines: of a book that follows Edax's rules, or has no lines, they are counted as
/// Egaroucid counts them. For `.egbk3` the pass positions go: the passed position takes over where it is in the book, else
/// the pass position becomes it, its value seen by the other side, without a leaf.
///
/// # Errors
/// [`TooLarge`].
pub fn to_egaroucid(graph: &mut Graph, options: &EgaroucidOptions) -> Result<Losses, TooLarge> {
    let mut losses = Losses::default();
    losses.add(Loss::Engines, count_other_engines(graph, Engine::Egaroucid));
    let recount = options.rules == RuleSet::Edax || !has_lines(graph);
    if options.rules == RuleSet::Edax {
        if !has_all_numbers(graph) {
            link(graph)?;
            negamax(graph, edax_rules(options));
        }
        count_what_edax_knows(graph, options, &mut losses);
    } else if recount {
        restore_passes(graph)?;
    }
    let turned = count_leaves(graph);
    match (options.leaves, options.target) {
        (Leaves::AsPositions, _) => {
            losses.add(Loss::LeavesAsPositions, turned);
            losses.add(Loss::LeafScores, leaves_to_positions(graph)?);
        }
        (Leaves::Keep, Target::Egbk3) => {}
        (Leaves::Keep, Target::Egbk2 | Target::Egbk) => losses.add(Loss::Leaves, turned),
    }
    if options.leaves == Leaves::AsPositions || (recount && options.rules != RuleSet::Edax) {
        link(graph)?;
    }
    if recount {
        count_lines(graph);
    }
    if options.leaves == Leaves::AsPositions {
        losses.add(Loss::Transpositions, count_contradicted(graph));
    }
    match options.target {
        Target::Egbk3 => drop(drop_passes(graph)?),
        Target::Egbk2 => {
            if options.rules != RuleSet::Edax {
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

/// Counts the positions without a leaf that have another value than their best link.
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

fn has_lines(graph: &Graph) -> bool {
    (0..graph.len())
        .into_par_iter()
        .all(|place| graph.lines(graph.id(place)).is_some())
}

fn count_leaves(graph: &Graph) -> u64 {
    let has_move = |id: &NodeId| graph.leaf(*id).is_some_and(|leaf| leaf.mv.is_some());
    graph.ids().filter(has_move).count() as u64
}

fn edax_rules(options: &EgaroucidOptions) -> negamax::Scoring {
    let (midgame_error, endcut_error) = options.header.errors();
    negamax::Scoring::Edax {
        midgame_error,
        endcut_error,
    }
}

/// Counts what a book by Edax's rules says and Egaroucid's formats can't.
fn count_what_edax_knows(graph: &Graph, options: &EgaroucidOptions, losses: &mut Losses) {
    header::count_losses(graph, &options.header, losses);
    losses.add(
        Loss::Inconsistent,
        count_inconsistent(graph, edax_rules(options)),
    );
    let passed = match options.target {
        Target::Egbk3 => scores_of_passes(graph),
        Target::Egbk2 | Target::Egbk => Vec::new(),
    };
    let surprises = count_surprises(graph, passed);
    losses.add(Loss::AddedViews, surprises.views);
    losses.add(Loss::Links, surprises.links);
    losses.add(Loss::ScoresOfPasses, surprises.scores_of_passes);
    losses.add(Loss::UnreachablePasses, graph.count_unreached_passes());
    let other_level = |id: &NodeId| {
        let passed = graph.find(graph.board(*id).board().passed().canonical());
        passed.is_some_and(|passed| graph.level(passed) != graph.level(*id))
    };
    let levels = graph.pass_ids().filter(other_level).count();
    losses.add(Loss::PassLevels, levels as u64);
}

/// What a target says of a book although the source does not.
struct Surprises {
    /// Views that the book lacks while it holds the other side's.
    views: u64,
    /// Links that it lacks, or that lead nowhere and don't come back.
    links: u64,
    /// Scores of passes that become positions with links to or from others.
    scores_of_passes: u64,
}

/// `passed` are the boards that become positions because the book knows the score of a pass.
fn count_surprises(graph: &Graph, passed: Vec<CanonicalBoard>) -> Surprises {
    let linked: Vec<CanonicalBoard> = passed
        .par_iter()
        .copied()
        .filter(|board| has_children(graph, *board))
        .collect();
    let lacking = graph.board_set(lacking_views(graph).chain(passed).collect());
    let (mut reached, links) = (0..graph.len().div_ceil(BATCH))
        .into_par_iter()
        .map(|batch| {
            let places = batch * BATCH..graph.len().min((batch + 1) * BATCH);
            surprises(graph, places, &lacking)
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
    Surprises {
        views: views.len() as u64,
        links,
        scores_of_passes: passed.len() as u64,
    }
}

/// The boards behind passes of which the book knows the score alone.
fn scores_of_passes(graph: &Graph) -> Vec<CanonicalBoard> {
    let passed = graph
        .pass_ids()
        .map(|id| graph.board(id).board().passed().canonical());
    passed
        .filter(|board| graph.find(*board).is_none())
        .collect()
}

/// Whether the book holds what a move leads to.
fn has_children(graph: &Graph, board: CanonicalBoard) -> bool {
    let children = board.board().children();
    let mut views = children.flat_map(|(_, child)| views(child));
    views.any(|view| graph.find(view).is_some())
}

/// The boards on which neither side has a move, or only the other one, that the book lacks while it holds the other side's
/// view.
fn lacking_views(graph: &Graph) -> impl Iterator<Item = CanonicalBoard> + use<> {
    let lacking = |place: usize| {
        let other = graph.board(graph.id(place)).board().passed();
        let other = other.legal_moves().is_empty().then(|| other.canonical())?;
        graph.find(other).is_none().then_some(other)
    };
    let places = (0..graph.len()).into_par_iter();
    places.filter_map(lacking).collect::<Vec<_>>().into_iter()
}

/// The boards of `lacking` that the moves of these positions lead to, and how many links are wrong or missing.
fn surprises(
    graph: &Graph,
    places: Range<usize>,
    lacking: &BoardSet,
) -> (Vec<CanonicalBoard>, u64) {
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

/// Makes a position of every leaf whose board the book does not hold yet. Gives how many leaves have another score than the
/// position that is there now: one of several leaves by which the same board was searched, or a position of the book.
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
