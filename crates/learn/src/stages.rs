//! Learning: the stages of a recipe one after the other, each in waves.

use crate::intake::{Intake, Ledger, Outcome, Taken};
use crate::kept::Kept;
use crate::lock::RunLock;
use crate::queue::{Queue, Task, Want, links_in, links_of, renew};
use crate::report::{
    Learned, NAMED, Part, StageTotals, Standing, Stopped, Totals, Watched, note, value,
};
use crate::rule::look_up;
use crate::run::{Plan, Run};
use crate::search::{Clock, Trusted, Workers, as_strong_as};
use crate::state::State;
use crate::{Chosen, Error, Played, Recipe, Result, Rule, Setting, Stage, Variation, each_once};
use obook::{Book, BookHeader, Change, Context, IfExists, NewBook, Progress, Store, StoreError};
use obook_converters::Header;
use obook_engine::{Stop, wire};
use obook_graph::slabs::{self, Slabs};
use obook_othello::levels::MAX_LEVEL;
use obook_othello::{Engine, Leaf, RuleSet};
use rusqlite::params;
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::{Duration, Instant};

/// Progress is noted whenever the run has lasted this much longer: often at first, and never too often.
const NOTED: f64 = 0.01;
/// How long to wait for another process that hands searches out.
const PATIENCE: Duration = Duration::from_secs(60);
/// The length of lines in plies, if neither the stage nor the book says it.
const DEPTH: u8 = 60;

/// How long to learn, and how answers go in.
#[derive(Clone, Debug, Default)]
pub struct LearnOptions {
    /// The time that the run may take. It stops expanding early enough to search the leaves that it has cost their positions. If
    /// these take longer than expected, the run may last a tenth longer; then it ends, and [`Learned::lacking`] counts those that
    /// are still missing.
    pub time: Option<Duration>,
    /// The greatest number of answers, those to missing leaves included.
    pub limit: Option<u64>,
    /// The number of answers that go into the book at once; `None`: all that come in a few seconds.
    pub batch: Option<NonZeroUsize>,
    /// The games of the book's owner, for rules that use them.
    pub played: Played,
    /// Ends the run, from any thread.
    pub stop: Stop,
    /// Tells the time.
    pub clock: Clock,
}

/// Hires the workers of a stage; 0 is the first.
pub type Hire<'a> = dyn FnMut(usize) -> Result<Box<dyn Workers>> + 'a;

/// Opens a database to learn in. If there is none, makes one without positions, for this recipe.
///
/// # Errors
/// As [`Book::open_for_writing`]; returns [`Error::NoLevel`](crate::Error::NoLevel) if there is no database, and the recipe names no
/// level. Then none is made.
pub fn open_book(path: &Path, recipe: &Recipe, context: &Context) -> Result<Store> {
    let exists = path.try_exists();
    if !exists.map_err(obook::Error::io(path, "look for"))? {
        let header = header_for(recipe);
        for stage in &recipe.stages {
            level_or_own(stage.level, &header.header)?;
        }
        match make_book(path, &header, context) {
            // Another process has made it meanwhile.
            Err(obook::Error::Store(StoreError::Exists { .. })) => {}
            made => made?,
        }
    }
    Ok(Book::open_for_writing(path, context)?)
}

fn make_book(path: &Path, header: &BookHeader, context: &Context) -> obook::Result<()> {
    let book = NewBook::create(path, IfExists::Refuse, context)?;
    book.set_header(header)?;
    book.commit(&json!({"new_book": true}))
}

