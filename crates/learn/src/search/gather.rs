//! Gathering answers: questions go out a bounded number ahead, and every command that searches treats failures alike.

use super::{Asked, NoAnswer, Reply, Workers};
use crate::{Error, Result};
use obook_engine::{Request, SearchError, Stop};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long to wait for a reply before the caller looks whether to stop.
const GLANCE: Duration = Duration::from_millis(200);

/// Tells the time: the system's clock, or a simulated one for tests.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Instant + Send + Sync>);

impl Clock {
    /// A clock that shows what `now` returns.
    pub fn simulated(now: impl Fn() -> Instant + Send + Sync + 'static) -> Clock {
        Clock(Arc::new(now))
    }

    /// The time.
    #[must_use]
    pub fn now(&self) -> Instant {
        (self.0)()
    }

    /// The time since then.
    pub(crate) fn since(&self, then: Instant) -> Duration {
        self.now().duration_since(then)
    }
}

impl Default for Clock {
    fn default() -> Clock {
        Clock::simulated(Instant::now)
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

/// The positions that have failed since the last answer. A position that fails repeatedly counts once, so a few that no engine
/// can search don't end a run, and an engine that has died does.
#[derive(Clone, Default, Debug)]
pub struct Failures(BTreeSet<String>);

impl Failures {
    /// This many failures in a row end a run.
    pub const MOST: usize = 8;

    /// An answer has come.
    pub fn forget(&mut self) {
        self.0.clear();
    }

    /// A search of this position has failed. Returns whether that is one too many.
    pub fn add(&mut self, position: String) -> bool {
        self.0.insert(position);
        self.0.len() >= Failures::MOST
    }

    /// The number of positions.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.len() as u64
    }
}

/// Questions on their way to workers, and replies on their way back.
///
/// All commands that search share its rules: replies are [checked](Asked::check); [`Failures::MOST`] failures in a row on this
/// machine are an error, and so is a searcher that panics; after a stop nothing is asked, and every question that is out is replied
/// to: with the answer, if it has come.
pub struct Gather<'a, Q: Asked = Request> {
    workers: &'a mut dyn Workers<Q>,
    failures: &'a mut Failures,
    stop: &'a Stop,
    clock: &'a Clock,
    /// The number of questions that are out.
    out: usize,
}

/// The result of waiting for a reply.
#[derive(Debug)]
pub enum Next<Q: Asked = Request> {
    /// A reply. If it is an answer, it counts.
    Reply(Box<Reply<Q>>),
    /// The time has come.
    Due,
    /// No question is out.
    End,
}

impl<'a, Q: Asked> Gather<'a, Q> {
    /// Begins a wave with these workers. `failures` may continue those of an earlier one.
    pub fn new(
        workers: &'a mut dyn Workers<Q>,
        failures: &'a mut Failures,
        stop: &'a Stop,
        clock: &'a Clock,
    ) -> Gather<'a, Q> {
        workers.begin_wave();
        Gather {
            workers,
            failures,
            stop,
            clock,
            out: 0,
        }
    }

    /// Whether another question is worth asking now.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.out < self.workers.ahead() && !self.stop.is_set()
    }

    /// Asks a question.
    ///
    /// # Errors
    /// Fails if the workers can't be reached.
    pub fn ask(&mut self, question: Q) -> Result<()> {
        self.workers.hand_out(question)?;
        self.out += 1;
        Ok(())
    }

    /// All replies so far are in the book: see [`Workers::taken_in`].
    pub(crate) fn taken_in(&mut self) -> Result<()> {
        self.workers.taken_in()
    }

    /// Waits for the next reply, until the given time at most. Replies to searches that were stopped are dropped.
    ///
    /// # Errors
    /// Returns [`Error::NoAnswer`] after too many failures in a row, [`Error::At`] if a searcher panicked, and fails if the
    /// workers can't be reached.
    pub fn next(&mut self, until: Option<Instant>) -> Result<Next<Q>> {
        while self.out > 0 {
            let glance = self.clock.now() + GLANCE;
            let wake = until.map_or(glance, |until| until.min(glance));
            // Whatever the clock shows: a reply that has come counts.
            let Some(mut reply) = self.workers.next(wake)? else {
                match until {
                    Some(until) if self.clock.now() >= until => return Ok(Next::Due),
                    _ => continue,
                }
            };
            self.out -= 1;
            reply.answer = reply
                .answer
                .and_then(|answer| reply.question.check(&answer).map(|()| answer));
            let was_stopped = matches!(
                reply.answer,
                Err(NoAnswer::Failed(SearchError::Stopped) | NoAnswer::Unfinished)
            );
            if was_stopped && self.stop.is_set() {
                continue;
            }
            self.judge(&reply)?;
            return Ok(Next::Reply(Box::new(reply)));
        }
        Ok(Next::End)
    }

    /// Asks all of these questions, and passes the replies on as they come.
    ///
    /// # Errors
    /// As [`Gather::next`].
    pub(crate) fn all(
        &mut self,
        mut questions: impl Iterator<Item = Q>,
        mut take: impl FnMut(Reply<Q>),
    ) -> Result<()> {
        loop {
            while self.has_room()
                && let Some(question) = questions.next()
            {
                self.ask(question)?;
            }
            match self.next(None)? {
                Next::Reply(reply) => take(*reply),
                Next::Due => {}
                Next::End => return Ok(()),
            }
        }
    }

    /// Ends the run if the reply is one failure too many.
    fn judge(&mut self, reply: &Reply<Q>) -> Result<()> {
        let Err(why) = &reply.answer else {
            self.failures.forget();
            return Ok(());
        };
        let board = reply.question.position();
        let engine = self.workers.name().to_owned();
        if let NoAnswer::Panicked(_) = why {
            return Err(Error::At {
                place: engine,
                problem: format!("{board}: {why}"),
            });
        }
        let is_too_many = self.failures.add(board.clone());
        // Other machines fail one by one: the caller suspends failing workers.
        match is_too_many && reply.worker.is_none() {
            false => Ok(()),
            true => Err(Error::NoAnswer {
                engine,
                count: self.failures.count(),
                board,
                reason: reply.reason(why),
            }),
        }
    }
}

impl<Q: Asked> Reply<Q> {
    /// Why there is no answer, and whose fault it was.
    pub(crate) fn reason(&self, why: &NoAnswer) -> String {
        match &self.worker {
            Some(worker) => format!("{worker}: {why}"),
            None => why.to_string(),
        }
    }
}
