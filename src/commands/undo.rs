//! `obook undo`: the last change back.

use crate::failure::Failure;
use crate::output::account;
use crate::progress;
use obook_book::{Book, Error, Store};
use std::path::{Path, PathBuf};

/// Take the last change back
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook undo book.obook\n  \
    obook undo book.obook --json\n\n\
    Every table is as it was before the last change that still holds; again, and the change before it is taken back. \
    What made the file (import) can't be taken back, nor what has no log any more: see `obook history`.")]
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
    let undone = open(&arguments.book)?.undo()?;
    drop(progress);
    account(&undone, arguments.json, |undone, out| {
        let (id, command, time) = (undone.id, &undone.command, &undone.time);
        let rows = undone.rows;
        let said = format!("taken back: change {id}, {command}, of {time}: {rows} rows");
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
