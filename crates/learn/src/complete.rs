//! Searching the leaves that a book lacks, or has from weaker searches: a run whose tasks are chosen once.

use crate::intake::{Intake, Ledger, Outcome, Taken};
use crate::queue::{Queue, Task, Want, board, engine_of, level_of_search, renew, small};
pub use crate::report::{Failed, SearchCounts, Stopped};
use crate::report::{note, value};
use crate::run::{Plan, Run};
use crate::search::{Clock, Start, Threads, Workers, as_strong_as};
use crate::stages::level_or_own;
use crate::{LearnOptions, Result};
use foldhash::HashSet;
use obook::read::lookup::{Lookup, rows_where};
use obook::write::fix::ChangedPositions;
use obook::{Change, Store};
use obook_othello::levels::{Strength, of_leaf};
use obook_othello::{Board, CanonicalBoard, Engine, Leaf, Line};
use serde::Serialize;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

/// Positions are searched again this often if another process changes their links meanwhile.
const ROUNDS: usize = 3;

/// The choice of searches and their settings. By default: everything that waits, at the book's level, one after another.
#[derive(Clone, Debug, Default)]
pub struct SearchOptions {
    /// The level, 0 to 60 on the engine's scale; by default the book's. It is raised to `below` if it is lower.
    pub level: Option<u8>,
    /// Also search leaves again that come from weaker searches than this level.
    pub below: Option<u8>,
    /// Only positions for which this SQL condition on the columns of table `positions` holds.
    pub condition: Option<String>,
    /// Only the end of this line and what it leads to.
    pub from: Option<Line>,
    /// The greatest number of positions. Positions with the fewest discs come first.
    pub limit: Option<u64>,
    /// The number of searches side by side; `None`: one.
    pub jobs: Option<NonZeroUsize>,
    /// The time limit, and how answers are taken in. When the time is up, no new search begins, and running ones end.
    pub run: LearnOptions,
}

/// How far a run is.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Standing {
    /// The results so far.
    #[serde(flatten)]
    pub counts: SearchCounts,
    /// Positions that are still to be searched.
    pub left: u64,
    /// Seconds since the start.
    pub seconds: f64,
    /// The value of the position from which the search goes down: the start position, or the end of a line.
    pub root: Option<i16>,
}

/// The result of a run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Searched {
    /// How far it came.
    #[serde(flatten)]
    pub standing: Standing,
    /// The name of the engine.
    pub engine: String,
    /// The level of the searches. It was higher where a better leaf was lost to a link.
    pub level: u8,
    /// The number of positions that were chosen.
    pub chosen: u64,
    /// The first searches without an answer, with the reasons.
    pub failures: Vec<Failed>,
    /// Why it ended early.
    pub stopped: Option<Stopped>,
    /// The changes by fixing the book, if it was not fixed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed: Option<ChangedPositions>,
    /// Seconds in which answers went into the book.
    pub writing: f64,
}