/// Grows a book by a recipe. A run continues the last one if the recipe is the same and nobody has changed the book since.
///
/// The whole run is one change in the book's history, under the command of its context, as long as nobody else changes the book
/// meanwhile. `tell` is called whenever answers have gone in.
///
/// # Errors
/// Returns [`Error::NoLevel`](crate::Error::NoLevel) if neither the book nor the recipe names a level,
/// [`StoreError::Unfit`](obook::StoreError::Unfit) if another run is in progress or other machines search for another engine, and
/// [`Error::NoGames`](crate::Error::NoGames) if a rule needs games and there are none. Fails if the book can't be read or written.
/// Once the run has begun, this is [`Error::Broken`](crate::Error::Broken), which carries the report. So is the error after
/// [`Failures::MOST`](crate::search::Failures::MOST) failures in a row: no stage ends, because they may belong to any. Answers taken in
/// before stay in the book.
pub fn learn(
    book: &mut Store,
    recipe: &Recipe,
    options: &LearnOptions,
    hire: &mut Hire<'_>,
    tell: &mut dyn FnMut(&Standing),
) -> Result<Learned> {
    recipe.check_games(&options.played)?;
    let _lock = RunLock::take(book.path(), Duration::ZERO)?;
    let context = book.context().clone();
    let mut intake = Intake::new(book)?;
    let mut learning = Learning::begin(&mut intake, recipe, options, tell)?;
    learning.watched = Watched::of(&intake.reader)?;
    let watched = learning.watched.clone();
    let mut run = Run::new(intake, options, context.progress())?;
    while run.stopped.is_none() && learning.state.stage < recipe.stages.len() {
        let mut workers = hire(learning.state.stage)?;
        let engine = workers.engine();
        let mut stage = StageRun::begin(&mut learning, &mut run.intake, engine)?;
        let outcome = stage.waves(&mut run, &mut *workers);
        let noted = stage.end(&mut run.intake, workers.name());
        Trusted::add(&mut learning.learned.doubtful, workers.trusted());
        let Err(error) = outcome.and(noted.map_err(Error::from)) else {
            continue;
        };
        run.stopped = match error {
            Error::NoAnswer { .. } => Some(Stopped::NoAnswer),
            Error::Book(_) => Some(Stopped::Broken),
            other => return Err(other),
        };
        return Err(match learning.report(run, &watched) {
            Ok(learned) => Error::Broken {
                source: Box::new(error),
                learned: Box::new(learned),
            },
            Err(_) => error,
        });
    }
    learning.report(run, &watched)
}

/// Gives up to `most` searches of a recipe to another machine: those that can begin now. Once `give` has them, nobody else gets
/// them for as long as `lease`. `engine_of` returns the engine of each stage.
///
/// Nothing in the book changes except what waits, but a book that is not fixed is fixed, and positions that need no search, such as
/// the end of a game, come in. Answers come back through [`take_answers`](crate::take_answers).
///
/// # Errors
/// As [`learn`], but waits if another process hands searches out. Returns [`Error::HandOut`](crate::Error::HandOut) if `give`
/// fails: then nothing is leased.
pub fn hand_out(
    book: &mut Store,
    recipe: &Recipe,
    most: usize,
    lease: Duration,
    engine_of: &dyn Fn(usize) -> Engine,
    give: &mut dyn FnMut(&[wire::Question]) -> std::io::Result<()>,
) -> Result<()> {
    let _lock = RunLock::take(book.path(), PATIENCE)?;
    let context = book.context().clone();
    let mut intake = Intake::new(book)?;
    let (options, mut tell) = (LearnOptions::default(), |_: &Standing| {});
    let mut learning = Learning::begin(&mut intake, recipe, &options, &mut tell)?;
    let mut tasks = Vec::new();
    let mut engine = Engine::Obook;
    while tasks.is_empty() && learning.state.stage < recipe.stages.len() {
        engine = engine_of(learning.state.stage);
        let mut stage = StageRun::begin(&mut learning, &mut intake, engine)?;
        match stage.next(&mut intake, context.progress(), 0)? {
            Step::Search(ready) => {
                let needs_search = |task: &Task| task.request().is_ok();
                let (ready, others): (Vec<_>, Vec<_>) = ready.into_iter().partition(needs_search);
                if others.is_empty() {
                    tasks = ready;
                } else {
                    // No answer would come.
                    let not_needed = |task| (task, Outcome::NotNeeded(engine));
                    let found = others.into_iter().map(not_needed);
                    intake.take(found.collect(), &mut stage)?;
                }
            }
            Step::HandedOut => break,
            Step::Doubt | Step::Over => {}
        }
    }
    tasks.truncate(most);
    let asked = tasks.iter().filter_map(|task| task.request().ok());
    let question = |request| wire::Question { request, engine };
    let asked: Vec<wire::Question> = asked.map(question).collect();
    let mut lease_for = |seconds: Option<u64>| {
        Queue::change(intake.store, |queue| {
            let mut boards = tasks.iter().map(|task| task.board);
            boards.try_for_each(|board| queue.lease(board, seconds))
        })
    };
    // Whatever fails after this: nobody else gets them.
    lease_for(Some(lease.as_secs()))?;
    give(&asked).map_err(|why| match lease_for(None) {
        Ok(()) => crate::Error::HandOut(why),
        Err(error) => error.into(),
    })
}

