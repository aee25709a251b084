//! A run: tasks go to workers, and their answers go into the book. The commands that search differ only in their tasks.

use crate::budget::{Budget, Refusal};
use crate::intake::{Intake, Ledger, Outcome, Taken};
use crate::pace::Pace;
use crate::queue::{MOST_FAILURES, Task};
use crate::report::{Failed, Stopped};
use crate::search::{Failures, Gather, Next, NoAnswer, Reply, Workers, leaf};
use crate::{Error, LearnOptions, Result};
use foldhash::{HashMap, HashMapExt, HashSet};
use obook::Progress;
use obook_engine::Request;
use obook_engine::wire::Failure;
use obook_othello::{CanonicalBoard, Engine};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The source of a run's tasks.
pub(crate) trait Plan: Ledger {
    /// The searches that would find missing leaves. A run that nears its end makes only these.
    ///
    /// # Errors
    /// Fails if the database can't be read or written.
    fn missing(&mut self, intake: &mut Intake<'_>) -> Result<Vec<Task>>;

    /// A batch is in the book, which took this long.
    ///
    /// # Errors
    /// Fails if the database can't be read.
    fn tell(&mut self, run: &Run<'_>, taken: Taken, lasted: Duration) -> Result<()>;
}

/// A run on its way.
pub(crate) struct Run<'a> {
    pub(crate) intake: Intake<'a>,
    pub(crate) budget: Budget,
    pub(crate) failures: Failures,
    /// A question that had an answer.
    answered: Option<Request>,
    /// The first searches without an answer.
    pub(crate) failed: Vec<Failed>,
    /// Boards whose last search had no answer.
    pub(crate) unanswered: HashSet<CanonicalBoard>,
    pub(crate) stopped: Option<Stopped>,
    /// How long answers took to go into the book.
    pub(crate) writing: Duration,
    pub(crate) progress: &'a Progress,
    options: &'a LearnOptions,
    pace: Pace,
}

/// Tasks on their way.
struct Wave {
    engine: Engine,
    /// Tasks that have not begun.
    rest: VecDeque<Task>,
    /// Tasks that have begun and are not in the book, and when they began.
    open: HashMap<CanonicalBoard, (Task, Instant)>,
    found: Vec<(Task, Outcome)>,
    has_begun: bool,
    /// Why something was not allowed to begin.
    refused: Option<Refusal>,
    /// Whether to look for missing leaves.
    look: bool,
}

impl<'a> Run<'a> {
    pub(crate) fn new(
        intake: Intake<'a>,
        options: &'a LearnOptions,
        progress: &'a Progress,
    ) -> Result<Run<'a>> {
        Ok(Run {
            budget: Budget::new(&intake.reader, options)?,
            intake,
            failures: Failures::default(),
            answered: None,
            failed: Vec::new(),
            unanswered: HashSet::default(),
            stopped: None,
            writing: Duration::ZERO,
            progress,
            pace: Pace::new(options.batch, &options.clock),
            options,
        })
    }

    /// Whether the run is over, whatever is left to do.
    pub(crate) fn is_over(&mut self) -> bool {
        if self.options.stop.is_set() {
            self.stopped.get_or_insert(Stopped::Told);
        } else if self.budget.is_spent() {
            self.stopped.get_or_insert(Stopped::Limit);
        } else if self.budget.is_late() && !self.budget.has_to_complete() {
            self.stopped.get_or_insert(Stopped::Time);
        }
        self.stopped.is_some()
    }

    /// Searches these tasks, in this order, as far as time and limit allow. If they don't allow all, what has been begun is
    /// completed. Returns why not even one was allowed to begin.
    pub(crate) fn wave(
        &mut self,
        plan: &mut dyn Plan,
        workers: &mut dyn Workers,
        tasks: Vec<Task>,
    ) -> Result<Option<Stopped>> {
        let mut wave = Wave {
            engine: workers.engine(),
            rest: tasks.into(),
            open: HashMap::new(),
            found: Vec::new(),
            has_begun: false,
            refused: None,
            look: false,
        };
        let mut failures = std::mem::take(&mut self.failures);
        let (stop, clock) = (&self.options.stop, &self.options.clock);
        let mut gather = Gather::new(workers, &mut failures, stop, clock);
        let gathered = self.gather(plan, &mut gather, &mut wave);
        // Answers from before an error are still added.
        let taken = self.take_in(plan, &mut wave);
        gathered.and(taken)?;
        gather.taken_in()?;
        self.failures = failures;
        self.budget.close();
        let refused = wave.refused.filter(|_| !wave.has_begun);
        Ok(refused.map(|it| it.reason))
    }

