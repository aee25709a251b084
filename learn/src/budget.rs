//! How far a run may go, by its time and its limit.
//!
//! A position that becomes a link costs its parents their leaves, and these have to be searched before the run ends. So a search
//! that makes a position begins only if everything that may then be missing can still be searched.

use crate::queue::{Queue, Task, Want};
use crate::report::Stopped;
use crate::search::Clock;
use foldhash::{HashMap, HashMapExt};
use obook_book::{Error, Result, Store};
use obook_othello::{CanonicalBoard, Move};
use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, Instant};

/// How much longer than its time a run may take, if leaves are missing because of it.
const LATE: f64 = 0.1;
/// Missing leaves take longer than the average search: they are near the start.
const SLOWER: f64 = 1.25;
/// The number of answers that tell how fast they come.
const RECENT: usize = 64;
/// The weight of the latest search in the mean duration of a search.
const LATEST: f64 = 0.125;

/// The rest of a run's time and limit.
pub(crate) struct Budget {
    clock: Clock,
    /// The time is up,
    deadline: Option<Instant>,
    /// and the run ends whatever is missing.
    end: Option<Instant>,
    limit: Option<u64>,
    answered: u64,
    /// Questions without a reply.
    out: u64,
    /// Missing leaves that can be searched, as the book was committed last.
    missing: u64,
    /// Tasks that have begun and are not in the book.
    open: HashMap<CanonicalBoard, Open>,
    /// Leaves that they may cost.
    owed: u64,
    /// Those of them that search a missing leaf.
    mending: u64,
    /// Answers that make a position and are not in the book.
    unsettled: u64,
    /// Whether the run has made positions.
    has_expanded: bool,
    recent: VecDeque<Instant>,
    /// The mean duration of a search, in seconds,
    lasting: f64,
    /// and the greatest number of questions without a reply.
    depth: u64,
    /// How much longer than its time the run may take, in seconds.
    spare: f64,
}

struct Open {
    /// The number of leaves that it may cost.
    costs: u64,
    /// Whether it searches a missing leaf,
    mends: bool,
    /// or makes a position.
    expands: bool,
    is_answered: bool,
}

/// A task may not begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Refusal {
    pub(crate) reason: Stopped,
    /// Whether missing leaves can't be searched either.
    pub(crate) is_final: bool,
}

impl Budget {
    pub(crate) fn new(
        book: &Store,
        time: Option<Duration>,
        limit: Option<u64>,
        clock: &Clock,
    ) -> Result<Budget> {
        let now = clock.now();
        let end = time.and_then(|time| now.checked_add(time.mul_f64(1.0 + LATE)));
        let mut budget = Budget {
            clock: clock.clone(),
            deadline: end.and(time).map(|time| now + time),
            end,
            limit,
            answered: 0,
            out: 0,
            missing: 0,
            open: HashMap::new(),
            owed: 0,
            mending: 0,
            unsettled: 0,
            has_expanded: false,
            recent: VecDeque::new(),
            lasting: 0.0,
            depth: 0,
            spare: time.unwrap_or_default().as_secs_f64() * LATE,
        };
        budget.count_missing(book)?;
        Ok(budget)
    }

    fn is_limited(&self) -> bool {
        self.limit.is_some() || self.deadline.is_some()
    }

