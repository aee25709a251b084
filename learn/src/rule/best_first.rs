//! Best first: what most affects the root.

use super::Place;
use super::down::down_from;
use super::estimate::{uncertainty, work};
use crate::{Chosen, Want};
use obook_graph::{Graph, NodeId};
use obook_model::levels::{Strength, of_leaf};
use std::cmp::Ordering;
use std::collections::HashSet;

/// An error by so many times a move's uncertainty leaves 1/e of the influence.
const ERROR: f64 = 0.8;
/// What a ply leaves of the influence: what a search below finds has in part been seen by the searches above it.
const PLY: f64 = 0.95;
/// Moves are told apart by so many discs, however well they were searched: scores are whole discs.
const GRAIN: f64 = 0.25;
/// What has at least this part of the highest priority is chosen along with it,
const ALONG: f64 = 0.2;
/// or this power of the number of positions, if that is less: the larger the book, the more is worth a look.
const WIDENING: f64 = -0.4;
/// Of so many positions, one at least is chosen, so that choosing takes a small part of the time.
const ONE_OF: usize = 64;

/// How much it matters to the root what a position is worth, where its side to move is the one that errs, and where the other is.
#[derive(Clone, Copy, Default, PartialEq)]
struct Influence {
    errs: f64,
    plays_best: f64,
}

impl Influence {
    const fn of(weight: f64) -> Influence {
        Influence {
            errs: weight,
            plays_best: weight,
        }
    }

    /// What there is behind a move that is worse than the best by so many discs, where scores are off by `off`.
    fn after(self, loss: f64, off: f64) -> Influence {
        let error = libm::exp(-loss / (ERROR * off.max(GRAIN)));
        Influence {
            errs: if loss > 0.0 {
                0.0
            } else {
                PLY * self.plays_best
            },
            plays_best: PLY * self.errs * error,
        }
    }

    fn greatest(self, other: Influence) -> Influence {
        Influence {
            errs: self.errs.max(other.errs),
            plays_best: self.plays_best.max(other.plays_best),
        }
    }
}

/// By how much the score of a position's leaf is off.
fn of_the_leaf(book: &Graph, id: NodeId) -> f64 {
    let Some(leaf) = book.leaf(id).filter(|leaf| leaf.mv.is_some()) else {
        return 0.0;
    };
    let level = of_leaf(leaf, book.level(id), book.engine(id));
    uncertainty(leaf.engine, level, book.board(id).board().empties() as u8)
}

/// Each leaf has a priority: how much less the root's value would be off if the leaf were known better, for each position that the
/// engine visits to know it better.
///
/// ```text
/// priority = influence × uncertainty ÷ work
/// influence = greatest over lines from the root: Π over moves: 0.95 × exp(−loss ÷ (0.8 × uncertainty))
/// ```
///
/// On each line one side errs and the other plays its best, as in the two trees that prove a value from above and from below: only
/// where one side's error turns out to be none does the root's value move, whatever else both do. `loss` is by how many discs a
/// move is worse than the best one of its position. A move's uncertainty is that of its leaf, or of a search as the stage makes
/// them where it is a link. Thus lines are as wide as the searches are unsure. The positions that the owner of the book plays
/// begin with their share of the games, as the root does with 1.
///
/// A leaf that was searched less well than the stage does is searched again, where that is worth more than its expansion; a leaf
/// that moves the root by less than `least` discs is left alone.
///
/// All are chosen whose priority is at least a fifth of the highest, or the −0.4th power of the number of positions, and one of 64
/// positions at least. Searches of odd and of even depth err differently; what is chosen along deepens the lines that are
/// compared evenly. One by one, the best first, decided the root less well.
pub(crate) fn choose(place: &Place<'_>, root: NodeId, least: f64) -> Vec<Chosen> {
    let book = place.book;
    let shares = place.played.shares(book);
    let starts: Vec<(NodeId, Influence)> = shares
        .filter(|(id, _)| *id != root)
        .map(|(id, share)| (id, Influence::of(share)))
        .chain([(root, Influence::of(1.0))])
        .collect();
    let mut chosen = Vec::new();
    down_from(place, &starts, |id, here, below| {
        let Some(value) = book.value(id).map(f64::from) else {
            return;
        };
        let empties = book.board(id).board().empties() as u8;
        let off = uncertainty(place.engine, Some(place.level), empties);
        for child in book.links(id).filter_map(|link| link.child) {
            if let Some(reply) = book.value(child).map(f64::from) {
                let child = &mut below[child.index()];
                *child = child.greatest(here.after((value + reply).max(0.0), off));
            }
        }
        if let Some(leaf) = book.leaf(id) {
            let off = of_the_leaf(book, id);
            let loss = (value - f64::from(leaf.score)).max(0.0);
            let behind = here.after(loss, off);
            let influence = behind.errs.max(behind.plays_best);
            if influence > 0.0 {
                chosen.extend(of_leaf_of(place, id, off, influence, least));
            }
        }
    });
    the_first(chosen, book.len())
}

/// What a leaf is wanted for whose score is off by `off`, with its priority.
fn of_leaf_of(
    place: &Place<'_>,
    id: NodeId,
    off: f64,
    influence: f64,
    least: f64,
) -> Option<Chosen> {
    let book = place.book;
    let (board, leaf) = (book.board(id), book.leaf(id)?);
    let empties = board.board().empties() as u8;
    if influence * off < least {
        return None;
    }
    let again = work(place.engine, place.level, empties);
    let expansion = place.child_of_leaf(id).map(|child| {
        let work = again + work(place.engine, place.level, empties - 1);
        let chosen = place.chosen(child, Want::Position, None);
        (chosen, influence * off / work)
    });
    let level = of_leaf(leaf, book.level(id), book.engine(id));
    let strength = Strength::new(leaf.engine, level, empties);
    let own = Strength::new(place.engine, Some(place.level), empties);
    let search = own.searches_more_than(strength).then(|| {
        let left = uncertainty(place.engine, Some(place.level), empties);
        let gain = (off * off - left * left).max(0.0).sqrt();
        let chosen = place.chosen(board, Want::Leaf, None);
        (chosen, influence * gain / again)
    });
    let by_priority = |a: &(Chosen, f64), b: &(Chosen, f64)| a.1.total_cmp(&b.1);
    let (chosen, priority) = [expansion, search]
        .into_iter()
        .flatten()
        .max_by(by_priority)?;
    Some(Chosen { priority, ..chosen })
}

/// Those that are searched now. What several leaves lead to is as urgent as the most urgent of them.
fn the_first(mut chosen: Vec<Chosen>, positions: usize) -> Vec<Chosen> {
    let highest_first = |a: &Chosen, b: &Chosen| -> Ordering {
        let by_priority = b.priority.total_cmp(&a.priority);
        by_priority.then_with(|| a.board.cmp(&b.board))
    };
    chosen.sort_unstable_by(highest_first);
    let mut seen = HashSet::new();
    chosen.retain(|it| seen.insert(it.board));
    let highest = chosen.first().map_or(0.0, |it| it.priority);
    let part = libm::pow(positions as f64, WIDENING).min(ALONG);
    let along = chosen.partition_point(|it| it.priority >= part * highest);
    chosen.truncate(along.max(positions / ONE_OF));
    chosen
}
