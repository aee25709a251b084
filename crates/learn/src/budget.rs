//! How far a run may go, by its time and its limit.
//!
//! A position that becomes a link costs its parents their leaves, and these have to be searched before the run ends. So a search
//! that makes a position begins only if everything that may then be missing can still be searched, as fast as the last searches
//! of this kind were.

use crate::LearnOptions;
use crate::queue::{Queue, Task};
use crate::report::Stopped;
use crate::search::Clock;
use foldhash::{HashMap, HashMapExt};
use obook::{Result, Store};
use obook_othello::{CanonicalBoard, Move};
use std::time::{Duration, Instant};

/// How much longer than its time a run may take, if leaves are missing because of it.
const LATE: f64 = 0.1;
/// Estimates are too short as often as too long: so much is added to each.
const MARGIN: f64 = 1.25;
/// Until a stage has searched missing leaves, each counts as this many other searches.
const SLOWER: f64 = 4.0;
/// A speed taken over from elsewhere counts as this many answers, or as the answers behind it if they are fewer: the speed of
/// the stage before, and that of missing leaves before the first of them, of which a few may come together.
const ASSUMED: f64 = 4.0;
/// The speed is that of at least this many answers.
const RECENT: f64 = 32.0;
/// It is also that of at least this part of the run's time, because answers may come in bursts.
const PART: f64 = 1.0 / 16.0;
/// The weight of the latest search in the mean duration of a search.
const LATEST: f64 = 0.125;

/// The rest of a run's time and limit.
pub(crate) struct Budget {
    clock: Clock,
    time: Option<Time>,
    limit: Option<u64>,
    answered: u64,
    /// Missing leaves that can be searched, as the book was committed last.
    missing: u64,
    /// Tasks that have begun and are not in the book.
    open: HashMap<CanonicalBoard, Open>,
    /// The sum of what they owe.
    debts: Debts,
    /// Whether the run has made positions.
    has_expanded: bool,
    growing: Speed,
    /// That of the stage's missing leaves.
    mending: Speed,
    /// Since when workers have been busy without an answer.
    busy: Instant,
}

/// The time of a run.
#[derive(Clone, Copy)]
struct Time {
    all: Duration,
    /// When the time is up.
    deadline: Instant,
    /// When the run ends, whatever is missing.
    end: Instant,
}

/// A task that has begun: it expands the book, mends it (searches a missing leaf), or searches another leaf.
struct Open {
    expands: bool,
    mends: bool,
    /// Its part of the debts.
    debts: Debts,
}

/// The work that tasks in progress leave for the rest of the run, until their outcomes are in the book.
#[derive(Clone, Copy, Default)]
struct Debts {
    /// Questions about missing leaves that have no reply.
    mending: u64,
    /// Other questions that have no reply.
    growing: u64,
    /// Tasks about leaves that are missing in the book.
    begun: u64,
    /// Leaves that may be missing once the outcomes are in the book.
    owed: u64,
    /// Positions that were made and are not in the book.
    unsettled: u64,
}

impl Debts {
    /// The number of questions without a reply.
    fn out(self) -> u64 {
        self.mending + self.growing
    }

    fn with(self, other: Debts, each: impl Fn(u64, u64) -> u64) -> Debts {
        Debts {
            mending: each(self.mending, other.mending),
            growing: each(self.growing, other.growing),
            begun: each(self.begun, other.begun),
            owed: each(self.owed, other.owed),
            unsettled: each(self.unsettled, other.unsettled),
        }
    }
}

/// How fast answers of one kind come. Older ones count less and less.
#[derive(Clone, Copy, Default)]
struct Speed {
    seconds: f64,
    answers: f64,
    /// The mean time from question to answer, in seconds.
    lasting: f64,
    /// The greatest number of questions without a reply.
    depth: u64,
}

impl Speed {
    /// Seconds from answer to answer.
    fn each(&self) -> f64 {
        match self.answers > 0.0 {
            true => self.seconds / self.answers,
            false => 0.0,
        }
    }

    /// Seconds from question to answer, as far as workers were there.
    fn whole(&self) -> f64 {
        self.lasting.min(self.each() * self.depth as f64)
    }

