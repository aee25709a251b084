//! Edax's `book deviate`.

use super::Place;
use super::down::down;
use crate::Chosen;
use obook_graph::NodeId;

/// The positions that are reached with the root's side to move, and those with the other one; by a bit each, for passes make
/// some positions both.
const ROOTS: u8 = 1;
const OTHERS: u8 = 2;

/// One of the sides may err, by `relative` discs a move against the best of its position; the other one plays its best. In
/// even turns the root's side may.
///
/// A position counts as long as its value is within `absolute` discs of the root's, as the root's side sees it, and lines go
/// on below it. From the root on, the links of such positions lead to others where their side may play them and their value
/// is within those bounds. The leaf of such a position is expanded by the same test of its score.
///
/// Losses on a line do not add up, so the two numbers bound the moves and the value, not the sum.
pub(crate) fn choose(place: &Place<'_>, root: NodeId, relative: u8, absolute: u8) -> Vec<Chosen> {
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
