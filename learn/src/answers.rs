//! Answers that come in a file, from machines that no network reaches.

use super::intake::{Found, Outcome, take_in};
use super::noted::Counts;
use super::queue::Queue;
use super::report::Totals;
use super::run::prepare;
use super::state::count_answers;
use crate::search::leaf_of;
use foldhash::{HashSet, HashSetExt};
use obook_book::{Context, Book, ChangeInParts, Error, Progress, Result, Store};
use obook_engine::wire::{Lines, MAX_LINE, Reply};
use obook_model::Engine;
use obook_othello::{Board, CanonicalBoard};
use serde::Serialize;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// So many answers go into the book at once.
const TOGETHER: usize = 1 << 12;

/// What became of the answers of a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AnswersTaken {
    /// The number of the change in the book's history; `None`: nothing changed.
    pub change: Option<i64>,
    /// What went into the book.
    #[serde(flatten)]
    pub totals: Totals,
    /// Answers that nothing waits for: they came before, or the book has changed since they were asked for.
    pub unasked: u64,
}

/// Whether a file holds answers, as its first line tells.
///
/// # Errors
/// Where the file can't be read.
pub fn is_answers(file: &Path) -> Result<bool> {
    let first = Replies::open(file)?.next_line()?;
    Ok(first.is_some_and(|line| Reply::from_line(line.trim_ascii_end()).is_ok()))
}

/// Takes the answers of a file into the database at `path`: those that answer what waits there. All of them are one change in the
/// book's history, under the name of `command`. A last line that was not written to its end is passed over.
///
/// # Errors
/// [`Error::BadLine`] where a line is no answer; and where the file can't be read, or the book read or written. What was taken in
/// before stays.
pub fn take_answers(
    path: &Path,
    file: &Path,
    dry_run: bool,
    context: &Context,
) -> Result<AnswersTaken> {
    let mut replies = Replies::open(file)?;
    let mut store = Book::open_for_writing(path, "teach")?;
    let mut intake = Intake {
        reader: Store::open(path)?,
        command,
        change: ChangeInParts::default(),
        taken: AnswersTaken::default(),
        begun: Instant::now(),
        root_before: None,
    };
    if !dry_run {
        prepare(&mut store, command, &mut intake.change, progress)?;
    }
    intake.root_before = intake.root()?;
    progress.step("taking in", None);
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    let mut engine = Engine::Obook;
    while let Some(reply) = replies.next_reply()? {
        progress.advance(1);
        let (scale, answer) = match intake.answer(reply, &mut seen)? {
            Some(answer) => answer,
            None => {
                intake.taken.unasked += 1;
                continue;
            }
        };
        engine = scale;
        found.push(answer);
        if found.len() >= TOGETHER {
            intake.take(&mut store, std::mem::take(&mut found), engine, dry_run)?;
        }
    }
    intake.take(&mut store, found, engine, dry_run)?;
    intake.taken.change = intake.change.id();
    Ok(intake.taken)
}

/// Answers on their way into a book.
struct Intake<'a> {
    /// It sees the book as it was committed last.
    reader: Store,
    command: &'a str,
    change: ChangeInParts,
    taken: AnswersTaken,
    begun: Instant,
    root_before: Option<i16>,
}

impl Intake<'_> {
    fn root(&self) -> Result<Option<i16>> {
        let root = self.reader.numbers(Board::START.canonical())?;
        Ok(root.and_then(|root| root.value))
    }

    /// What a reply says of a search that waits; `None` where none does.
    fn answer(
        &self,
        reply: Reply,
        seen: &mut HashSet<CanonicalBoard>,
    ) -> Result<Option<(Engine, Found)>> {
        let request = reply.question.request;
        let board = request.board().canonical();
        if board.board() != request.board() || !seen.insert(board) {
            return Ok(None);
        }
        let waiting = Queue(self.reader.connection()).find(board);
        let waiting = waiting.map_err(Error::sqlite(self.reader.path(), "read"))?;
        let Some((task, engine)) = waiting else {
            return Ok(None);
        };
        let found_by = reply.question.engine;
        let asked = (task.without, task.level, engine.unwrap_or(found_by));
        if asked != (request.excluded(), request.level(), found_by) {
            return Ok(None);
        }
        let failed = |why: &dyn std::fmt::Display| Outcome::Failed {
            reason: format!("{}: {why}", reply.worker),
            failures: 1,
        };
        let outcome = match reply.answer {
            Err(why) => failed(&why),
            Ok(answer) => match leaf_of(&request, &answer) {
                Ok(leaf) => Outcome::Leaf(leaf),
                Err(why) => failed(&why),
            },
        };
        Ok(Some((found_by, Found { task, outcome })))
    }

    /// Takes answers in, in one transaction.
    fn take(
        &mut self,
        store: &mut Store,
        found: Vec<Found>,
        engine: Engine,
        dry_run: bool,
    ) -> Result<()> {
        if found.is_empty() {
            return Ok(());
        }
        if dry_run {
            let is_leaf = |found: &&Found| matches!(found.outcome, Outcome::Leaf(_));
            let leaves = found.iter().filter(is_leaf).count() as u64;
            self.taken.totals.searches += leaves;
            self.taken.totals.failed += found.len() as u64 - leaves;
            return Ok(());
        }
        let update = store.change()?;
        let new = take_in(&update, &self.reader, found, engine)?.totals;
        let totals = self.taken.totals + new;
        let number = update.number_of(self.change)?;
        let counted = count_answers(&update, new, number);
        counted.map_err(Error::sqlite(self.reader.path(), "write"))?;
        let root = update.numbers(Board::START.canonical())?;
        let counts = Counts {
            totals,
            root_before: self.root_before,
            root: root.and_then(|root| root.value),
            seconds: self.begun.elapsed().as_secs_f64(),
            lines: &[],
        };
        update.commit_part(&Entry::new(self.command).counts(&counts), &mut self.change)?;
        self.taken.totals = totals;
        Ok(())
    }
}

/// The replies of a file.
struct Replies {
    path: PathBuf,
    lines: Lines<BufReader<File>>,
}

impl Replies {
    fn open(path: &Path) -> Result<Replies> {
        let file = File::open(path).map_err(Error::io(path, "open"))?;
        Ok(Replies {
            path: path.to_owned(),
            lines: Lines::new(BufReader::new(file)),
        })
    }

    fn next_line(&mut self) -> Result<Option<Vec<u8>>> {
        let line = self.lines.next_line();
        line.map_err(Error::io(&self.path, "read"))
    }

    fn next_reply(&mut self) -> Result<Option<Reply>> {
        let Some(line) = self.next_line()? else {
            return Ok(None);
        };
        match Reply::from_line(line.trim_ascii_end()) {
            Ok(reply) => Ok(Some(reply)),
            Err(_) if !line.ends_with(b"\n") && line.len() <= MAX_LINE => Ok(None),
            Err(why) => Err(Error::BadLine {
                path: self.path.clone(),
                at: self.lines.at(),
                problem: format!("no answer: {why}"),
            }),
        }
    }
}
