//! Searching the leaves that a book lacks, or has from weaker searches.
//!
//! Three parts that know little of each other: which positions are to be searched is chosen once; they are searched side by
//! side, each by a request that stands for itself; and the answers go into the book in batches, each of which leaves the book
//! as `obook fix` would. What ends the run, at whatever moment, loses what is not in the book yet and nothing else: the same
//! search goes on with what waits still.

mod choose;
mod intake;
mod options;
mod pace;
mod report;

pub use intake::Counts;
pub(crate) use intake::{merged, with_final_score};
pub use options::SearchOptions;
pub(crate) use pace::Pace;
pub use report::{Failed, Searched, Standing, Stopped};

use crate::search::{
    Next, NoAnswer, Question, Replies, Start, Task, Threads, Workers, leaf_of, question_of,
};
use choose::Chosen;
use intake::{Found, FoundLeaf, Intake};
use obook_book::read::lookup::Lookup;
use obook_book::{Context, Book, Error, Progress, Result, Store};
use obook_othello::{Board, CanonicalBoard, Line};
use std::path::Path;
use std::time::{Duration, Instant};

/// How many failures are named.
const NAMED: usize = 20;
/// So many failures before the first answer, for each of those that search side by side, are enough.
const IN_VAIN: u64 = 8;
/// How often positions are searched again whose links another process has changed meanwhile.
const ROUNDS: usize = 3;

/// Searches the leaves that the database at `path` lacks, with as many searchers as asked for, and takes the answers in.
///
/// All batches are one change in the book's history, under the name of `command`, as long as nobody else changes the book
/// meanwhile. `tell` is called after each batch.
///
/// ```
/// use obook_book::write::import::import;
/// use obook_learn::complete::{SearchOptions, search};
/// use obook_book::{IfExists, Progress, Store};
/// use obook_engine::{Inside, Searcher};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/edax/games.dat");
/// # let folder = tempfile::tempdir()?;
/// # let book = folder.path().join("games.obook");
/// import(file.as_ref(), &book, IfExists::Refuse, "test", &Progress::hidden())?;
/// // The leaves of three positions are lost.
/// let lost = "SELECT board FROM leaves WHERE move IS NOT NULL LIMIT 3";
/// let wipe = &format!("DELETE FROM leaves WHERE board IN ({lost})");
/// let mut store = Store::open_for_writing(&book)?;
/// let update = store.change()?;
/// update.connection().execute_batch(wipe)?;
/// update.forget_fixed()?;
/// update.commit(&obook_book::Entry::new("test"))?;
/// let options = SearchOptions { level: Some(2), ..SearchOptions::default() };
/// let start = || Ok(Box::new(Inside::new()) as Box<dyn Searcher>);
/// let searched = search(&book, &options, &start, "search", &Progress::hidden(), &mut |_| ())?;
/// assert_eq!((searched.standing.counts.searched, searched.standing.left), (3, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::BookFile`]; [`Error::Engine`] where no searcher can be started or none ever answers; [`Error::Unfit`] where the book
/// says no level and none is given, or does not hold the line; [`Error::Condition`]; and where the book can't be read or written.
/// What was taken in before stays.
pub fn search(
    path: &Path,
    options: &SearchOptions,
    start: &Start<'_>,
    context: &Context,
    tell: &mut dyn FnMut(&Standing),
) -> Result<Searched> {
    let mut intake = Intake::open(path, command)?;
    let level = choose::level(&Store::open(path)?, options)?;
    let mut workers = Threads::start(options.jobs, start, &options.stop)?;
    let (engine, name) = (workers.engine(), workers.name().to_owned());
    intake.prepare(progress)?;
    if let Some(line) = &options.from {
        Lookup::new(Book::open(path)?, progress)?.require(line)?;
    }
    progress.step("choosing", None);
    let mut waiting = choose::choose(&Store::open(path)?, options, engine, level)?;
    progress.step("searching", Some(waiting.len() as u64));
    let begun = Instant::now();
    let root = options.from.as_ref().map_or(Board::START, Line::board);
    let mut run = Run {
        options,
        engine: &name,
        intake,
        chosen: waiting.len() as u64,
        begun,
        deadline: options.time.and_then(|time| begun.checked_add(time)),
        pace: Pace::new(options.batch),
        writing: Duration::ZERO,
        stopped: None,
        failures: Vec::new(),
        root: root.canonical(),
        progress,
        tell,
    };
    for _ in 0..ROUNDS {
        let again = run.round(path, &mut workers, &waiting)?;
        waiting.retain(|it| again.contains(&it.board));
        if waiting.is_empty() || run.stopped.is_some() {
            break;
        }
    }
    let standing = run.standing()?;
    Ok(Searched {
        standing,
        level,
        chosen: run.chosen,
        failures: run.failures,
        stopped: run.stopped.filter(|_| standing.left > 0),
        fixed: run.intake.fixed,
        writing: run.writing.as_secs_f64(),
        engine: name,
    })
}

