//! Edax's commands that grow a book: `book deviate`, `extend`, `play`, `enhance`, `fill`, `deepen`, `correct` and `store`.
//!
//! These rules don't copy what looks like a defect of Edax's:
//!
//! | Edax | obook |
//! | --- | --- |
//! | `deviate` computes values only after both of its passes, so the second expands leaves that are no longer within the limits, and both are measured by an old value of the start | computes values before each pass |
//! | has links between new positions only after `book fix` | has them at once |
//! | `enhance` ends after one pass, and writes its errors into the book | continues until nothing is left, unless the stage has an `until`; the errors only affect the choice |
//! | `deepen` searches leaves again at their old level | searches at the level of the stage |
//! | searches a position as the moves made it, so that among equal moves the order of squares decides differently | searches it as the book stores it |
//! | does nothing if the book lacks the position to start from | adds the positions on the way there |

use super::setting::{Choice, Setting, down, has_best_leaf, look_up, replies};
use crate::{Chosen, Want};
use obook_graph::negamax::leaf_bounds;
use obook_graph::slabs::Slabs;
use obook_graph::{Graph, NodeId};
use obook_othello::levels::{Effort, is_solved, of_leaf};
use obook_othello::{Board, Bounds, CanonicalBoard, is_entered};
use rayon::prelude::*;
use std::collections::HashSet;

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
pub(crate) fn deviate(
    book: &mut Slabs,
    setting: &Setting<'_>,
    relative: u8,
    absolute: u8,
) -> Choice {
    let mut at_root = None;
    let errs = match setting.turn.is_multiple_of(2) {
        true => ROOTS,
        false => OTHERS,
    };
    down(book, setting, ROOTS, |book, id, sides, below| {
        let value = i32::from(book.value(id)?);
        // The root comes first.
        let at_root = *at_root.get_or_insert(value);
        let mut expands = false;
        for side in [ROOTS, OTHERS] {
            let to_root = if side == ROOTS { 1 } else { -1 };
            let near = |score: i32| (to_root * score - at_root).abs() <= absolute.into();
            if sides & side == 0 || !near(value) {
                continue;
            }
            let may_lose = if side == errs { relative.into() } else { 0 };
            let follows = |score: i32| value - score <= may_lose && near(score);
            for (child, reply) in replies(book, id) {
                if follows(-i32::from(reply)) {
                    below[child.index()] |= ROOTS + OTHERS - side;
                }
            }
            expands |= book.leaf(id).is_some_and(|leaf| follows(leaf.score.into()));
        }
        expands.then(|| setting.expansion(book, id))?
    })
}

/// Follows and expands every move that may turn out to be the best of its position, if searches err by this many discs: `midgame` if
/// they do not reach the end of the game, `endcut` if they do but are selective.
///
/// Bounds follow from leaves and links as in Edax's books, with these errors in place of the book's. A link is followed if its
/// lower bound or its upper bound is as great as the position's. A leaf is expanded by the same test. A move without bounds, because
/// its level is unknown, may be anything.
pub(crate) fn enhance(
    book: &mut Slabs,
    setting: &Setting<'_>,
    midgame: i32,
    endcut: i32,
) -> Choice {
    book.sweep_up(|slab| {
        let graph = slab.graph_mut();
        for place in graph.unfrozen_places() {
            let id = graph.id(place);
            let bounds = of_position(graph, id, midgame, endcut);
            graph.set_bounds(id, bounds);
        }
        Ok(())
    })?;
    down(book, setting, true, |book, id, _, below| {
        let own = book.bounds(id);
        let counts = |move_bounds: Option<Bounds>| match (move_bounds, own) {
            (Some(it), Some(own)) => it.lower >= own.lower || it.upper >= own.upper,
            _ => true,
        };
        for child in book.links(id).filter_map(|link| link.child) {
            if counts(book.bounds(child).map(Bounds::turned)) {
                below[child.index()] = true;
            }
        }
        let leaf = book.leaf(id)?;
        let expands = counts(searched(book, id, leaf.score.into(), midgame, endcut));
        expands.then(|| setting.expansion(book, id))?
    })
}

