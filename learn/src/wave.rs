//! A wave: questions go out, answers come in.

use super::intake::{Found, Outcome};
use super::queue::{MOST_FAILURES, Queue, Task};
use super::run::{NAMED, Run, Working};
use super::{Stopped, Want};
use crate::complete::Failed;
use crate::search::{Next, NoAnswer, Question, Replies, Task as Asked, Workers, leaf_of};
use foldhash::HashMap;
use obook_book::{Error, Result};
use obook_othello::{CanonicalBoard, Move};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// So many failures before the first answer are enough.
const IN_VAIN: u64 = 8;
/// Positions near the start, which lose their leaves, take longer to search than those that they lead to.
const SLOWER: f64 = 1.25;

/// What is searched now, and how far it is.
struct Wave {
    tasks: HashMap<CanonicalBoard, Task>,
    begun: Instant,
    goes_on: Cell<bool>,
    answers: Cell<u64>,
    /// Positions that lack a leaf: those that did when the wave began, and one for each answer since that makes a board a
    /// position, which costs its parent the leaf.
    lacking: Cell<u64>,
}

impl Wave {
    fn count(&self, task: &Task) {
        self.answers.set(self.answers.get() + 1);
        if task.want != Want::Leaf {
            self.lacking.set(self.lacking.get() + 1);
        }
    }
}

impl Run<'_> {
    /// Searches a wave, or as much of it as the run may.
    pub(crate) fn search(
        &mut self,
        working: &mut Working<'_>,
        workers: &mut dyn Workers,
        ready: &[Task],
    ) -> Result<()> {
        let most = match self.options.limit {
            Some(limit) if self.completing.is_none() => limit.saturating_sub(self.totals.searches),
            _ => u64::MAX,
        };
        let ready = &ready[..ready.len().min(usize::try_from(most).unwrap_or(usize::MAX))];
        let lacking = Queue(self.reader.connection()).count_lacking();
        let lacking = lacking.map_err(self.failed("read"))?;
        self.progress.step("searching", Some(ready.len() as u64));
        working.left = ready.len() as u64;
        let wave = Wave {
            tasks: ready.iter().map(|task| (task.board, *task)).collect(),
            begun: Instant::now(),
            goes_on: Cell::new(true),
            answers: Cell::new(0),
            lacking: Cell::new(lacking),
        };
        let goes_on = |_: &&Task| wave.goes_on.get();
        let tasks = ready.iter().take_while(goes_on);
        let tasks = tasks.map(|task| Ok(question(task)));
        let mut found = Vec::new();
        let stop = &self.options.stop;
        let mut replies = Replies::new(workers, stop, ready.len(), tasks);
        let gathered = self.gather(working, &mut replies, &wave, &mut found);
        // What was found before the end is worth taking in.
        let taken = self.take_in(working, &mut found);
        gathered.and(taken)?;
        replies.taken_in()
    }

    /// Gathers what is found, and takes it in as it is due.
    fn gather(
        &mut self,
        working: &mut Working<'_>,
        replies: &mut Replies<'_, impl Iterator<Item = Result<Asked<Found>>>>,
        wave: &Wave,
        found: &mut Vec<Found>,
    ) -> Result<()> {
        loop {
            let due = working.pace.due().filter(|_| !found.is_empty());
            let wake = self.deadline.into_iter().chain(due).min();
            match replies.until(wake)? {
                Next::End => return Ok(()),
                Next::TimeIsUp => {}
                Next::Done(done) => {
                    self.expanded |= done.task.want != Want::Leaf;
                    found.push(done);
                }
                Next::Answer {
                    question,
                    answer,
                    worker,
                } => {
                    let Some(task) = wave.tasks.get(&question.board) else {
                        continue;
                    };
                    let leaf = answer.and_then(|answer| leaf_of(&question.request, &answer));
                    let outcome = match leaf {
                        Ok(leaf) => Outcome::Leaf(leaf),
                        Err(why) => Outcome::Failed {
                            reason: self.fail(&question, &why, worker)?,
                            failures: match why {
                                NoAnswer::Lost(_) => MOST_FAILURES,
                                _ => 1,
                            },
                        },
                    };
                    let task = *task;
                    wave.count(&task);
                    self.expanded |= task.want != Want::Leaf;
                    found.push(Found { task, outcome });
                    self.progress.advance(1);
                }
            }
            let pending = (found.len() + replies.out()) as u64;
            if let Some(reason) = self.has_to_complete(wave, pending, replies.out()) {
                wave.goes_on.set(false);
                self.completing = Some(reason);
            }
            self.look_at_the_clock();
            if self.stopped.is_some() {
                wave.goes_on.set(false);
            }
            if working.pace.is_due(found.len()) {
                self.take_in(working, found)?;
                replies.taken_in()?;
            }
        }
    }

    /// Whether what is left of time and searches is needed for the leaves that are missing.
    fn has_to_complete(&self, wave: &Wave, pending: u64, out: usize) -> Option<Stopped> {
        let lacking = wave.lacking.get() + out as u64;
        if self.completing.is_some() || wave.answers.get() == 0 {
            return None;
        }
        let is_enough = |limit: u64| self.totals.searches + pending + lacking >= limit;
        if self.options.limit.is_some_and(is_enough) {
            return Some(Stopped::Limit);
        }
        let each = wave.begun.elapsed().as_secs_f64() / wave.answers.get() as f64;
        let needed = Duration::from_secs_f64(each * lacking as f64 * SLOWER);
        let is_late = |deadline: Instant| Instant::now() + needed >= deadline;
        self.deadline.is_some_and(is_late).then_some(Stopped::Time)
    }

    /// Why a search gave no answer.
    fn fail(
        &mut self,
        question: &Question,
        why: &NoAnswer,
        worker: Option<String>,
    ) -> Result<String> {
        let board = question.board.board().to_text();
        let reason = match worker {
            Some(worker) => format!("{worker}: {why}"),
            None => why.to_string(),
        };
        self.in_vain += 1;
        if self.totals.searches == 0 && self.in_vain >= IN_VAIN {
            return Err(Error::NoAnswer {
                engine: self.engine.clone(),
                count: self.in_vain,
                board,
                reason,
            });
        }
        if self.failures.len() < NAMED {
            let reason = reason.clone();
            self.failures.push(Failed { board, reason });
        }
        Ok(reason)
    }
}

/// What a task asks, as it stands in the queue.
fn question(task: &Task) -> Asked<Found> {
    let without = task.without.iter().map(Move::Place);
    match Question::new(task.board, task.level, without) {
        Ok(question) => Asked::Search(question),
        Err(_) => Asked::Done(Found {
            task: *task,
            outcome: Outcome::NotNeeded,
        }),
    }
}
