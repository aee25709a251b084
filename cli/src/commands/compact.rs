//! `obook compact`: free space back to the disk.

use super::undo::Open;
use crate::prelude::*;

/// Return a database's free space to the disk
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook compact book.obook\n  \
    obook history book.obook --keep 0 && obook compact book.obook\n\n\
    The contents stay the same, and changes can still be undone unless `obook history --keep` has dropped their logs. \
    The disk needs room for two more copies of the database meanwhile.")]
pub(crate) struct Arguments {
    /// An obook database
    #[arg(value_parser = changeable())]
    book: PathBuf,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    run_on(arguments, |book, context| {
        Ok(Book::open_for_writing(book, context)?.into())
    })
}

/// Compacts a database of any game.
pub(crate) fn run_on(arguments: &Arguments, open: Open) -> Result<(), Failure> {
    let compacted = open(&arguments.book, &context::quiet())?.compact()?;
    account(&compacted, arguments.json, |compacted, out| {
        let (before, after) = (compacted.before, compacted.after);
        writeln!(out, "{before} bytes before, {after} bytes now")
    })
}