    fn gather(
        &mut self,
        plan: &mut dyn Plan,
        gather: &mut Gather<'_>,
        wave: &mut Wave,
    ) -> Result<()> {
        loop {
            if self.pace.is_due(wave.found.len()) {
                self.take_in(plan, wave)?;
                gather.taken_in()?;
            }
            self.look_at_the_clock(wave);
            if std::mem::take(&mut wave.look) && wave.rest.is_empty() && !self.options.stop.is_set()
            {
                let mut missing = plan.missing(&mut self.intake)?;
                missing.retain(|task| !wave.open.contains_key(&task.board));
                wave.rest = missing.into();
            }
            self.ask(gather, wave)?;
            let is_waited_for =
                self.options.stop.is_set() || wave.refused.is_some() && wave.rest.is_empty();
            let due = match is_waited_for {
                true => Some(self.options.clock.now()),
                false => self.pace.due(),
            };
            let due = due.filter(|_| !wave.found.is_empty());
            let wake = self.budget.next_deadline().into_iter().chain(due).min();
            match gather.next(wake)? {
                Next::Reply(reply) => self.receive(wave, *reply),
                // All that have come go in together: one by one they would take longer than their searches.
                Next::Due | Next::End if is_waited_for && !wave.found.is_empty() => {
                    self.take_in(plan, wave)?;
                    gather.taken_in()?;
                }
                Next::End if self.options.stop.is_set() || wave.rest.is_empty() && !wave.look => {
                    return Ok(());
                }
                Next::Due | Next::End => {}
            }
        }
    }

    /// Begins as many tasks as workers have room for, and as are allowed.
    fn ask(&mut self, gather: &mut Gather<'_>, wave: &mut Wave) -> Result<()> {
        while gather.has_room()
            && !self.pace.is_due(wave.found.len())
            && let Some(task) = wave.rest.pop_front()
        {
            let request = task.request();
            let book = &self.intake.reader;
            let refused = self.budget.admit(book, &task, request.is_ok())?;
            if let Some(refusal) = refused {
                wave.look = !refusal.is_final;
                wave.refused = Some(refusal);
                wave.rest.clear();
                return Ok(());
            }
            wave.has_begun = true;
            wave.open
                .insert(task.board, (task, self.options.clock.now()));
            match request {
                Ok(request) => gather.ask(request)?,
                Err(_) => {
                    self.unanswered.remove(&task.board);
                    wave.found.push((task, Outcome::NotNeeded(wave.engine)));
                }
            }
        }
        Ok(())
    }

    fn receive(&mut self, wave: &mut Wave, reply: Reply) {
        let Some((task, asked)) = wave.open.get(&reply.question.board().canonical()).copied()
        else {
            return;
        };
        self.progress.advance(1);
        let outcome = match &reply.answer {
            Ok(answer) => {
                self.budget.answered(&task, asked);
                self.unanswered.remove(&task.board);
                self.answered = Some(reply.question.clone());
                Outcome::Leaf(leaf(answer))
            }
            Err(why) => {
                self.budget.failed(&task);
                self.unanswered.insert(task.board);
                Outcome::Failed {
                    reason: Failed::add(&mut self.failed, &reply, why),
                    failures: match why {
                        NoAnswer::Elsewhere(Failure::Lost(_)) => MOST_FAILURES,
                        _ => 1,
                    },
                }
            }
        };
        wave.found.push((task, outcome));
    }

    /// Tells an engine that has died from positions that it can't search: asks it again what it has answered.
    pub(crate) fn confirm(&mut self, workers: &mut dyn Workers) -> Result<()> {
        let mut failures = Failures::default();
        let mut is_alive = false;
        let (stop, clock) = (&self.options.stop, &self.options.clock);
        let mut gather = Gather::new(workers, &mut failures, stop, clock);
        if let Some(question) = self.answered.clone() {
            gather.ask(question)?;
        }
        loop {
            match gather.next(self.budget.next_deadline())? {
                Next::Reply(reply) => is_alive = reply.answer.is_ok(),
                // It may never answer.
                Next::Due if self.is_over() => self.options.stop.set(),
                Next::Due => {}
                Next::End => break,
            }
        }
        if let Some(Failed { board, reason }) = self.failed.last().filter(|_| !is_alive)
            && !self.options.stop.is_set()
        {
            return Err(Error::NoAnswer {
                engine: workers.name().to_owned(),
                count: self.failures.count(),
                board: board.clone(),
                reason: reason.clone(),
            });
        }
        self.failures.forget();
        Ok(())
    }

    /// Stops what is being searched if the time is up and nothing is missing for it, or nothing more can be done about that.
    fn look_at_the_clock(&mut self, wave: &mut Wave) {
        if !self.budget.is_late() {
            return;
        }
        if !self.budget.has_to_complete() {
            self.stopped.get_or_insert(Stopped::Time);
            self.options.stop.set();
        } else if wave.refused.is_none() {
            wave.refused = Some(Refusal {
                reason: Stopped::Time,
                is_final: false,
            });
            wave.rest.clear();
            wave.look = true;
        }
    }

    /// Takes in what was found.
    fn take_in(&mut self, plan: &mut dyn Plan, wave: &mut Wave) -> Result<()> {
        if wave.found.is_empty() {
            return Ok(());
        }
        let begun = self.options.clock.now();
        let found = std::mem::take(&mut wave.found);
        let tasks: Vec<Task> = found.iter().map(|(task, _)| *task).collect();
        for task in &tasks {
            wave.open.remove(&task.board);
        }
        let taken = self.intake.take(found, plan)?;
        self.budget.taken_in(&self.intake.reader, &tasks)?;
        let lasted = self.options.clock.since(begun);
        self.pace.taken_in(lasted);
        self.writing += lasted;
        wave.look = wave.refused.as_ref().is_some_and(|it| !it.is_final);
        plan.tell(self, taken, lasted)
    }
}