    /// Whether the time is up.
    pub(crate) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|it| self.clock.now() >= it)
    }

    /// Whether there are as many answers as the limit allows.
    pub(crate) fn is_spent(&self) -> bool {
        self.limit.is_some_and(|limit| self.answered >= limit)
    }

    /// Whether the run continues after its time, for the leaves that are missing because of it.
    pub(crate) fn has_to_complete(&self) -> bool {
        let is_missing = self.missing + self.unsettled > 0;
        let is_over = self.end.is_some_and(|it| self.clock.now() >= it);
        self.has_expanded && is_missing && !is_over
    }

    /// When to look at the clock next.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        if self.is_late() {
            self.end
        } else {
            self.deadline
        }
    }

    /// Lets a task begin, or says why it may not. `asks`: whether it takes a search.
    pub(crate) fn admit(
        &mut self,
        book: &Store,
        task: &Task,
        asks: bool,
    ) -> Result<Option<Refusal>> {
        if !self.is_limited() {
            return Ok(None);
        }
        let mends = self.mends(book, task)?;
        let costs = self.costs(book, task)?;
        let searches = self.out + u64::from(asks);
        let debts = match task.expands() || self.has_expanded || self.owed > 0 {
            true => {
                let mending = self.mending + u64::from(mends);
                self.missing.saturating_sub(mending) + self.owed + costs
            }
            // This run need not complete leaves that were missing before.
            false => 0,
        };
        if let Some(reason) = self.refuses(task, mends, searches, debts) {
            let has_debts = self.has_expanded || self.owed > 0;
            return Ok(Some(Refusal {
                reason,
                is_final: mends || !has_debts && !task.expands(),
            }));
        }
        self.out = searches;
        self.depth = self.depth.max(searches);
        self.owed += costs;
        self.mending += u64::from(mends);
        let expands = task.expands();
        self.has_expanded |= expands && !asks;
        self.unsettled += u64::from(expands && !asks);
        let open = Open {
            costs,
            mends,
            expands,
            is_answered: !asks,
        };
        self.open.insert(task.board, open);
        Ok(None)
    }

    fn refuses(&self, task: &Task, mends: bool, searches: u64, debts: u64) -> Option<Stopped> {
        let later = if mends { 0 } else { debts };
        if self
            .limit
            .is_some_and(|limit| self.answered + searches + later > limit)
        {
            return Some(Stopped::Limit);
        }
        let deadline = self.deadline?;
        let now = self.clock.now();
        let is_late = match mends {
            true => now >= deadline && !self.has_to_complete(),
            false => {
                let each = self.each(now);
                // It is searched, and then the leaves that it costs.
                let two = 2.0 * self.lasting.min(each * self.depth as f64);
                let needed = match task.expands() || debts > 0 {
                    true => SLOWER * two.max(each * (searches + debts) as f64),
                    false => 0.0,
                };
                let is_idle = searches <= 1 && self.open.is_empty() && self.missing == 0;
                let time_left = deadline.saturating_duration_since(now).as_secs_f64();
                // Times of searches by other runs may be wrong. With no search in progress there is little to lose.
                time_left
                    <= if is_idle {
                        needed.min(self.spare)
                    } else {
                        needed
                    }
            }
        };
        is_late.then_some(Stopped::Time)
    }

    /// Seconds from answer to answer.
    fn each(&self, now: Instant) -> f64 {
        match (self.recent.front(), self.recent.len()) {
            (Some(first), count @ 2..) => {
                now.duration_since(*first).as_secs_f64() / (count - 1) as f64
            }
            _ => self.lasting,
        }
    }

    /// An answer has come to what was asked then.
    pub(crate) fn answered(&mut self, task: &Task, asked: Instant) {
        let now = self.clock.now();
        let lasted = now.duration_since(asked).as_secs_f64();
        self.lasting = match self.recent.is_empty() {
            true => lasted,
            false => self.lasting + LATEST * (lasted - self.lasting),
        };
        self.recent.push_back(now);
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
        self.answered += 1;
        self.out = self.out.saturating_sub(1);
        if let Some(open) = self.open.get_mut(&task.board) {
            open.is_answered = true;
            self.has_expanded |= open.expands;
            self.unsettled += u64::from(open.expands);
        }
    }

    /// A search has failed.
    pub(crate) fn failed(&mut self) {
        self.out = self.out.saturating_sub(1);
    }

    /// The answer of a task is not taken.
    pub(crate) fn release(&mut self, task: &Task) {
        self.out = self.out.saturating_sub(1);
        self.forget(task);
    }

    /// The outcomes of these tasks are in the book.
    pub(crate) fn taken_in(&mut self, book: &Store, tasks: &[Task]) -> Result<()> {
        tasks.iter().for_each(|task| self.forget(task));
        self.count_missing(book)
    }

    /// Nothing is under way any more.
    pub(crate) fn close(&mut self) {
        self.open.clear();
        (self.out, self.owed, self.mending, self.unsettled) = (0, 0, 0, 0);
    }

    fn forget(&mut self, task: &Task) {
        if let Some(open) = self.open.remove(&task.board) {
            self.owed -= open.costs;
            self.mending -= u64::from(open.mends);
            self.unsettled -= u64::from(open.expands && open.is_answered);
        }
    }

    fn count_missing(&mut self, book: &Store) -> Result<()> {
        if self.is_limited() {
            let missing = Queue(book.connection()).count_missing();
            self.missing = missing.map_err(Error::sqlite(book.path(), "read"))?;
        }
        Ok(())
    }

    /// Whether a task searches a missing leaf.
    fn mends(&self, book: &Store, task: &Task) -> Result<bool> {
        let lacks = || Queue(book.connection()).lacks(task.board);
        match task.want {
            Want::Leaf => lacks().map_err(Error::sqlite(book.path(), "read")),
            Want::Position | Want::Variation(_) => Ok(false),
        }
    }

    /// The number of leaves that a task may cost. A limit is never exceeded, so it takes the exact number; to estimate how long
    /// that takes, one for each new position will do.
    fn costs(&self, book: &Store, task: &Task) -> Result<u64> {
        if self.limit.is_none() {
            return Ok(u64::from(task.expands()));
        }
        let mut costs = 0;
        if task.expands() {
            let parents = task.board.board().parents();
            let parents: BTreeSet<_> = parents.map(|(_, parent)| parent.canonical()).collect();
            for parent in parents {
                let may_lead_here = self.open.contains_key(&parent)
                    || Queue(book.connection())
                        .leaf(parent)
                        .map_err(Error::sqlite(book.path(), "read"))?
                        .and_then(|mv| parent.board().play(mv))
                        .is_some_and(|child| child.canonical() == task.board);
                costs += u64::from(may_lead_here);
            }
        }
        // Its answer may be a move that leads into the book by then.
        for (mv, child) in task.board.board().children() {
            let is_left_out = matches!(mv, Move::Place(square) if task.without.contains(square));
            let child = child.canonical();
            let is_made = || self.open.get(&child).is_some_and(|open| open.expands);
            if !is_left_out && (is_made() || book.numbers(child)?.is_some()) {
                return Ok(costs + 1);
            }
        }
        Ok(costs)
    }
}
