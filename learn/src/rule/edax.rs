//! Edax's commands that grow a book: `book deviate`, `extend`, `play`, `enhance`, `fill`, `deepen`, `correct` and `store`.

use super::Plies;
use super::place::{Place, down, down_all};
use crate::{Chosen, Want};
use obook_graph::negamax::leaf_bounds;
use obook_graph::{Graph, NodeId};
use obook_model::levels::{Effort, is_solved, of_leaf};
use obook_model::{Bounds, PERSON_LEVEL};
use obook_othello::{Board, CanonicalBoard};
use rayon::prelude::*;

/// Bits for the positions with the root's side to move and for those with the other side. Because of passes, some are both.
const ROOTS: u8 = 1;
const OTHERS: u8 = 2;

/// One side may err by `relative` discs a move, compared with the best move of the position. The other one plays its best. In even
/// turns, the root's side may err.
///
/// A position counts if its value is within `absolute` discs of the root's, seen by the root's side, and if lines may be longer.
/// From the root on, links of such positions are followed if their side may play them and their value is within those bounds.
/// A leaf is expanded if its score passes the same test.
///
/// Losses on a line do not add up: the two numbers bound each move and the value, not the sum.
pub(crate) fn deviate(place: &Place<'_>, root: NodeId, relative: u8, absolute: u8) -> Vec<Chosen> {
    let book = place.book;
    let mut chosen = Vec::new();
    let Some(at_root) = book.value(root).map(i32::from) else {
        return chosen;
    };
    let errs = if place.turn.is_multiple_of(2) {
        ROOTS
    } else {
        OTHERS
    };
    down(place, root, ROOTS, |id, sides, below| {
        let Some(value) = book.value(id).map(i32::from) else {
            return;
        };
        for side in [ROOTS, OTHERS] {
            let to_root = if side == ROOTS { 1 } else { -1 };
            let near = |score: i32| (to_root * score - at_root).abs() <= absolute.into();
            if sides & side == 0 || !near(value) {
                continue;
            }
            let may_lose = if side == errs { relative.into() } else { 0 };
            let follows = |score: i32| value - score <= may_lose && near(score);
            for child in book.links(id).filter_map(|link| link.child) {
                if book
                    .value(child)
                    .is_some_and(|value| follows(-i32::from(value)))
                {
                    below[child.index()] |= ROOTS + OTHERS - side;
                }
            }
            if book.leaf(id).is_some_and(|leaf| follows(leaf.score.into())) {
                chosen.extend(place.expansion(id));
            }
        }
    });
    chosen
}

/// Expands the leaves that are worth as much as their position, wherever links lead from the root, until the best move of each
/// position leads to a position of the book.
pub(crate) fn extend(place: &Place<'_>, root: NodeId) -> Vec<Chosen> {
    let mut chosen = Vec::new();
    down_all(place, root, |id| {
        if place.has_best_leaf(id) {
            chosen.extend(place.expansion(id));
        }
    });
    chosen
}

/// Expands the leaves of positions without links, wherever links lead from the root, until every line reaches the depth of the
/// book or the end of its game.
pub(crate) fn play(place: &Place<'_>, root: NodeId) -> Vec<Chosen> {
    let mut chosen = Vec::new();
    down_all(place, root, |id| {
        if place.book.links(id).len() == 0 {
            chosen.extend(place.expansion(id));
        }
    });
    chosen
}

/// The errors that searches may make, in discs: those that do not reach the end of the game, and selective ones that do.
#[derive(Clone, Copy)]
pub(crate) struct Errors {
    pub(crate) midgame: i32,
    pub(crate) endcut: i32,
}