    /// How fast missing leaves would be searched, as far as the speed of other searches tells.
    fn mending(&self) -> Speed {
        let answers = self.answers.min(ASSUMED);
        Speed {
            seconds: answers * SLOWER * self.each(),
            answers,
            lasting: SLOWER * self.lasting,
            ..*self
        }
    }

    /// An answer has come, so long after the one before, if there was one, and after its question, while so many questions were out.
    fn answered(&mut self, gap: Option<Duration>, lasted: Duration, out: u64, memory: Duration) {
        if let Some(gap) = gap {
            let gap = gap.as_secs_f64();
            let kept = (-gap / memory.as_secs_f64()).exp().max(1.0 - 1.0 / RECENT);
            self.seconds = self.seconds * kept + gap;
            self.answers = self.answers * kept + 1.0;
        }
        let lasted = lasted.as_secs_f64();
        self.depth = self.depth.max(out);
        self.lasting = match self.lasting > 0.0 {
            true => self.lasting + LATEST * (lasted - self.lasting),
            false => lasted,
        };
    }
}

/// A task may not begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Refusal {
    pub(crate) reason: Stopped,
    /// Whether missing leaves can't be searched either.
    pub(crate) is_final: bool,
}

impl Budget {
    pub(crate) fn new(book: &Store, options: &LearnOptions) -> Result<Budget> {
        let now = options.clock.now();
        let time = options.time.and_then(|all| {
            let deadline = now.checked_add(all)?;
            let end = deadline.checked_add(all.mul_f64(LATE))?;
            Some(Time { all, deadline, end })
        });
        let mut budget = Budget {
            clock: options.clock.clone(),
            time,
            limit: options.limit,
            answered: 0,
            missing: 0,
            open: HashMap::new(),
            debts: Debts::default(),
            has_expanded: false,
            growing: Speed::default(),
            mending: Speed::default(),
            busy: now,
        };
        budget.count_missing(book)?;
        Ok(budget)
    }

    /// Searches have another level or engine from now on, and so another speed.
    pub(crate) fn begin_stage(&mut self) {
        let kept = (ASSUMED / self.growing.answers).min(1.0);
        self.growing.seconds *= kept;
        self.growing.answers *= kept;
        self.mending = Speed::default();
    }

    fn is_limited(&self) -> bool {
        self.limit.is_some() || self.time.is_some()
    }

    /// Whether the time is up.
    pub(crate) fn is_late(&self) -> bool {
        self.time
            .is_some_and(|time| self.clock.now() >= time.deadline)
    }

    /// Whether there are as many answers as the limit allows.
    pub(crate) fn is_spent(&self) -> bool {
        self.limit.is_some_and(|limit| self.answered >= limit)
    }

    /// Whether the run continues after its time, for the leaves that are missing because of it.
    pub(crate) fn has_to_complete(&self) -> bool {
        let is_missing = self.missing + self.debts.unsettled > 0;
        let is_over = self.time.is_some_and(|time| self.clock.now() >= time.end);
        self.has_expanded && is_missing && !is_over
    }

