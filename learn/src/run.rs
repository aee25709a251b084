//! A run: stages one after the other, each in waves.

use super::in_memory::InMemory;
use super::intake::{Found, Taken, take_in};
use super::lines::Watched;
use super::noted::{Counts, Noted};
use super::queue::Queue;
use super::report::{Correction, Learned, StageTotals, Standing, Stopped, Totals};
use super::state::State;
use super::{Played, Recipe, Stage};
use crate::complete::{Failed, Pace};
use crate::search::Workers;
use obook_book::write::fix::{Steps, recompute_in};
use obook_book::{Context, 
    Book, BookHeader, ChangeInParts, Error, IfExists, NewBook, Progress, Result, Store,
};
use obook_converters::Header;
use obook_engine::Stop;
use obook_graph::mapping::demands::MAX_LEVEL;
use obook_model::{Engine, RuleSet};
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::{Duration, Instant};

/// What was learned is noted when the run has lasted by such a part longer: often at first, and never too often.
const NOTED: f64 = 0.01;
/// How many failures, and how many corrections, are named.
pub(crate) const NAMED: usize = 20;
/// Plies of a line where neither the stage nor the book says how many.
const DEPTH: u8 = 60;

/// How long to learn, and how answers go in.
#[derive(Clone, Debug, Default)]
pub struct LearnOptions {
    /// End about so long after the start. Expansions end earlier, so that the leaves which they have cost their parents can be
    /// searched: the book lacks nothing then that it did not lack before.
    pub time: Option<Duration>,
    /// End after about so many answers, in the same way.
    pub limit: Option<u64>,
    /// So many answers go into the book at once; `None`: as many as come while what was taken in last took a small part of the
    /// time.
    pub batch: Option<NonZeroUsize>,
    /// What the owner of the book plays: for rules that ask for that.
    pub played: Played,
    /// Ends the run, from any thread.
    pub stop: Stop,
}

/// Finds those who search for a stage, 0 for the first.
pub type Hire<'a> = dyn FnMut(usize) -> Result<Box<dyn Workers>> + 'a;

/// Grows the database at `path` by a recipe; makes it, with the start position, where it is absent. A run goes on where the last
/// one ended, if the recipe is the same and nobody has changed the book since.
///
/// All that a run does is one change in the book's history, under the name of `command`, as long as nobody else changes the
/// book meanwhile. `tell` is called each time that answers go in.
///
/// # Errors
/// [`Error::BookFile`]; [`Error::NoAnswer`] where the workers never answer; [`Error::Unfit`] where neither the book nor the
/// recipe says a level; and where the book can't be read or written. What was taken in before stays.
pub fn learn(
    path: &Path,
    recipe: &Recipe,
    options: &LearnOptions,
    hire: &mut Hire<'_>,
    context: &Context,
    tell: &mut dyn FnMut(&Standing),
) -> Result<Learned> {
    if !path.try_exists().map_err(Error::io(path, "look for"))? {
        for stage in &recipe.stages {
            reach(stage, &header_for(recipe).header, path)?;
        }
        make(path, recipe, command)?;
    }
    let mut store = Book::open_for_writing(path, "teach")?;
    let mut change = ChangeInParts::default();
    prepare(&mut store, command, &mut change, progress)?;
    let state = State::begin(&mut store, recipe)?;
    let reader = Store::open(path)?;
    let begun = Instant::now();
    let root_before = value(&reader, recipe)?;
    let watched = Watched::of(&reader)?;
    let positions_before = reader.counts()?.rows().positions;
    let mut run = Run {
        recipe,
        options,
        command,
        store,
        reader,
        in_memory: InMemory::default(),
        change,
        state,
        begun,
        deadline: options.time.and_then(|time| begun.checked_add(time)),
        root_before,
        noted: (0.0, root_before),
        engine: String::new(),
        in_vain: 0,
        totals: Totals::default(),
        stages: Vec::new(),
        expanded: false,
        completing: None,
        stopped: None,
        corrections: Vec::new(),
        failures: Vec::new(),
        progress,
        tell,
    };
    while run.stopped.is_none() && run.state.stage < recipe.stages.len() {
        let mut workers = hire(run.state.stage)?;
        run.stage(&mut *workers)?;
    }
    run.end(watched, positions_before)
}

