//! The state of a search, and how to settle a position without searching it.

use super::cpu::Cpu;
use super::evaluator::Evaluator;
use super::node::{Candidates, Discs};
use super::probcut::Grade;
use super::stability::{EDGES, stable};
use super::table::{Effort, Entry, Table};
use crate::Limits;
use std::sync::Arc;
use std::time::Instant;

/// The number of nodes between two looks at the clock.
const POLLING: u64 = 1 << 14;

/// The search for one request.
pub(crate) struct Search<C> {
    pub(crate) cpu: C,
    pub(crate) evaluator: Arc<Evaluator>,
    /// The stable discs of edges.
    edges: &'static [u8],
    pub(crate) table: Table,
    pub(crate) nodes: u64,
    /// How much this pass may prune.
    pub(crate) grade: Grade,
    /// The number of shallow searches around this one.
    pub(crate) inner: u8,
    /// Whether a limit was reached. From then on, results are meaningless.
    pub(crate) stopped: bool,
    /// Whether limits of time and nodes apply. They don't until something has been found.
    limited: bool,
    next_poll: u64,
    limits: Limits,
    start: Instant,
}

impl<C: Cpu> Search<C> {
    pub(crate) fn new(
        cpu: C,
        evaluator: Arc<Evaluator>,
        table: Table,
        limits: Limits,
        start: Instant,
    ) -> Search<C> {
        Search {
            cpu,
            evaluator,
            edges: &EDGES,
            table,
            nodes: 0,
            grade: Grade::FULL,
            inner: 0,
            stopped: false,
            limited: false,
            next_poll: 0,
            limits,
            start,
        }
    }

    /// Applies the limits of time and nodes from now on.
    pub(crate) fn limit(&mut self) {
        self.limited = true;
        self.next_poll = 0;
    }

    /// Whether a limit was reached.
    #[inline(always)]
    pub(crate) fn must_stop(&mut self) -> bool {
        if self.nodes >= self.next_poll {
            self.poll();
        }
        self.stopped
    }

    #[cold]
    fn poll(&mut self) {
        self.next_poll = self.nodes + POLLING;
        self.stopped |= self.limits.stop.is_set();
        if !self.limited {
            return;
        }
        if let Some(nodes) = self.limits.nodes {
            self.next_poll = self.next_poll.min(nodes.max(self.nodes + 1));
            self.stopped |= self.nodes >= nodes;
        }
        let lasted = self.start.elapsed();
        self.stopped |= self.limits.time.is_some_and(|time| lasted >= time);
    }
}

/// An upper bound of at most `alpha`, if the other side's stable discs give one.
#[inline(always)]
pub(crate) fn stable_bound<C: Cpu>(search: &Search<C>, discs: Discs, alpha: i32) -> Option<i32> {
    if alpha < STABILITY_FROM {
        return None;
    }
    let bound = 64 - 2 * stable(search.edges, discs.passed()).count_ones() as i32;
    (bound <= alpha).then_some(bound)
}

/// Below this `alpha`, the other side's stable discs hardly ever decide.
const STABILITY_FROM: i32 = 8;

/// The table's bound, if it settles whether the score is above `alpha`.
#[inline(always)]
pub(crate) fn cutoff(entry: &Entry, effort: Effort, alpha: i32) -> Option<i32> {
    if entry.effort.depth < effort.depth || entry.effort.grade < effort.grade {
        return None;
    }
    let (lower, upper) = (i32::from(entry.lower), i32::from(entry.upper));
    if lower > alpha {
        return Some(lower);
    }
    (upper <= alpha).then_some(upper)
}

/// Enhanced transposition cutoff: finds a child known to be bad enough for the other side.
#[inline(always)]
pub(crate) fn look_ahead<C: Cpu>(
    search: &Search<C>,
    discs: Discs,
    candidates: &Candidates,
    effort: Effort,
    alpha: i32,
) -> Option<i32> {
    for candidate in &candidates.0 {
        let child = discs.after(usize::from(candidate.square), candidate.flips);
        if let Some(entry) = search.table.get(child)
            && entry.effort.depth + 1 >= effort.depth
            && entry.effort.grade >= effort.grade
            && -i32::from(entry.upper) > alpha
        {
            return Some(-i32::from(entry.upper));
        }
    }
    None
}
