//! Egaroucid's deviation of a book.

use super::Place;
use super::budget::Budget;
use super::down::down;
use crate::{Chosen, Variation, Want};
use obook_graph::NodeId;

/// How much may be lost, in discs; `None`: anything.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) per_move: Option<u16>,
    pub(crate) sum: Option<u16>,
    pub(crate) leaf: Option<u16>,
}

/// What may still be lost below a position where the side to move plays only its best, and where the other one does. A line
/// takes both from side to side.
#[derive(Clone, Copy, Default, PartialEq)]
struct Budgets {
    best: Budget,
    any: Budget,
}

/// One of the sides plays only its best, the other one any link; once with each of the two as the one that plays its best.
///
/// From the root on, as far as lines go on, links lead to other positions where they are worse than the value of their
/// position by at most `per_move` discs, and by no more than what is left of `sum`; what they lose, whichever side it is,
/// is not left any more. The most that can be left at a position counts, over all lines that lead there. Where the side to
/// move plays only its best, its links count only if none of its moves is better, its leaf included.
///
/// The leaf is wanted, as a whole variation, if it is worse than the value of its position by at most `leaf` discs; where the
/// side to move plays only its best, only if no link is better.
pub(crate) fn choose(place: &Place<'_>, root: NodeId, limits: Limits) -> Vec<Chosen> {
    let book = place.book;
    let per_move = Budget::new(limits.per_move);
    let for_leaf = Budget::new(limits.leaf);
    let sum = Budget::new(limits.sum);
    let mut chosen = Vec::new();
    let both = Budgets {
        best: sum,
        any: sum,
    };
    down(place, root, both, |id, left, below| {
        let Some(value) = book.value(id) else {
            return;
        };
        let loss = |score: i16| i32::from(value) - i32::from(score);
        let links = || {
            let children = book.links(id).filter_map(|link| link.child);
            children.filter_map(|child| Some((child, book.value(child)?.saturating_neg())))
        };
        let of_leaf = book.leaf(id).map(|leaf| i16::from(leaf.score));
        let best = links().map(|(_, score)| score).max().max(of_leaf);
        for (child, score) in links() {
            let after = |left: Budget| left.after(loss(score), per_move);
            let there = &mut below[child.index()];
            if Some(score) == best {
                there.any = there.any.max(after(left.best));
            }
            there.best = there.best.max(after(left.any));
        }
        let Some(score) = of_leaf.filter(|score| for_leaf.allows(loss(*score))) else {
            return;
        };
        let best_left = match Some(score) == best {
            true => left.best,
            false => Budget::NOT_REACHED,
        };
        let left = left.any.max(best_left);
        let Some(child) = place.child_of_leaf(id).filter(|_| left.is_reached()) else {
            return;
        };
        let variation = Variation {
            promised: value,
            within: per_move.min(left).limit(),
        };
        chosen.push(place.chosen(child, Want::Variation(variation), None));
    });
    chosen
}