/// A run on its way.
struct Run<'a> {
    options: &'a SearchOptions,
    engine: &'a str,
    intake: Intake<'a>,
    chosen: u64,
    begun: Instant,
    deadline: Option<Instant>,
    pace: Pace,
    writing: Duration,
    stopped: Option<Stopped>,
    failures: Vec<Failed>,
    root: CanonicalBoard,
    progress: &'a Progress,
    tell: &'a mut dyn FnMut(&Standing),
}

impl Run<'_> {
    /// Searches these positions, and gives those that have to be searched again.
    fn round(
        &mut self,
        path: &Path,
        workers: &mut dyn Workers,
        waiting: &[Chosen],
    ) -> Result<Vec<CanonicalBoard>> {
        let book = Store::open(path)?;
        let tasks = waiting.iter().map(move |chosen| task(&book, *chosen));
        let mut replies = Replies::new(workers, &self.options.stop, waiting.len(), tasks);
        let mut found = Vec::new();
        let mut again = Vec::new();
        let gathered = self.gather(&mut replies, &mut found, &mut again);
        // What was found before the end is worth taking in.
        let taken = self.take_in(&mut found, &mut again);
        gathered.and(taken).map(|()| again)
    }

    /// Gathers what is found, and takes it in as it is due.
    fn gather(
        &mut self,
        replies: &mut Replies<'_, impl Iterator<Item = Result<Task<Found>>>>,
        found: &mut Vec<Found>,
        again: &mut Vec<CanonicalBoard>,
    ) -> Result<()> {
        loop {
            let due = self.pace.due().filter(|_| !found.is_empty());
            let wake = self.deadline.into_iter().chain(due).min();
            match replies.until(wake)? {
                Next::End => break,
                Next::Done(done) => found.push(done),
                Next::Answer {
                    question, answer, ..
                } => {
                    match answer.and_then(|answer| leaf_of(&question.request, &answer)) {
                        Ok(leaf) => found.push(Found {
                            board: question.board,
                            leaf: FoundLeaf::Searched(leaf, question.request.excluded()),
                        }),
                        Err(why) => self.fail(&question, &why, found.is_empty())?,
                    }
                    self.progress.advance(1);
                }
                Next::TimeIsUp => {}
            }
            if self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
            {
                self.deadline = None;
                self.stopped = Some(Stopped::Time);
                self.options.stop.set();
            }
            if self.pace.is_due(found.len()) {
                self.take_in(found, again)?;
            }
        }
        if self.options.stop.is_set() {
            self.stopped.get_or_insert(Stopped::Told);
        }
        Ok(())
    }

    /// Puts a position aside that gave no answer.
    fn fail(&mut self, question: &Question, why: &NoAnswer, is_first: bool) -> Result<()> {
        let board = question.board.board().to_text();
        let counts = &mut self.intake.counts;
        counts.failed += 1;
        let in_vain = IN_VAIN + self.options.jobs.get() as u64;
        if is_first && counts.searched + counts.kept == 0 && counts.failed >= in_vain {
            return Err(Error::NoAnswer {
                engine: self.engine.to_owned(),
                count: counts.failed,
                board,
                reason: why.to_string(),
            });
        }
        if self.failures.len() < NAMED {
            let reason = why.to_string();
            self.failures.push(Failed { board, reason });
        }
        Ok(())
    }

    fn take_in(&mut self, found: &mut Vec<Found>, again: &mut Vec<CanonicalBoard>) -> Result<()> {
        if found.is_empty() {
            return Ok(());
        }
        let begun = Instant::now();
        let found = std::mem::take(found);
        again.extend(self.intake.take(found, &Progress::hidden())?);
        self.pace.taken_in(begun.elapsed());
        self.writing += begun.elapsed();
        let standing = self.standing()?;
        self.progress.note(&standing.note());
        (self.tell)(&standing);
        Ok(())
    }

    fn standing(&self) -> Result<Standing> {
        let counts = self.intake.counts;
        Ok(Standing {
            counts,
            left: self.chosen - counts.done().min(self.chosen),
            seconds: self.begun.elapsed().as_secs_f64(),
            root: self.intake.value(self.root)?,
        })
    }
}

/// What it takes to complete a position, as the book has it now.
fn task(book: &Store, chosen: Chosen) -> Result<Task<Found>> {
    let Chosen { board, level } = chosen;
    let position = book.position(board)?;
    let question = position.and_then(|position| question_of(&position, level).ok());
    Ok(match question {
        Some(question) => Task::Search(question),
        None => Task::Done(Found {
            board,
            leaf: FoundLeaf::NotNeeded,
        }),
    })
}