/// The bounds of a position whose children have theirs.
fn of_position(book: &Graph, id: NodeId, midgame: i32, endcut: i32) -> Option<Bounds> {
    if is_entered(book.level(id)) {
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
    let of_leaf = score.map(|score| searched(book, id, score, midgame, endcut));
    let of_links = children().map(|child| book.bounds(child).map(Bounds::turned));
    let of_moves = of_leaf.into_iter().chain(of_links);
    let greater = |a: Option<Bounds>, b: Option<Bounds>| Some(a?.greater(b?));
    of_moves.reduce(greater)?
}

/// The bounds of a score that a search of a position found.
fn searched(book: &Graph, id: NodeId, score: i16, midgame: i32, endcut: i32) -> Option<Bounds> {
    let empties = book.board(id).board().empties() as u8;
    let search = Effort::new(book.engine(id), book.level(id)?, empties);
    Some(leaf_bounds(score, search, empties, midgame, endcut))
}

/// Tries all lines of this many plies from every position. If one ends at a position of the book, adds the boards between that the
/// book lacks. A pass counts as a ply.
pub(crate) fn fill(book: &mut Slabs, setting: &Setting<'_>, plies: u8) -> Choice {
    let mut boards: Vec<CanonicalBoard> = Vec::new();
    // The boards below, as far down as lines from the next slab reach.
    let mut below: HashSet<CanonicalBoard> = HashSet::new();
    book.scan(|slab| {
        let graph = slab.graph();
        let is_position = |board| graph.find(board).is_some() || below.contains(&board);
        let between = |id: NodeId| {
            let board = graph.board(id).board();
            let mut found = Vec::new();
            if setting.goes_on(board) {
                look(&is_position, board, plies, &mut found);
            }
            found
        };
        boards.par_extend(graph.unfrozen().flat_map_iter(between));
        boards.par_sort_unstable();
        boards.dedup();
        let least = slab.layers().end.saturating_sub(plies.into());
        let is_near = |board: &CanonicalBoard| board.board().empties() as usize >= least;
        below.retain(is_near);
        below.extend(graph.ids().map(|id| graph.board(id)).filter(is_near));
    })?;
    let chosen = boards.into_iter().filter_map(|it| setting.missing(it));
    Ok(Some(chosen.collect()))
}

/// Whether a line of this many plies leads from a board to a position of the book. Finds the boards between that the book lacks.
fn look(
    is_position: &impl Fn(CanonicalBoard) -> bool,
    board: Board,
    plies: u8,
    found: &mut Vec<CanonicalBoard>,
) -> bool {
    let mut any = false;
    for (_, child) in board.children() {
        let board = child.canonical();
        let leads_there = match plies {
            1 => is_position(board),
            _ => look(is_position, child, plies - 1, found),
        };
        if leads_there && plies > 1 && !is_position(board) {
            found.push(board);
        }
        any |= leads_there;
    }
    any
}

/// Searches leaves again that come from a weaker search than the stage makes. The depth and selectivity at this number of empty
/// squares count, not the number of the level: a proven leaf is never weaker.
pub(crate) fn deepen(book: &mut Slabs, setting: &Setting<'_>) -> Choice {
    of_each(book, |book, id| setting.deepening(book, id))
}

/// Searches all leaves with proven scores again, each at its own level, except those that a person entered. Once only: the book
/// does not tell which of them were.
pub(crate) fn correct(book: &mut Slabs, setting: &Setting<'_>) -> Choice {
    if setting.turn > 0 {
        return Ok(Some(Vec::new()));
    }
    of_each(book, |book, id| {
        let leaf = book.leaf(id).filter(|leaf| leaf.mv.is_some())?;
        let level = setting.level_of(book, id, leaf)?;
        let own = of_leaf(leaf, book.level(id), book.engine(id))?;
        let board = book.board(id);
        let is_proven = is_solved(leaf.engine, own, board.board().empties() as u8);
        is_proven.then(|| Chosen::new(board, Want::Leaf, Some(level)))
    })
}

/// The choices at all positions.
fn of_each(book: &mut Slabs, choose: impl Fn(&Graph, NodeId) -> Option<Chosen> + Sync) -> Choice {
    let mut chosen = Vec::new();
    book.scan(|slab| {
        let graph = slab.graph();
        chosen.par_extend(graph.unfrozen().filter_map(|id| choose(graph, id)));
    })?;
    Ok(Some(chosen))
}

/// Adds all positions of the games, each with its leaf. With `best`, as Egaroucid does, then also what the best move of each leads
/// to, if that is its leaf.
pub(crate) fn store(book: &mut Slabs, setting: &Setting<'_>, best: bool) -> Choice {
    let boards: Vec<CanonicalBoard> = setting.played.boards().map(|(board, _)| board).collect();
    let chosen = look_up(book, &boards, |book, board| match book.find(board) {
        None => setting.missing(board),
        Some(id) if best && has_best_leaf(book, id) && setting.goes_on(board.board()) => {
            setting.expansion(book, id)
        }
        Some(_) => None,
    })?;
    Ok(Some(chosen.into_iter().flatten().collect()))
}