/// An empty book, for Edax's rules.
fn make(path: &Path, recipe: &Recipe, command: &str) -> Result<()> {
    let book = NewBook::create(path, IfExists::Refuse)?;
    book.set_header(&header_for(recipe))?;
    book.commit(&Entry::new(command))
}

/// What an empty book says of itself that this recipe is to fill.
pub(crate) fn header_for(recipe: &Recipe) -> BookHeader {
    let stages = &recipe.stages;
    let level = stages.iter().filter_map(|stage| stage.level).max();
    let depth = stages.iter().filter_map(|stage| stage.depth).max();
    BookHeader {
        rules: RuleSet::Edax,
        format: None,
        header: Header {
            level: level.map(i32::from),
            n_empties: depth.map(|depth| 61 - i32::from(depth)),
            ..Header::default()
        },
    }
}

/// Fixes a book that is not, so that links and numbers are right and `todo` is complete.
pub(crate) fn prepare(
    store: &mut Store,
    command: &str,
    change: &mut ChangeInParts,
    progress: &Progress,
) -> Result<()> {
    if store.is_fixed()? {
        return Ok(());
    }
    let update = store.change()?;
    let steps = Steps::Fix { rules: None };
    let changed = recompute_in(&update, steps, None, progress)?.changed;
    update.commit_part(&Entry::new(command).counts(&changed), change)
}

/// What the root is worth.
fn value(book: &Store, recipe: &Recipe) -> Result<Option<i16>> {
    let root = book.numbers(recipe.root())?;
    Ok(root.and_then(|root| root.value))
}

/// The level of a stage's searches, and how many plies its lines are long: its own, or else the book's.
pub(crate) fn reach(stage: &Stage, header: &Header, path: &Path) -> Result<(u8, u8)> {
    let own = header.level.and_then(|level| u8::try_from(level).ok());
    let level = stage.level.or(own).filter(|level| *level <= MAX_LEVEL);
    let level = level.ok_or_else(|| {
        let problem =
            "neither the book nor the recipe says at which level it is searched: name one";
        Error::unfit(path, problem)
    })?;
    let own = header.depth().and_then(|depth| u8::try_from(depth).ok());
    let depth = stage.depth.or(own).unwrap_or(DEPTH).min(DEPTH);
    Ok((level, depth))
}

/// A run on its way.
pub(crate) struct Run<'a> {
    pub(crate) recipe: &'a Recipe,
    pub(crate) options: &'a LearnOptions,
    pub(crate) command: &'a str,
    pub(crate) store: Store,
    /// It sees the book as it was committed last.
    pub(crate) reader: Store,
    pub(crate) in_memory: InMemory,
    pub(crate) change: ChangeInParts,
    pub(crate) state: State,
    pub(crate) begun: Instant,
    pub(crate) deadline: Option<Instant>,
    pub(crate) root_before: Option<i16>,
    /// When what was learned was noted last, in seconds, and what the root was worth then.
    pub(crate) noted: (f64, Option<i16>),
    pub(crate) engine: String,
    /// Searches without an answer.
    pub(crate) in_vain: u64,
    pub(crate) totals: Totals,
    pub(crate) stages: Vec<StageTotals>,
    /// Whether it has found positions that were not in the book, which cost others their leaves.
    pub(crate) expanded: bool,
    /// Why nothing more is begun: only leaves that expansions have cost are still searched.
    pub(crate) completing: Option<Stopped>,
    pub(crate) stopped: Option<Stopped>,
    pub(crate) corrections: Vec<Correction>,
    pub(crate) failures: Vec<Failed>,
    pub(crate) progress: &'a Progress,
    pub(crate) tell: &'a mut dyn FnMut(&Standing),
}

