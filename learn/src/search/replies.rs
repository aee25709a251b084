//! Many searches side by side: questions go out a bounded number ahead of their answers, which come as they are found.

use super::workers::{Reply, Workers};
use super::{NoAnswer, Question, Task};
use obook_book::Result;
use obook_engine::{Answer, SearchError, Stop};
use std::time::{Duration, Instant};

/// How long those who were told to stop may take to say so.
const GRACE: Duration = Duration::from_secs(10);
/// How often it is asked whether they are to stop.
const GLANCE: Duration = Duration::from_millis(200);

/// The replies to tasks, in the order in which they come. Once `stop` is set no other search begins.
pub(crate) struct Replies<'a, I> {
    workers: &'a mut dyn Workers,
    tasks: I,
    stop: &'a Stop,
    /// How many questions are out.
    out: usize,
    /// When those that are out are given up.
    end: Option<Instant>,
}

/// What waiting for a reply came to.
#[allow(
    clippy::large_enum_variant,
    reason = "it is looked at where it is returned, and never kept"
)]
pub(crate) enum Next<T> {
    /// An engine has said something, or failed.
    Answer {
        question: Question,
        answer: Result<Answer, NoAnswer>,
        worker: Option<String>,
    },
    /// A task needed no engine.
    Done(T),
    TimeIsUp,
    /// There are no more.
    End,
}

impl<'a, T, I: Iterator<Item = Result<Task<T>>>> Replies<'a, I> {
    /// Replies to these tasks, of which there are about so many.
    pub(crate) fn new(
        workers: &'a mut dyn Workers,
        stop: &'a Stop,
        count: usize,
        tasks: I,
    ) -> Replies<'a, I> {
        workers.expect(count);
        Replies {
            workers,
            tasks,
            stop,
            out: 0,
            end: None,
        }
    }

    /// How many questions are out.
    pub(crate) fn out(&self) -> usize {
        self.out
    }

    /// All that came so far is in the book: see [`Workers::taken_in`].
    pub(crate) fn taken_in(&mut self) -> Result<()> {
        self.workers.taken_in()
    }

    /// The next one, if it comes in time.
    ///
    /// # Errors
    /// Where the next task can't be read, or the workers can't be reached.
    pub(crate) fn until(&mut self, deadline: Option<Instant>) -> Result<Next<T>> {
        loop {
            while self.out < self.workers.ahead() && !self.stop.is_set() {
                match self.tasks.next().transpose()? {
                    None => break,
                    Some(Task::Done(done)) => return Ok(Next::Done(done)),
                    Some(Task::Search(question)) => self.workers.hand_out(question)?,
                }
                self.out += 1;
            }
            let now = Instant::now();
            if self.stop.is_set() {
                self.end.get_or_insert(now + GRACE);
            }
            if self.out == 0 || self.end.is_some_and(|end| now >= end) {
                return Ok(Next::End);
            }
            if deadline.is_some_and(|deadline| now >= deadline) {
                return Ok(Next::TimeIsUp);
            }
            let glance = now + GLANCE;
            let until = deadline.map_or(glance, |deadline| deadline.min(glance));
            let Some(reply) = self.workers.next(until)? else {
                continue;
            };
            self.out -= 1;
            let Reply {
                question,
                answer,
                worker,
            } = reply;
            let was_stopped = match &answer {
                Err(NoAnswer::Failed(SearchError::Stopped)) => true,
                Ok(answer) => !answer.complete,
                Err(_) => false,
            };
            if !(was_stopped && self.stop.is_set()) {
                return Ok(Next::Answer {
                    question,
                    answer,
                    worker,
                });
            }
        }
    }
}