    /// When to look at the clock next.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        let now = self.clock.now();
        let Time { deadline, end, .. } = self.time?;
        [deadline, end].into_iter().find(|it| now < *it)
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
        let expands = task.expands();
        let mends = !expands && Queue::of(book).lacks(task.board)?;
        let debts = Debts {
            mending: u64::from(asks && mends),
            growing: u64::from(asks && !mends),
            begun: u64::from(mends),
            owed: self.costs(book, task)?,
            unsettled: u64::from(!asks && expands),
        };
        let open = Open {
            expands,
            mends,
            debts,
        };
        if let Some(reason) = self.refuses(&open) {
            let has_debts = self.has_expanded || self.debts.owed > 0;
            let is_final = mends || !expands && !has_debts;
            return Ok(Some(Refusal { reason, is_final }));
        }
        if self.debts.out() == 0 {
            self.busy = self.clock.now();
        }
        self.open.insert(task.board, open);
        self.change_debts(Debts::default(), debts);
        Ok(None)
    }

    /// A task that has meant `before` now means `after`.
    fn change_debts(&mut self, before: Debts, after: Debts) {
        let more = self.debts.with(after, |all, own| all + own);
        self.debts = more.with(before, |all, own| all - own);
        self.has_expanded |= after.unsettled > 0;
    }

    /// Why a task may not begin.
    fn refuses(&self, open: &Open) -> Option<Stopped> {
        let debts = self.debts.with(open.debts, |all, own| all + own);
        let later = match self.has_expanded || debts.owed > 0 || open.expands {
            true => self.missing.saturating_sub(debts.begun) + debts.owed,
            // This run need not complete leaves that were missing before.
            false => 0,
        };
        let searches = debts.out() + if open.mends { 0 } else { later };
        let is_too_many = |limit: u64| self.answered + searches > limit;
        if self.limit.is_some_and(is_too_many) {
            return Some(Stopped::Limit);
        }
        let now = self.clock.now();
        let left = self.time?.deadline.saturating_duration_since(now);
        let is_late = match open.mends {
            true => left.is_zero() && !self.has_to_complete(),
            false if open.expands || later > 0 => left.as_secs_f64() <= self.needed(debts, later),
            false => left.is_zero(),
        };
        is_late.then_some(Stopped::Time)
    }

    /// How long all questions without a reply take, and then `later` missing leaves, in seconds.
    fn needed(&self, debts: Debts, later: u64) -> f64 {
        let growing = self.growing;
        let mending = self.mending();
        let leaves = (debts.mending + later) as f64;
        let all = growing.each() * debts.growing as f64 + mending.each() * leaves;
        // A position is searched, and then the leaf that it costs.
        MARGIN * all.max(growing.whole() + mending.whole())
    }

    /// How fast missing leaves are searched.
    fn mending(&self) -> Speed {
        match self.mending.answers > 0.0 {
            true => self.mending,
            false => self.growing.mending(),
        }
    }

    /// An answer has come to what was asked then.
    pub(crate) fn answered(&mut self, task: &Task, asked: Instant) {
        // The run's first answer may have waited for workers.
        let is_first = self.answered == 0;
        self.answered += 1;
        let out = self.debts;
        let unsettled = u64::from(task.expands());
        self.replied(task, |debts| Debts { unsettled, ..debts });
        let (Some(time), Some(open)) = (self.time, self.open.get(&task.board)) else {
            return;
        };
        let now = self.clock.now();
        let gap = (!is_first).then(|| now.duration_since(self.busy));
        let lasted = now.duration_since(asked);
        let (speed, out) = match open.mends {
            true => {
                self.mending = self.mending();
                (&mut self.mending, out.mending)
            }
            false => (&mut self.growing, out.growing),
        };
        speed.answered(gap, lasted, out, time.all.mul_f64(PART));
        self.busy = now;
    }

    /// A search has failed.
    pub(crate) fn failed(&mut self, task: &Task) {
        self.replied(task, |debts| Debts { owed: 0, ..debts });
    }

    /// A question has a reply, which changes the debts in this way, too.
    fn replied(&mut self, task: &Task, change: impl FnOnce(Debts) -> Debts) {
        if let Some(open) = self.open.get_mut(&task.board) {
            let before = open.debts;
            let after = change(Debts {
                mending: 0,
                growing: 0,
                ..before
            });
            open.debts = after;
            self.change_debts(before, after);
        }
    }

    /// The outcomes of these tasks are in the book.
    pub(crate) fn taken_in(&mut self, book: &Store, tasks: &[Task]) -> Result<()> {
        for task in tasks {
            if let Some(open) = self.open.remove(&task.board) {
                self.change_debts(open.debts, Debts::default());
            }
        }
        self.count_missing(book)
    }

    /// Nothing is under way any more.
    pub(crate) fn close(&mut self) {
        self.open.clear();
        self.debts = Debts::default();
    }

    fn count_missing(&mut self, book: &Store) -> Result<()> {
        if self.is_limited() {
            self.missing = Queue::of(book).count_missing()?;
        }
        Ok(())
    }

    /// The number of leaves that a task may cost. A limit is never exceeded, so it takes the exact number; to estimate how long
    /// that takes, one for each new position will do.
    fn costs(&self, book: &Store, task: &Task) -> Result<u64> {
        if self.limit.is_none() {
            return Ok(u64::from(task.expands()));
        }
        let mut costs = 0;
        if task.expands() {
            for parent in task.board.parents() {
                let leaf = || Queue::of(book).leaf(parent);
                let may_lead_here = self.open.contains_key(&parent)
                    || leaf()?.and_then(|mv| parent.child(mv)) == Some(task.board);
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
