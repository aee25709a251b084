//! Egaroucid's ways to grow a book: its deviation, and its recalculation of leaves.
//!
//! These rules don't copy what looks like a defect of Egaroucid's:
//!
//! | Egaroucid | obook |
//! | --- | --- |
//! | visits a position with what is left of the sum on its first line (this affects `recalculate`) | uses the best line |
//! | the walk for White stops at leaves that the walk for Black has chosen | makes independent walks |
//! | expands leaves one by one, so the order matters | searches the whole choice in the book as it was |
//! | leaves old values until the user fixes the book | has correct values before each choice |
//! | may turn the leaf at the end of a variation to a wrong square | keeps leaves on their squares |
//! | searches leaves that were lost to links two levels lower, at most at 20 or 21 | searches as deeply as the lost leaf |
//! | recalculates leaves whose level is a smaller number, even solved ones | compares the strength of searches |
//! | `store` adds what each best move leads to once, even if its search disappoints | continues until each best move leads into the book |

use super::setting::{Choice, Setting, child_of_leaf, down, replies};
use crate::{Chosen, Variation, Want};
use obook_graph::slabs::Slabs;

/// The discs that may still be lost below a position if the side to move plays only its best, and if the other side does.
#[derive(Clone, Copy, Default, PartialEq)]
struct Budgets {
    best: Left,
    any: Left,
}

/// One side plays only its best, the other one any link; once for each side.
///
/// From the root on, a link is followed if it is worse than the value of its position by at most `per_move` discs, and by no more
/// than what is left of `sum`. Its loss is subtracted, whichever side makes it. Of all lines to a position, the one with
/// the most left counts. For the side that plays only its best, a link counts only if no move is better, the leaf included.
///
/// A leaf becomes a whole variation if it is worse than the value of its position by at most `leaf` discs; for the side that
/// plays only its best, only if no link is better.
pub(crate) fn deviate(
    book: &mut Slabs,
    setting: &Setting<'_>,
    per_move: Option<u16>,
    sum: Option<u16>,
    leaf: Option<u16>,
) -> Choice {
    let [per_move, sum, for_leaf] = [per_move, sum, leaf].map(limit);
    let both = Budgets {
        best: Some(sum),
        any: Some(sum),
    };
    down(book, setting, both, |book, id, left, below| {
        let value = book.value(id)?;
        let loss = |score: i16| i32::from(value) - i32::from(score);
        let links = || replies(book, id).map(|(child, reply)| (child, reply.saturating_neg()));
        let of_leaf = book.leaf(id).map(|leaf| i16::from(leaf.score));
        let best = links().map(|(_, score)| score).max().max(of_leaf);
        for (child, score) in links() {
            let rest = |left| after(left, loss(score), per_move);
            let there = &mut below[child.index()];
            if Some(score) == best {
                there.any = there.any.max(rest(left.best));
            }
            there.best = there.best.max(rest(left.any));
        }
        let score = of_leaf.filter(|score| loss(*score) <= for_leaf)?;
        let left = left.any.max(left.best.filter(|_| Some(score) == best))?;
        let variation = Variation {
            promised: value,
            within: u16::try_from(per_move.min(left)).ok(),
        };
        let child = child_of_leaf(book, id)?;
        Some(Chosen::new(child, Want::Variation(variation), None))
    })
}

/// Follows links as [`deviate`] does, but for both sides: those that are worse than the value of their position by at most `per_move`
/// discs, and by no more than what is left of `sum`. Searches the leaves of these positions again if the level of the stage is a
/// stronger search.
///
/// Leaves count to the depth of the lines, one disc further than leaves are expanded. Illegal leaves and those that lead into the
/// book need no rule: a book that is fixed has none, and missing leaves are searched before any rule is asked.
pub(crate) fn recalculate(
    book: &mut Slabs,
    setting: &Setting<'_>,
    per_move: Option<u16>,
    sum: Option<u16>,
) -> Choice {
    let [per_move, sum] = [per_move, sum].map(limit);
    let one_further = Setting {
        depth: setting.depth.saturating_add(1),
        ..*setting
    };
    down(book, &one_further, Some(sum), |book, id, left, below| {
        if let Some(value) = book.value(id) {
            for (child, reply) in replies(book, id) {
                let loss = i32::from(value) + i32::from(reply);
                let there = &mut below[child.index()];
                *there = after(left, loss, per_move).max(*there);
            }
        }
        setting.deepening(book, id)
    })
}

/// The discs that may still be lost below a position; `None` if no line leads there.
type Left = Option<i32>;

/// A limit in discs; `None`: no limit.
fn limit(discs: Option<u16>) -> i32 {
    discs.map_or(i32::MAX, i32::from)
}

/// The rest after a move with this loss, if neither limit forbids it. A gain gives nothing back.
fn after(left: Left, loss: i32, per_move: i32) -> Left {
    let left = left.filter(|left| loss <= per_move.min(*left))?;
    Some(left - loss.max(0))
}
