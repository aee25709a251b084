//! `obook undo`: the last change back.

use crate::failure::Failure;
use crate::output::account;
use crate::progress;
use obook_book::{Book, Error, HistoryStep, Store};
use std::path::{Path, PathBuf};

/// Take the last change back
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook undo book.obook\n  \
    obook undo book.obook --json\n\n\
    Every table is as it was before the last change that still holds; again, and the change before it is taken back. \
    What made the file (import) can't be taken back, nor what has no log any more: see `obook history`. `obook redo` makes \
    the change again.")]
pub(crate) struct Arguments {
    /// An obook database
    book: PathBuf,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let progress = progress::on_terminal();
    progress.step("taking back", None);
    let step = open(&arguments.book)?.undo(&progress)?;
    drop(progress);
    tell("taken back", &step, arguments.json)
}

/// Says what was done to a change.
pub(crate) fn tell(done: &str, step: &HistoryStep, json: bool) -> Result<(), Failure> {
    account(step, json, |step, out| {
        let (id, command, time) = (step.id, &step.command, &step.time);
        let rows = step.rows;
        let said = format!("{done}: change {id}, {command}, of {time}: {rows} rows");
        Ok(writeln!(out, "{said}")?)
    })
}

/// A database, to be changed.
pub(crate) fn open(path: &Path) -> Result<Store, Error> {
    match Book::open(path)? {
        Book::Database(_) => Store::open_for_writing(path),
        Book::File(_) => Err(no_history(path)),
    }
}

/// That only databases have a history.
pub(crate) fn no_history(path: &Path) -> Error {
    let problem =
        "a book file, which has no history; `obook import` makes a database of it, which has one";
    Error::unfit(path, problem)
}
