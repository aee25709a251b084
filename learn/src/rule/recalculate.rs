//! Egaroucid's recalculation of leaves.

use super::Place;
use super::budget::Budget;
use super::down::down;
use crate::{Chosen, Want};
use obook_graph::NodeId;

/// From the root on, links lead to other positions as in Egaroucid's deviation, but for either side: where they are worse than
/// the value of their position by at most `per_move` discs, and by no more than what is left of `sum`, the most that can be
/// left over all lines. The leaves of the positions that are reached are searched again where the level of the stage is a
/// stronger search.
///
/// Leaves count as far as the depth of the lines, one disc further than leaves are expanded. Those that are no legal moves, or
/// lead into the book, need no rule: no book has such leaves once it is fixed, and what lacks a leaf is searched before any rule
/// is asked.
pub(crate) fn choose(
    place: &Place<'_>,
    root: NodeId,
    per_move: Option<u16>,
    sum: Option<u16>,
) -> Vec<Chosen> {
    let book = place.book;
    let per_move = Budget::new(per_move);
    let one_further = Place {
        depth: place.depth.saturating_add(1),
        ..*place
    };
    let mut chosen = Vec::new();
    down(&one_further, root, Budget::new(sum), |id, left, below| {
        if book.leaf(id).is_some_and(|leaf| place.is_weaker(id, leaf)) {
            chosen.push(place.chosen(book.board(id), Want::Leaf, None));
        }
        let Some(value) = book.value(id) else {
            return;
        };
        for child in book.links(id).filter_map(|link| link.child) {
            if let Some(other) = book.value(child) {
                let loss = i32::from(value) + i32::from(other);
                let there = &mut below[child.index()];
                *there = left.after(loss, per_move).max(*there);
            }
        }
    });
    chosen
}
