//! Answers that come in a file, from machines that no network reaches.

use crate::intake::{Intake, Ledger, Outcome, Taken};
use crate::queue::{Queue, Task};
use crate::report::{Part, Totals, value};
use crate::search::leaf_of;
use crate::state::{count_answers, status};
use crate::{Lines, Result};
use foldhash::{HashSet, HashSetExt};
use obook::{Change, Store};
use obook_converters::{decompress, show_bytes};
use obook_engine::wire::{MAX_LINE, Question, Reply, Sent as _};
use obook_othello::{Board, CanonicalBoard};
use obook_store::RawFile;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;

/// The number of answers that go into the book at once.
const TOGETHER: usize = 1 << 12;

/// The result of taking in the answers of a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AnswersTaken {
    /// The number of the change in the book's history; `None`: nothing changed.
    pub change: Option<i64>,
    /// The changes of the book.
    #[serde(flatten)]
    pub totals: Totals,
    /// Answers and failures that nothing waits for: they came before, or the book has changed since the questions.
    pub unasked: u64,
}

/// Whether a file holds answers, judging by its first line. One that can't be read holds none.
///
/// # Errors
/// Returns [`Error::At`](crate::Error::At) if the first line begins with a brace, as an answer does, but isn't an answer.
pub fn is_answers(file: &Path) -> Result<bool> {
    let Some((lines, first)) = first_line(file) else {
        return Ok(false);
    };
    let first = first.trim_ascii();
    match <Reply>::from_line(first) {
        Err(why) if first.starts_with(b"{") => {
            let found = show_bytes(first);
            Err(lines.bad(format!(
                "it looks like the answer of a worker: found {found}…, expected {{\"reply\":…; {why}"
            )))
        }
        read => Ok(read.is_ok()),
    }
}

/// Whether a file holds searches to be done, judging by its first line. One that can't be read holds none.
#[must_use]
pub fn is_tasks(file: &Path) -> bool {
    first_line(file).is_some_and(|(_, first)| {
        let first = first.trim_ascii_end();
        Question::from_line(first).is_ok() && <Reply>::from_line(first).is_err()
    })
}

/// Takes those answers of a file into a book for which searches wait there. All of them are one change in the book's history, under
/// the command of its context. An incomplete last line is ignored.
///
/// # Errors
/// Returns [`Error::At`](crate::Error::At) if a line is not an answer. Fails if the file can't be read, or the book can't be read or written.
/// Answers taken in before stay.
pub fn take_answers(book: &mut Store, file: &Path, dry_run: bool) -> Result<AnswersTaken> {
    let context = book.context().clone();
    let progress = context.progress();
    let mut lines = open(file)?;
    let mut intake = Intake::new(book)?;
    if !dry_run {
        intake.prepare()?;
    }
    let status = status(&intake.reader)?;
    let (recipe, outdated) = (status.recipe, status.outdated);
    let root = recipe.map_or(Board::START.canonical(), |it| it.root());
    let mut answers = Answers {
        taken: AnswersTaken::default(),
        part: Part::begin(&intake.reader, root, Instant::now())?,
    };
    progress.step("taking in", None);
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    while let Some(reply) = next_reply(&mut lines)? {
        progress.advance(1);
        match answer(&intake.reader, root, outdated, reply, &mut seen)? {
            None => answers.taken.unasked += 1,
            Some(answer) if !dry_run => found.push(answer),
            Some((_, Outcome::Leaf(_))) => answers.taken.totals.searches += 1,
            Some(_) => answers.taken.totals.failed += 1,
        }
        if found.len() >= TOGETHER {
            intake.take(std::mem::take(&mut found), &mut answers)?;
        }
    }
    if !found.is_empty() {
        intake.take(found, &mut answers)?;
    }
    answers.taken.change = intake.change;
    Ok(answers.taken)
}

/// Answers on their way into a book.
struct Answers {
    taken: AnswersTaken,
    part: Part,
}

impl Ledger for Answers {
    fn enter(&mut self, update: &Change<'_>, before: &Store, taken: &Taken) -> Result<Value> {
        self.taken.totals += taken.totals;
        count_answers(update, taken.totals)?;
        let now = Instant::now();
        self.part.add(before, taken, now)?;
        let root = value(update.store(), self.part.board)?;
        Ok(json!(self.part.counts(now, root)))
    }
}

/// The outcome of a search that waits; `None` if none does. `outdated`: the book has changed since the searches were chosen, so no move
/// may lead to a new position any more, except from the root.
fn answer(
    book: &Store,
    root: CanonicalBoard,
    outdated: bool,
    reply: Reply,
    seen: &mut HashSet<CanonicalBoard>,
) -> Result<Option<(Task, Outcome)>> {
    let request = reply.question.request;
    let board = request.board().canonical();
    if board.board() != request.board() {
        return Ok(None);
    }
    let Some((task, engine, is_out)) = Queue::of(book).find(board)? else {
        return Ok(None);
    };
    let found_by = reply.question.engine;
    let asked = (task.without, task.level, engine.unwrap_or(found_by));
    if asked != (request.excluded(), request.level(), found_by) {
        return Ok(None);
    }
    let is_cut_off = outdated && task.expands() && board != root && !has_parent(book, board)?;
    let leaf = reply.answer.map_err(|why| why.to_string());
    let leaf = leaf.and_then(|it| leaf_of(&request, &it).map_err(|why| why.to_string()));
    // A failure counts once each time the search is handed out, however often its file is merged.
    let is_old = leaf.is_err() && !is_out;
    // An answer to an earlier search of the board doesn't count.
    if is_old || is_cut_off || !seen.insert(board) {
        return Ok(None);
    }
    let outcome = match leaf {
        Ok(leaf) => Outcome::Leaf(leaf),
        Err(why) => Outcome::Failed {
            reason: format!("{}: {why}", reply.worker),
            failures: 1,
        },
    };
    Ok(Some((task, outcome)))
}

/// Whether a move leads from a position of the book to this board.
fn has_parent(book: &Store, board: CanonicalBoard) -> Result<bool> {
    for (_, parent) in board.board().parents() {
        if book.numbers(parent.canonical())?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The lines of a file.
fn open(path: &Path) -> Result<Lines> {
    // The file may be a database, whose locks must be kept.
    let file = RawFile::open(path).map_err(obook::Error::io(path, "open"))?;
    let text = decompress(file).map_err(obook::Error::io(path, "read"))?;
    Ok(Lines::new(path, text))
}

/// The first line of a file, and those to follow, if it can be read.
fn first_line(file: &Path) -> Option<(Lines, Vec<u8>)> {
    let mut lines = open(file).ok()?;
    let first = lines.next_line().ok()??;
    Some((lines, first))
}

fn next_reply(lines: &mut Lines) -> Result<Option<Reply>> {
    let Some(line) = lines.next_line()? else {
        return Ok(None);
    };
    match <Reply>::from_line(line.trim_ascii_end()) {
        Ok(reply) => Ok(Some(reply)),
        Err(_) if !line.ends_with(b"\n") && line.len() <= MAX_LINE => Ok(None),
        Err(why) => Err(lines.bad(format!("no answer: {why}"))),
    }
}