/// The header of an empty book that this recipe fills. Edax's rules are for empty books.
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

/// This level, or else the book's.
pub(crate) fn level_or_own(level: Option<u8>, header: &Header) -> Result<u8> {
    let own = header.level.and_then(|level| u8::try_from(level).ok());
    let level = level.or(own).filter(|level| *level <= MAX_LEVEL);
    level.ok_or(crate::Error::NoLevel)
}

/// The setting of a stage in its first turn. The level of its searches and the length of its lines are its own, or else the book's.
pub(crate) fn setting<'a>(
    recipe: &Recipe,
    stage: &Stage,
    header: &Header,
    options: &'a LearnOptions,
    engine: Engine,
) -> Result<Setting<'a>> {
    let own = header.depth().and_then(|depth| u8::try_from(depth).ok());
    Ok(Setting {
        root: recipe.root(),
        depth: stage.depth.or(own).unwrap_or(DEPTH).min(DEPTH),
        level: level_or_own(stage.level, header)?,
        engine,
        turn: 0,
        played: &options.played,
    })
}

/// The stages of a recipe, as far as they are done.
struct Learning<'a> {
    recipe: &'a Recipe,
    options: &'a LearnOptions,
    state: State,
    kept: Kept,
    begun: Instant,
    /// When progress was noted last, in seconds of the part, and the root's value then.
    noted: (f64, Option<i16>),
    part: Part,
    /// The lines as they were before the part.
    watched: Watched,
    /// The report, as far as it is known.
    learned: Learned,
    tell: &'a mut dyn FnMut(&Standing),
}

/// A stage on its way.
struct StageRun<'s, 'a> {
    learning: &'s mut Learning<'a>,
    stage: &'a Stage,
    /// Its place in the recipe; 0 is the first.
    index: usize,
    setting: Setting<'a>,
    begun: Instant,
    /// Its counts so far.
    counts: StageTotals,
    /// The counts of this part of the run.
    of_part: Totals,
    /// Tasks of this wave without a reply.
    left: u64,
    /// Whether what was taken in last is noted.
    is_noted: bool,
}

/// The next step of a stage.
enum Step {
    Search(Vec<Task>),
    /// All tasks are with other machines.
    HandedOut,
    /// The rule has to choose, but the last searches have failed: perhaps the engine has died.
    Doubt,
    /// The stage is over.
    Over,
}

impl<'s, 'a> StageRun<'s, 'a> {
    fn begin(
        learning: &'s mut Learning<'a>,
        intake: &mut Intake<'_>,
        engine: Engine,
    ) -> Result<StageRun<'s, 'a>> {
        let path = intake.reader.path();
        if let Some(other) = Queue::of(&intake.reader).leased_by_another(engine)? {
            let problem = format!(
                "other machines have searches for engine {other}, and levels of engine {engine} mean something else: use {other}, take their answers in first, or wait until their leases end"
            );
            return Err(obook::Error::unfit(path, problem).into());
        }
        // Levels of another engine mean something else.
        Queue::change(intake.store, |queue| queue.drop_all_but(engine))?;
        let index = learning.state.stage;
        let (recipe, options) = (learning.recipe, learning.options);
        let stage = &recipe.stages[index];
        let header = intake.reader.header()?.header;
        let setting = setting(recipe, stage, &header, options, engine)?;
        Ok(StageRun {
            stage,
            index,
            setting,
            begun: options.clock.now(),
            counts: StageTotals {
                stage: index + 1,
                rule: stage.rule.name(),
                level: setting.level,
                ..StageTotals::default()
            },
            of_part: Totals::default(),
            left: 0,
            is_noted: true,
            learning,
        })
    }

