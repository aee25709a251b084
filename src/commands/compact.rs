//! `obook compact`: free room back to the disk.

use crate::failure::Failure;
use crate::output::account;
use obook_book::Book;
use std::path::PathBuf;

/// Give room that is free in a database back to the disk
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook compact book.obook\n  \
    obook history book.obook --keep 0 && obook compact book.obook\n\n\
    The contents stay as they are, and so does what it takes to undo, unless `obook history --keep` has dropped it. \
    There has to be room for two more copies while it works.")]
pub(crate) struct Arguments {
    /// An obook database
    book: PathBuf,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let compacted = Book::open_for_writing(&arguments.book, "compact")?.compact()?;
    account(&compacted, arguments.json, |compacted, out| {
        let (before, after) = (compacted.before, compacted.after);
        Ok(writeln!(out, "{after} bytes, before {before}")?)
    })
}
