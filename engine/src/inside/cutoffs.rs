//! What settles a position without a search of its own.

use super::choices::Choices;
use super::cpu::Cpu;
use super::discs::Discs;
use super::search::Search;
use super::table::{Effort, Entry};

/// An upper bound that is not above `alpha`, if the other side's stable discs give one.
#[inline(always)]
pub(crate) fn stable_bound<C: Cpu>(search: &Search<C>, discs: Discs, alpha: i32) -> Option<i32> {
    if alpha < STABILITY_FROM {
        return None;
    }
    let bound = 64 - 2 * search.stability.count(discs.passed()) as i32;
    (bound <= alpha).then_some(bound)
}

/// Below this the other side's stable discs hardly ever decide.
const STABILITY_FROM: i32 = 8;

/// What the table says, if that settles whether the score is above `alpha`.
#[inline(always)]
pub(crate) fn cutoff(entry: &Entry, effort: Effort, alpha: i32) -> Option<i32> {
    if entry.depth < effort.depth || entry.grade < effort.grade {
        return None;
    }
    let (lower, upper) = (i32::from(entry.lower), i32::from(entry.upper));
    if lower > alpha {
        return Some(lower);
    }
    (upper <= alpha).then_some(upper)
}

/// Enhanced transposition cutoff: a child that is known to be bad enough for the other side.
#[inline(always)]
pub(crate) fn look_ahead<C: Cpu>(
    search: &Search<C>,
    discs: Discs,
    choices: &Choices,
    effort: Effort,
    alpha: i32,
) -> Option<i32> {
    for choice in choices.iter() {
        let child = discs.after(usize::from(choice.square), choice.flips);
        if let Some(entry) = search.table.get(child)
            && entry.depth + 1 >= effort.depth
            && entry.grade >= effort.grade
            && -i32::from(entry.upper) > alpha
        {
            return Some(-i32::from(entry.upper));
        }
    }
    None
}