    /// Searches wave after wave, until the stage is over or the run ends.
    fn waves(&mut self, run: &mut Run<'_>, workers: &mut dyn Workers) -> Result<()> {
        run.budget.begin_stage();
        while !run.is_over() {
            let mut tasks = Vec::new();
            if run.budget.has_to_complete() && run.budget.is_late() {
                tasks = self.missing(&mut run.intake)?;
            }
            if tasks.is_empty() {
                match self.next(&mut run.intake, run.progress, run.failures.count())? {
                    Step::Search(ready) => tasks = ready,
                    Step::HandedOut => {
                        run.stopped = Some(Stopped::HandedOut);
                        return Ok(());
                    }
                    Step::Doubt => {
                        run.confirm(workers)?;
                        continue;
                    }
                    Step::Over => return Ok(()),
                }
            }
            run.progress.step("searching", Some(tasks.len() as u64));
            self.left = tasks.len() as u64;
            let refused = run.wave(self, workers, tasks)?;
            run.stopped = run.stopped.or(refused);
        }
        Ok(())
    }

    /// Finds the next tasks: those that wait, then the missing leaves, then what the rule chooses. `failures`: how many
    /// positions have failed since the last answer.
    fn next(
        &mut self,
        intake: &mut Intake<'_>,
        progress: &Progress,
        failures: u64,
    ) -> Result<Step> {
        while self.learning.state.stage == self.index {
            let queue = Queue::of(&intake.reader);
            let ready = queue.ready()?;
            if !ready.is_empty() {
                return Ok(Step::Search(ready));
            }
            if queue.is_leased()? {
                return Ok(Step::HandedOut);
            }
            if queue.has_waiting()? {
                self.extend_variations(intake)?;
            } else if self.complete(intake)? {
                continue;
            } else if failures > 0 {
                return Ok(Step::Doubt);
            } else {
                let positions = intake.reader.counts()?.rows().positions;
                let state = self.learning.state;
                let [most, room] = self.stage.until.left(state.searches, positions);
                let is_over = most.min(room) == 0 || state.idle >= self.stage.rule.turns();
                progress.step("choosing", None);
                self.choose(intake, most, is_over)?;
            }
        }
        Ok(Step::Over)
    }

    /// Extends variations whose boards have come into the book.
    fn extend_variations(&mut self, intake: &mut Intake<'_>) -> obook::Result<()> {
        let setting = self.setting;
        let reader = &intake.reader;
        Queue::change(intake.store, |queue| {
            let mut next = Vec::new();
            for task in queue.take_waiting()? {
                if let Want::Variation(variation) = task.want {
                    next.extend(after(reader, &task, variation, &setting)?);
                }
            }
            for chosen in each_once(next, setting.level) {
                if reader.numbers(chosen.board)?.is_none() {
                    let without = links_in(reader, chosen.board)?;
                    queue.push(&chosen, without, setting.level, Some(setting.engine))?;
                }
            }
            Ok(())
        })
    }

    /// Queues the positions that lack a leaf. Returns whether there are any.
    fn complete(&mut self, intake: &mut Intake<'_>) -> obook::Result<bool> {
        let reader = &intake.reader;
        let lacking = Queue::of(reader).lacking()?;
        let Setting { engine, level, .. } = self.setting;
        let any = !lacking.is_empty();
        Queue::change(intake.store, |queue| {
            for (board, lost) in lacking {
                let level = lost.map_or(level, |lost| as_strong_as(lost, engine, 0, board));
                let chosen = Chosen::new(board, Want::Leaf, None);
                let without = links_in(reader, board)?;
                queue.push(&chosen, without, level, Some(engine))?;
            }
            Ok(any)
        })
    }

    /// Lets the rule choose `most` searches, or ends the stage if the rule has wanted nothing in all its turns or has done enough.
    fn choose(&mut self, intake: &mut Intake<'_>, most: u64, is_over: bool) -> Result<()> {
        let begun = self.learning.options.clock.now();
        let learning = &mut *self.learning;
        let mut tasks = Vec::new();
        if is_over {
            learning.state = State {
                stage: learning.state.stage + 1,
                ..State::default()
            };
        } else {
            self.setting.turn = learning.state.turn;
            learning.state.turn += 1;
            learning.state.idle += 1;
            let book = learning.kept.book(intake.store)?;
            let mut choose = || {
                let chosen = wanted(learning.recipe, &self.stage.rule, book, &self.setting, most)?;
                let without = links_of(book, &chosen)?;
                Ok(chosen.into_iter().zip(without).collect())
            };
            let failed = obook::Error::of_slabs(intake.reader.path());
            tasks = choose().map_err(failed)?;
        }
        let setting = self.setting;
        Queue::change(intake.store, |queue| {
            for (chosen, without) in &tasks {
                queue.push(chosen, *without, setting.level, Some(setting.engine))?;
            }
            learning.state.write(queue, None)
        })?;
        self.counts.choosing += learning.options.clock.since(begun).as_secs_f64();
        Ok(())
    }