/// A stage at work.
pub(crate) struct Working<'a> {
    pub(crate) stage: &'a Stage,
    /// Its place in the recipe, 0 for the first.
    pub(crate) index: usize,
    pub(crate) engine: Engine,
    pub(crate) level: u8,
    pub(crate) depth: u8,
    pub(crate) begun: Instant,
    pub(crate) choosing: Duration,
    pub(crate) writing: Duration,
    pub(crate) totals: Totals,
    pub(crate) pace: Pace,
    /// Tasks of this wave without a reply.
    pub(crate) left: u64,
    /// Whether what was taken in last is noted.
    pub(crate) is_noted: bool,
}

impl Run<'_> {
    /// Does what is left of a stage.
    fn stage(&mut self, workers: &mut dyn Workers) -> Result<()> {
        let stage = &self.recipe.stages[self.state.stage];
        let header = self.reader.header()?.header;
        let (level, depth) = reach(stage, &header, self.reader.path())?;
        let mut working = Working {
            stage,
            index: self.state.stage,
            engine: workers.engine(),
            level,
            depth,
            begun: Instant::now(),
            choosing: Duration::ZERO,
            writing: Duration::ZERO,
            totals: Totals::default(),
            pace: Pace::new(self.options.batch),
            left: 0,
            is_noted: true,
        };
        let at = self.state.stage;
        workers.name().clone_into(&mut self.engine);
        let waves = self.waves(&mut working, workers);
        let noted = self.note_stage(&working);
        self.stages.push(StageTotals {
            stage: at + 1,
            rule: stage.rule.name(),
            engine: workers.name().to_owned(),
            level,
            totals: working.totals,
            seconds: working.begun.elapsed().as_secs_f64(),
            choosing: working.choosing.as_secs_f64(),
            writing: working.writing.as_secs_f64(),
            done: self.state.stage > at,
        });
        waves.and(noted)
    }

    /// Wave after wave, until the stage is over or the run is to end.
    fn waves(&mut self, working: &mut Working<'_>, workers: &mut dyn Workers) -> Result<()> {
        let at = self.state.stage;
        self.drop_tasks_of_others(working)?;
        while self.state.stage == at {
            self.look_at_the_clock();
            if self.stopped.is_some() {
                break;
            }
            if self.completing.is_some() {
                self.complete(working)?;
            }
            let queue = Queue(self.reader.connection());
            let ready = match self.completing {
                Some(_) => queue.ready_to_complete(),
                None => queue.ready(),
            };
            let ready = ready.map_err(self.failed("read"))?;
            if !ready.is_empty() {
                self.search(working, workers, &ready)?;
            } else if self.completing.is_some() {
                self.stopped = self.completing;
            } else if queue.leased_until().map_err(self.failed("read"))?.is_some() {
                self.stopped = Some(Stopped::HandedOut);
            } else if queue.has_waiting().map_err(self.failed("read"))? {
                self.go_on(working)?;
            } else if !self.complete(working)? {
                self.choose(working)?;
            }
        }
        Ok(())
    }

    pub(crate) fn failed(&self, doing: &'static str) -> impl Fn(rusqlite::Error) -> Error + use<> {
        let path = self.reader.path().to_owned();
        move |error| Error::sqlite(&path, doing)(error)
    }

    /// Ends the run once the time is up, or it has searched enough, or is told to end. If it has expanded something, the leaves
    /// that are missing because of that are searched all the same.
    pub(crate) fn look_at_the_clock(&mut self) {
        if self.options.stop.is_set() {
            self.stopped.get_or_insert(Stopped::Told);
        }
        let is_late = |deadline: Instant| Instant::now() >= deadline;
        let is_enough = |limit: u64| self.totals.searches >= limit;
        let reason = if self.deadline.is_some_and(is_late) {
            Stopped::Time
        } else if self.options.limit.is_some_and(is_enough) {
            Stopped::Limit
        } else {
            return;
        };
        match self.expanded {
            true => {
                self.deadline = None;
                self.completing.get_or_insert(reason);
            }
            false => {
                self.stopped.get_or_insert(reason);
                self.options.stop.set();
            }
        }
    }

    /// Takes in what was found, in one transaction.
    pub(crate) fn take_in(
        &mut self,
        working: &mut Working<'_>,
        found: &mut Vec<Found>,
    ) -> Result<()> {
        if found.is_empty() {
            return Ok(());
        }
        let begun = Instant::now();
        let found = std::mem::take(found);
        working.left = working.left.saturating_sub(found.len() as u64);
        let update = self.store.change()?;
        let Taken {
            totals: new,
            corrections,
            changed,
        } = take_in(&update, &self.reader, found, working.engine)?;
        let totals = self.totals + new;
        let state = State {
            searches: self.state.searches + new.searches,
            idle: if new.leaves + new.added > 0 {
                0
            } else {
                self.state.idle
            },
            ..self.state
        };
        let root = update.numbers(self.recipe.root())?;
        let root = root.and_then(|root| root.value);
        let seconds = self.begun.elapsed().as_secs_f64();
        let (last, before) = self.noted;
        let positions = self.reader.counts()?.rows().positions + new.added;
        let is_due = seconds >= last * (1.0 + NOTED) || root != before;
        let failed = || Error::sqlite(self.reader.path(), "write");
        let number = update.number_of(self.change)?;
        state.write_in(&update, number).map_err(failed())?;
        if is_due {
            let noted = Noted {
                change: number,
                stage: working.index,
                rule: working.stage.rule.name(),
                seconds,
                totals: working.totals + new,
                positions,
                root,
            };
            noted.write(update.connection()).map_err(failed())?;
            self.noted = (seconds, root);
        }
        let counts = Counts {
            totals,
            root_before: self.root_before,
            root,
            seconds,
            lines: &[],
        };
        update.commit_part(&Entry::new(self.command).counts(&counts), &mut self.change)?;
        self.in_memory.note(changed);
        let room = NAMED.saturating_sub(self.corrections.len());
        self.corrections.extend(corrections.into_iter().take(room));
        (self.totals, self.state) = (totals, state);
        working.totals = working.totals + new;
        working.is_noted = is_due;
        working.pace.taken_in(begun.elapsed());
        working.writing += begun.elapsed();
        let standing = self.standing(working, positions, root);
        self.progress.note(&standing.note());
        (self.tell)(&standing);
        Ok(())
    }

    /// Notes how a stage ended, where that is not noted yet.
    fn note_stage(&mut self, working: &Working<'_>) -> Result<()> {
        let Some(change) = self.change.id().filter(|_| !working.is_noted) else {
            return Ok(());
        };
        let seconds = self.begun.elapsed().as_secs_f64();
        let noted = Noted {
            change,
            stage: working.index,
            rule: working.stage.rule.name(),
            seconds,
            totals: working.totals,
            positions: self.reader.counts()?.rows().positions,
            root: value(&self.reader, self.recipe)?,
        };
        let failed = self.failed("write");
        self.store
            .aside(|connection| noted.write(connection).map_err(failed))
    }

    fn standing(&self, working: &Working<'_>, positions: u64, root: Option<i16>) -> Standing {
        Standing {
            stage: self.stages.len() + 1,
            stages: self.recipe.stages.len(),
            rule: working.stage.rule.name(),
            totals: self.totals,
            left: working.left,
            positions,
            seconds: self.begun.elapsed().as_secs_f64(),
            root,
        }
    }

    /// What the whole run did; the history says so, too.
    fn end(mut self, watched: Watched, positions_before: u64) -> Result<Learned> {
        let lines = watched.changed(&self.reader)?;
        let seconds = self.begun.elapsed().as_secs_f64();
        let root = value(&self.reader, self.recipe)?;
        if let Some(change) = self.change.id() {
            let counts = Counts {
                totals: self.totals,
                root_before: self.root_before,
                root,
                seconds,
                lines: &lines,
            };
            self.store.renew_counts(change, &counts)?;
        }
        Ok(Learned {
            change: self.change.id(),
            totals: self.totals,
            stages: self.stages,
            positions_before,
            positions: self.reader.counts()?.rows().positions,
            root_before: self.root_before,
            root,
            lines,
            corrections: self.corrections,
            failures: self.failures,
            seconds,
            stopped: self.stopped,
        })
    }
}
