//! What a search carries along.

use super::cpu::Cpu;
use super::evaluator::Evaluator;
use super::probcut::Grade;
use super::stability::Stability;
use super::table::Table;
use crate::Stop;
use std::sync::Arc;
use std::time::Instant;

/// Nodes between two looks at the clock.
const POLLING: u64 = 1 << 14;

/// One request's search.
pub(crate) struct Search<C> {
    pub(crate) cpu: C,
    pub(crate) evaluator: Arc<Evaluator>,
    pub(crate) stability: Stability,
    pub(crate) table: Table,
    pub(crate) nodes: u64,
    /// How much this pass may prune.
    pub(crate) grade: Grade,
    /// How many shallow searches this one is inside of.
    pub(crate) inner: u8,
    /// A limit was reached: what is returned from now on means nothing.
    pub(crate) stopped: bool,
    /// Whether time and nodes count: not before something was found.
    limited: bool,
    next_poll: u64,
    limits: Ends,
}

/// What ends the search.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    pub(crate) deadline: Option<Instant>,
    pub(crate) nodes: Option<u64>,
    pub(crate) stop: Stop,
}

impl<C: Cpu> Search<C> {
    pub(crate) fn new(cpu: C, evaluator: Arc<Evaluator>, table: Table, limits: Ends) -> Search<C> {
        Search {
            cpu,
            evaluator,
            stability: Stability::new(),
            table,
            nodes: 0,
            grade: Grade::FULL,
            inner: 0,
            stopped: false,
            limited: false,
            next_poll: 0,
            limits,
        }
    }

    /// From now on time and nodes count.
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
        self.stopped |= self
            .limits
            .deadline
            .is_some_and(|end| Instant::now() >= end);
    }
}