    /// Notes how the stage ended, and adds it up.
    fn end(self, intake: &mut Intake<'_>, engine: &str) -> obook::Result<()> {
        let now = self.learning.options.clock.now();
        self.learning.learned.stages.push(StageTotals {
            engine: engine.to_owned(),
            seconds: now.duration_since(self.begun).as_secs_f64(),
            done: self.learning.state.stage > self.index,
            ..self.counts.clone()
        });
        let Some(change) = intake.change.filter(|_| !self.is_noted) else {
            return Ok(());
        };
        let seconds = self.learning.part.seconds(now);
        let positions = intake.reader.counts()?.rows().positions;
        let root = value(&intake.reader, self.setting.root)?;
        Queue::change(intake.store, |queue| {
            self.note(queue, change, seconds, positions, root)
        })
    }

    /// Notes in table `learned` how far the stage is.
    fn note(
        &self,
        queue: Queue<'_>,
        change: i64,
        seconds: f64,
        positions: u64,
        root: Option<i16>,
    ) -> obook::Result<()> {
        let sql = "INSERT INTO learned (change, number, stage, rule, seconds, searches, added, leaves, positions, root)
                   VALUES (?1, (SELECT ifnull(max(number), 0) + 1 FROM learned WHERE change = ?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let values = params![
            change,
            self.index as i64,
            self.counts.rule,
            seconds,
            self.of_part.searches.cast_signed(),
            self.of_part.added.cast_signed(),
            self.of_part.leaves.cast_signed(),
            positions.cast_signed(),
            root
        ];
        queue.write(sql, values)
    }
}

impl Ledger for StageRun<'_, '_> {
    fn enter(&mut self, update: &Change<'_>, before: &Store, taken: &Taken) -> Result<Value> {
        let learning = &mut *self.learning;
        let new = taken.totals;
        learning.state.searches += new.searches;
        if new.leaves + new.added > 0 {
            learning.state.idle = 0;
        }
        let root = value(update.store(), self.setting.root)?;
        let now = learning.options.clock.now();
        learning.part.add(before, taken, now)?;
        if taken.begins {
            learning.noted = (0.0, learning.part.root_before);
            learning.watched = Watched::of(before)?;
            self.of_part = Totals::default();
        }
        let seconds = learning.part.seconds(now);
        let (last, root_noted) = learning.noted;
        self.of_part += new;
        self.is_noted = seconds >= last * (1.0 + NOTED) || root != root_noted;
        let (queue, change) = (Queue::of(update.store()), update.number());
        learning.state.write(queue, Some(change))?;
        if self.is_noted {
            let positions = before.counts()?.rows().positions + new.added;
            self.note(queue, change, seconds, positions, root)?;
            self.learning.noted = (seconds, root);
        }
        Ok(json!(self.learning.part.counts(now, root)))
    }
}

impl Plan for StageRun<'_, '_> {
    fn missing(&mut self, intake: &mut Intake<'_>) -> Result<Vec<Task>> {
        self.complete(intake)?;
        let mut ready = Queue::of(&intake.reader).ready_to_complete()?;
        // Links may have come since they were queued.
        renew(&intake.reader, &mut ready)?;
        Ok(ready)
    }

    fn tell(&mut self, run: &Run<'_>, taken: Taken, lasted: Duration) -> Result<()> {
        let learning = &mut *self.learning;
        self.left = self.left.saturating_sub(taken.done);
        self.counts.writing += lasted.as_secs_f64();
        self.counts.totals += taken.totals;
        learning.learned.totals += taken.totals;
        learning.kept.note(taken.changed);
        let corrections = &mut learning.learned.corrections;
        corrections.extend(taken.corrections);
        corrections.truncate(NAMED);
        let standing = Standing {
            stage: self.counts.stage,
            stages: learning.recipe.stages.len(),
            rule: self.counts.rule,
            totals: learning.learned.totals,
            left: self.left,
            positions: run.intake.reader.counts()?.rows().positions,
            seconds: learning.seconds(),
            root: value(&run.intake.reader, self.setting.root)?,
        };
        run.progress.note(&note(
            standing.totals.searches,
            standing.seconds,
            Some(standing.positions),
            standing.root.map(i32::from),
        ));
        (learning.tell)(&standing);
        Ok(())
    }
}

impl<'a> Learning<'a> {
    /// Begins in the stage in which the last run ended, if that continues. The book is fixed then.
    fn begin(
        intake: &mut Intake<'_>,
        recipe: &'a Recipe,
        options: &'a LearnOptions,
        tell: &'a mut dyn FnMut(&Standing),
    ) -> Result<Learning<'a>> {
        intake.prepare()?;
        let state = State::begin(intake.store, recipe)?;
        let begun = options.clock.now();
        let part = Part::begin(&intake.reader, recipe.root(), begun)?;
        Ok(Learning {
            recipe,
            options,
            state,
            kept: Kept::new(intake.store.context()),
            begun,
            noted: (0.0, part.root_before),
            watched: Watched::default(),
            learned: Learned {
                positions_before: intake.reader.counts()?.rows().positions,
                root_before: part.root_before,
                ..Learned::default()
            },
            part,
            tell,
        })
    }

    /// How long the run has lasted.
    fn seconds(&self) -> f64 {
        self.options.clock.since(self.begun).as_secs_f64()
    }

    /// The counts of the whole run, before which the lines were `watched`. Those of its last part are also in the history.
    fn report(mut self, mut run: Run<'_>, watched: &Watched) -> Result<Learned> {
        let intake = &mut run.intake;
        let lines = watched.changed(&intake.reader)?;
        let seconds = self.seconds();
        let root = value(&intake.reader, self.part.board)?;
        // The history keeps the counts that were written last.
        let is_written = run.stopped != Some(Stopped::Broken);
        if let Some(change) = intake.change.filter(|_| is_written) {
            self.part.lines = self.watched.changed(&intake.reader)?;
            let counts = self.part.counts(self.options.clock.now(), root);
            intake.store.renew_counts(change, counts)?;
        }
        self.learned.doubtful.retain(|trusted| trusted.refused);
        Ok(Learned {
            change: intake.change,
            positions: intake.reader.counts()?.rows().positions,
            lacking: Queue::of(&intake.reader).count_lacking()?,
            unanswered: run.unanswered.len() as u64,
            root,
            lines,
            failures: run.failed,
            seconds,
            stopped: run.stopped,
            ..self.learned
        })
    }
}

/// At most `most` wants of a rule, most important first, after the positions on the way to the root.
pub(crate) fn wanted(
    recipe: &Recipe,
    rule: &Rule,
    book: &mut Slabs,
    setting: &Setting<'_>,
    most: u64,
) -> slabs::Result<Vec<Chosen>> {
    let way = look_up(book, &recipe.way(), |book, board| {
        let is_missing = book.find(board).is_none();
        is_missing.then(|| setting.missing(board))?
    })?;
    let mut chosen: Vec<Chosen> = way.into_iter().flatten().collect();
    if chosen.is_empty() {
        chosen = rule.choose(book, setting)?;
    }
    chosen.sort_unstable_by(Chosen::highest_first);
    chosen.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    Ok(chosen)
}

/// How a variation continues from a position that it has brought into the book: by its leaf, if that is its best move and does
/// not fall short.
fn after(
    book: &Store,
    task: &Task,
    variation: Variation,
    setting: &Setting<'_>,
) -> obook::Result<Option<Chosen>> {
    let Some(position) = book.position(task.board)? else {
        return Ok(None);
    };
    // By Egaroucid's rules values come from links alone: a leaf may be worth more than its position.
    let is_best = |leaf: &Leaf| position.value <= Some(leaf.score.into());
    let next = |leaf: Leaf| {
        let (board, worth) = (task.board.board(), i16::from(leaf.score));
        let child = board.play(leaf.mv?)?.canonical();
        let want = Want::Variation(variation.after(worth));
        let goes_on = setting.goes_on(board) && variation.goes_on(worth);
        goes_on.then(|| Chosen::new(child, want, Some(task.level)))
    };
    Ok(position.leaf.filter(is_best).and_then(next))
}