/// Follows and expands every move that may turn out to be the best of its position, if searches err as much as this.
///
/// Bounds follow from leaves and links as in Edax's books, with these errors in place of the book's. A link is followed if its
/// lower bound or its upper bound is as great as the position's. A leaf is expanded by the same test. A move without bounds, because
/// its level is unknown, may be anything.
pub(crate) fn enhance(place: &Place<'_>, root: NodeId, errors: Errors) -> Vec<Chosen> {
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

/// The bounds of all positions that may be below this one, and its own, by their places.
fn bounds_below(book: &Graph, root: NodeId, errors: Errors) -> Vec<Option<Bounds>> {
    let mut bounds: Vec<Option<Bounds>> = Vec::with_capacity(root.index() + 1);
    for place in 0..=root.index() {
        let of_this = of_position(book, book.id(place), &bounds, errors);
        bounds.push(of_this);
    }
    bounds
}

/// The bounds of a position whose children's bounds are known.
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

/// Bounds as the other side sees them.
fn turned(bounds: Bounds) -> Bounds {
    Bounds {
        lower: bounds.upper.saturating_neg(),
        upper: bounds.lower.saturating_neg(),
    }
}

/// Tries all lines of this many plies from every position. If one ends at a position of the book, adds the boards between that the
/// book lacks. A pass counts as a ply.
pub(crate) fn fill(place: &Place<'_>, plies: Plies) -> Vec<Chosen> {
    let book = place.book;
    let between = |at: usize| {
        let board = book.board(book.id(at)).board();
        let mut found = Vec::new();
        if place.goes_on(board) {
            look(book, board, plies.get(), &mut found);
        }
        found
    };
    let mut boards: Vec<CanonicalBoard> = (0..book.len())
        .into_par_iter()
        .flat_map_iter(between)
        .collect();
    boards.par_sort_unstable();
    boards.dedup();
    let chosen = boards
        .into_iter()
        .filter(|board| place.has_room_for(board.board()));
    chosen
        .map(|board| place.chosen(board, Want::Position, None))
        .collect()
}

/// Whether a line of this many plies leads from a board to a position of the book. Finds the boards between that the book lacks.
fn look(book: &Graph, board: Board, plies: u8, found: &mut Vec<CanonicalBoard>) -> bool {
    let mut any = false;
    for (_, child) in board.children() {
        let board = child.canonical();
        let is_position = || book.find(board).is_some();
        let leads_there = match plies {
            1 => is_position(),
            _ => look(book, child, plies - 1, found),
        };
        if leads_there && plies > 1 && !is_position() {
            found.push(board);
        }
        any |= leads_there;
    }
    any
}

/// Searches leaves again that come from a weaker search than the stage makes. The depth and selectivity at this number of empty
/// squares count, not the number of the level: a proven leaf is never weaker.
pub(crate) fn deepen(place: &Place<'_>) -> Vec<Chosen> {
    let book = place.book;
    let ids = (0..book.len()).into_par_iter().map(|at| book.id(at));
    ids.filter(|id| {
        book.leaf(*id)
            .is_some_and(|leaf| place.is_weaker(*id, leaf))
    })
    .map(|id| place.chosen(book.board(id), Want::Leaf, None))
    .collect()
}

/// Searches all leaves with proven scores again, each at its own level, except those that a person entered. Once only: the book
/// does not tell which of them were.
pub(crate) fn correct(place: &Place<'_>) -> Vec<Chosen> {
    if place.turn > 0 {
        return Vec::new();
    }
    let book = place.book;
    let chosen = |at: usize| {
        let id = book.id(at);
        let leaf = book.leaf(id).filter(|leaf| leaf.mv.is_some())?;
        let level = place.level_of(id, leaf)?;
        let own = of_leaf(leaf, book.level(id), book.engine(id))?;
        let board = book.board(id);
        let is_proven = is_solved(leaf.engine, own, board.board().empties() as u8);
        is_proven.then(|| place.chosen(board, Want::Leaf, Some(level)))
    };
    (0..book.len()).into_par_iter().filter_map(chosen).collect()
}

/// Adds all positions of the games, each with its leaf. With `best`, as Egaroucid does, then also what the best move of each leads
/// to, if that is its leaf.
pub(crate) fn store(place: &Place<'_>, best: bool) -> Vec<Chosen> {
    let book = place.book;
    let of = |board| match book.find(board) {
        None => place.missing(board),
        Some(id) if best && place.has_best_leaf(id) && place.goes_on(board.board()) => {
            place.expansion(id)
        }
        Some(_) => None,
    };
    place
        .played
        .boards()
        .filter_map(|(board, _)| of(board))
        .collect()
}