/// Searches the leaves that the database at `path` lacks, with as many searchers as asked for, and takes the answers in.
///
/// The whole run is one change in the book's history, under the command of `context`, as long as nobody else changes the book
/// meanwhile. `tell` is called whenever answers have gone in.
///
/// ```
/// use obook_learn::complete::{SearchOptions, search};
/// use obook::{Book, Context};
/// use obook_engine::{Inside, Searcher};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pruned.dat");
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("games.obook");
/// let context = Context::new("test");
/// let mut book = Book::import(file, &path, &context)?;
/// // The leaves of three positions are lost.
/// let lost = "SELECT board FROM leaves WHERE move IS NOT NULL LIMIT 3";
/// let wipe = &format!("DELETE FROM leaves WHERE board IN ({lost})");
/// let update = book.change()?;
/// update.connection().execute_batch(wipe)?;
/// update.forget_fixed()?;
/// update.commit(&())?;
/// let options = SearchOptions { level: Some(2), ..SearchOptions::default() };
/// let start = || Ok(Box::new(Inside::new()) as Box<dyn Searcher>);
/// let searched = search(&mut book, &options, &start, &mut |_| ())?;
/// assert_eq!((searched.standing.counts.searched, searched.standing.left), (3, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns [`Error::Engine`](crate::Error::Engine) if no searcher can be started, [`Error::NoAnswer`](crate::Error::NoAnswer) after
/// [`Failures::MOST`](crate::search::Failures::MOST) failures in a row, [`Error::NoLevel`](crate::Error::NoLevel) if neither the options nor the book name a
/// level, [`StoreError::Unfit`](obook::StoreError::Unfit) if the book does not hold the line, and [`Error::Condition`](obook::Error::Condition) if SQLite refuses the condition. Fails if the book can't
/// be read or written. Answers taken in before stay.
pub fn search(
    book: &mut Store,
    options: &SearchOptions,
    start: &Start<'_>,
    tell: &mut dyn FnMut(&Standing),
) -> Result<Searched> {
    let context = book.context().clone();
    let progress = context.progress();
    let mut intake = Intake::new(book)?;
    let level = level_or_own(options.level, &intake.reader.header()?.header)?;
    // No weaker than what is searched again.
    let level = level.max(options.below.unwrap_or(0));
    let jobs = options.jobs.unwrap_or(NonZeroUsize::MIN);
    let mut workers = Threads::start(jobs, start, &options.run.stop)?;
    intake.prepare()?;
    if let Some(line) = &options.from {
        Lookup::Database(intake.reader.reader()?).require(line)?;
    }
    progress.step("choosing", None);
    let mut waiting = options.choose(&intake.reader, workers.engine(), level)?;
    progress.step("searching", Some(waiting.len() as u64));
    let root = options.from.as_ref().map_or(Board::START, Line::board);
    let mut list = List {
        counts: SearchCounts::default(),
        of_part: SearchCounts::default(),
        chosen: waiting.len() as u64,
        again: HashSet::default(),
        root: root.canonical(),
        begun: options.run.clock.now(),
        clock: &options.run.clock,
        tell,
    };
    let mut run = Run::new(intake, &options.run, progress)?;
    for _ in 0..ROUNDS {
        renew(&run.intake.reader, &mut waiting)?;
        run.wave(&mut list, &mut workers, waiting.clone())?;
        let again = std::mem::take(&mut list.again);
        waiting.retain(|it| again.contains(&it.board));
        if run.is_over() || waiting.is_empty() {
            break;
        }
    }
    let standing = list.standing(&run.intake)?;
    Ok(Searched {
        standing,
        engine: workers.name().to_owned(),
        level,
        chosen: list.chosen,
        failures: run.failed,
        stopped: run.stopped.filter(|_| standing.left > 0),
        fixed: run.intake.fixed,
        writing: run.writing.as_secs_f64(),
    })
}

/// Positions that were chosen once.
struct List<'a> {
    counts: SearchCounts,
    /// Counts since the entry of the change in the history began.
    of_part: SearchCounts,
    chosen: u64,
    /// Positions whose links have changed meanwhile, so that their answers don't count.
    again: HashSet<CanonicalBoard>,
    root: CanonicalBoard,
    begun: Instant,
    clock: &'a Clock,
    tell: &'a mut dyn FnMut(&Standing),
}

impl List<'_> {
    fn standing(&self, intake: &Intake<'_>) -> Result<Standing> {
        Ok(Standing {
            counts: self.counts,
            left: self.chosen - self.counts.done().min(self.chosen),
            seconds: self.clock.since(self.begun).as_secs_f64(),
            root: value(&intake.reader, self.root)?,
        })
    }
}

impl Ledger for List<'_> {
    /// These tasks are not in the queue.
    fn settle(&self, _: Queue<'_>, _: &Task, _: &Outcome) -> obook::Result<()> {
        Ok(())
    }

    fn enter(&mut self, _: &Change<'_>, _: &Store, taken: &Taken) -> Result<Value> {
        self.again.extend(&taken.stale);
        if taken.begins {
            self.of_part = SearchCounts::default();
        }
        self.counts += taken.counts;
        self.of_part += taken.counts;
        Ok(json!(self.of_part))
    }
}

