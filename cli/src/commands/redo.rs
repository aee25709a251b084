//! `obook redo`: the last undo undone.

use super::undo::{Open, open, tell};
use crate::prelude::*;

/// Redo the change that was undone last
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook undo book.obook && obook redo book.obook\n  \
    obook redo book.obook --json\n\n\
    Every table becomes what it was before the last `obook undo`. Run it again to redo the change that was undone before that one. \
    After a new change, earlier undone changes can't be redone.")]
pub(crate) struct Arguments {
    /// An obook database
    #[arg(value_parser = changeable())]
    book: PathBuf,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    run_on(arguments, open)
}

/// Redoes a change of a database of any game.
pub(crate) fn run_on(arguments: &Arguments, open: Open) -> Result<(), Failure> {
    let context = context::shown();
    context.progress().step("redoing", None);
    let step = open(&arguments.book, &context)?.redo()?;
    drop(context);
    tell("redone", &step, arguments.json)
}
