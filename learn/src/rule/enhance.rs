//! Edax's `book enhance`.

use super::Place;
use super::down::down;
use crate::Chosen;
use obook_graph::negamax::leaf_bounds;
use obook_graph::{Graph, NodeId};
use obook_model::levels::Effort;
use obook_model::{Bounds, PERSON_LEVEL};

/// What searches may err by, in discs: those that do not reach the end of the game, and selective ones that do.
#[derive(Clone, Copy)]
pub(crate) struct Errors {
    pub(crate) midgame: i32,
    pub(crate) endcut: i32,
}

/// What may turn out to be the best move of its position, if searches err as much as this.
///
/// Bounds follow from leaves and links as in Edax's books, with these errors in place of the book's. From the root on, as far
/// as lines go on, the links lead to others whose lower bound is the position's, or whose upper bound is: the greatest of
/// either are the position's own. The leaf is expanded by the same test of its bounds. What has no bounds, because a level
/// is not known, may be anything.
pub(crate) fn choose(place: &Place<'_>, root: NodeId, errors: Errors) -> Vec<Chosen> {
    let book = place.book;
    let bounds = bounds_below(book, root, errors);
    let mut chosen = Vec::new();
    down(place, root, true, |id, _, below| {
        let own = bounds[id.index()];
        let counts = |move_bounds: Option<Bounds>| match (move_bounds, own) {
            (Some(it), Some(own)) => it.lower >= own.lower || it.upper >= own.upper,
            _ => true,
        };
        for child in book.links(id).filter_map(|link| link.child) {
            if counts(bounds[child.index()].map(turned)) {
                below[child.index()] = true;
            }
        }
        let leaf = book.leaf(id);
        if leaf.is_some_and(|leaf| counts(searched(book, id, leaf.score.into(), errors))) {
            chosen.extend(place.expansion(id));
        }
    });
    chosen
}

/// The bounds of all positions that may be below one of them, itself included, by their places.
fn bounds_below(book: &Graph, root: NodeId, errors: Errors) -> Vec<Option<Bounds>> {
    let mut bounds: Vec<Option<Bounds>> = Vec::with_capacity(root.index() + 1);
    for place in 0..=root.index() {
        let of_this = of_position(book, book.id(place), &bounds, errors);
        bounds.push(of_this);
    }
    bounds
}

/// The bounds of a position, of whose children they are known.
fn of_position(
    book: &Graph,
    id: NodeId,
    below: &[Option<Bounds>],
    errors: Errors,
) -> Option<Bounds> {
    if book.level(id).is_some_and(|level| level >= PERSON_LEVEL) {
        let value = book.value(id)?;
        return Some(Bounds {
            lower: value,
            upper: value,
        });
    }
    let children = || book.links(id).filter_map(|link| link.child);
    let score = match book.leaf(id) {
        Some(leaf) => Some(leaf.score.into()),
        None if children().next().is_some() => None,
        None => Some(book.value(id)?),
    };
    let of_leaf = score.map(|score| searched(book, id, score, errors));
    let of_links = children().map(|child| below[child.index()].map(turned));
    let of_moves = of_leaf.into_iter().chain(of_links);
    let greater = |a: Option<Bounds>, b: Option<Bounds>| {
        let (a, b) = a.zip(b)?;
        Some(Bounds {
            lower: a.lower.max(b.lower),
            upper: a.upper.max(b.upper),
        })
    };
    of_moves.reduce(greater)?
}

/// The bounds of a score that a search of a position found.
fn searched(book: &Graph, id: NodeId, score: i16, errors: Errors) -> Option<Bounds> {
    let empties = book.board(id).board().empties() as u8;
    let search = Effort::new(book.engine(id), book.level(id)?, empties);
    let Errors { midgame, endcut } = errors;
    Some(leaf_bounds(score, search, empties, midgame, endcut))
}

/// As the other side sees them.
fn turned(bounds: Bounds) -> Bounds {
    Bounds {
        lower: bounds.upper.saturating_neg(),
        upper: bounds.lower.saturating_neg(),
    }
}