impl Plan for List<'_> {
    fn missing(&mut self, _: &mut Intake<'_>) -> Result<Vec<Task>> {
        Ok(Vec::new())
    }

    fn tell(&mut self, run: &Run<'_>, _: Taken, _: Duration) -> Result<()> {
        let standing = self.standing(&run.intake)?;
        let root = standing.root.map(i32::from);
        let note = note(standing.counts.done(), standing.seconds, None, root);
        run.progress.note(&note);
        (self.tell)(&standing);
        Ok(())
    }
}

impl SearchOptions {
    /// The positions that are to be searched at this level, those with the fewest discs first.
    fn choose(&self, book: &Store, engine: Engine, level: u8) -> obook::Result<Vec<Task>> {
        let mut chosen = self.waiting(book, engine, level)?;
        chosen.extend(self.weaker(book, engine, level)?);
        if let Some(line) = &self.from {
            let reached = below_line(book, line)?;
            chosen.retain(|it| reached.contains(&it.board));
        }
        chosen.sort_unstable_by_key(|it| {
            let empties = it.board.board().empties();
            (Reverse(empties), it.board, Reverse(it.level))
        });
        chosen.dedup_by_key(|it| it.board);
        if let Some(limit) = self.limit {
            chosen.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        }
        Ok(chosen)
    }

    /// The chosen positions that lack a leaf.
    fn waiting(&self, book: &Store, engine: Engine, level: u8) -> obook::Result<Vec<Task>> {
        let sql = |holds: &str| {
            format!(
                "SELECT todo.board, todo.engine, todo.level FROM todo
                 WHERE EXISTS (SELECT 1 FROM positions WHERE board = todo.board AND {holds})"
            )
        };
        rows_where(book, self.condition.as_deref(), sql, |row| {
            let Some(board) = board(row)? else {
                return Ok(None);
            };
            let lost = engine_of(row, 1)?.zip(level_of_search(row, 2)?);
            let level = lost.map_or(level, |lost| as_strong_as(lost, engine, level, board));
            Ok(Some(Task::new(board, Want::Leaf, level)))
        })
    }

    /// The chosen positions whose leaf comes from a weaker search than one at level `below`, if that is given.
    fn weaker(&self, book: &Store, engine: Engine, level: u8) -> obook::Result<Vec<Task>> {
        let Some(below) = self.below else {
            return Ok(Vec::new());
        };
        let sql = |holds: &str| {
            format!(
                "SELECT leaves.board, leaves.level, leaves.engine, known.level, known.engine
                 FROM leaves CROSS JOIN positions AS known ON known.board = leaves.board
                 WHERE EXISTS (SELECT 1 FROM positions WHERE board = leaves.board AND {holds})"
            )
        };
        rows_where(book, self.condition.as_deref(), sql, |row| {
            // If the game is over, the discs give the score.
            let board = board(row)?.filter(|board| !board.board().is_over());
            let Some(board) = board else {
                return Ok(None);
            };
            let empties = board.board().empties() as u8;
            let wanted = Strength::new(engine, Some(below), empties);
            let known = engine_of(row, 4)?.unwrap_or(Engine::Edax);
            let leaf = Leaf {
                mv: None,
                score: 0,
                level: small(row, 1)?,
                engine: engine_of(row, 2)?.unwrap_or(Engine::Edax),
            };
            let own = Strength::new(leaf.engine, of_leaf(leaf, small(row, 3)?, known), empties);
            Ok((own < wanted).then(|| Task::new(board, Want::Leaf, level)))
        })
    }
}

/// The positions that the end of a line leads to in the book, itself among them, even if the book lacks it.
fn below_line(book: &Store, line: &Line) -> obook::Result<HashSet<CanonicalBoard>> {
    let mut reached = HashSet::default();
    let mut waiting = vec![line.board().canonical()];
    while let Some(board) = waiting.pop() {
        if reached.insert(board)
            && let Some(position) = book.position(board)?
        {
            let links = position.links.iter();
            waiting.extend(links.filter_map(|link| board.child(link.mv)));
        }
    }
    Ok(reached)
}
