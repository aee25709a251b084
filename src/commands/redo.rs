//! `obook redo`: the last undo back.

use super::undo::{open, tell};
use crate::failure::Failure;
use crate::progress;
use std::path::PathBuf;

/// Make the change again that was taken back last
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook undo book.obook && obook redo book.obook\n  \
    obook redo book.obook --json\n\n\
    Every table is as it was before the last `obook undo`; again, and the change that was taken back before it is made \
    again. A new change ends that: what was taken back before it can't be made again.")]
pub(crate) struct Arguments {
    /// An obook database
    book: PathBuf,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let progress = progress::on_terminal();
    progress.step("making again", None);
    let step = open(&arguments.book)?.redo(&progress)?;
    drop(progress);
    tell("made again", &step, arguments.json)
}
