//! `obook restore`: a database restored from a snapshot.

use super::snapshot::describe;
use crate::prelude::*;
use obook::OTHELLO;
use obook_store::{Schema, restore};

/// Restore a database from a snapshot, after checking it
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook restore book-2026-02-28.zst book.obook --force")]
pub(crate) struct Arguments {
    /// A snapshot written by `obook snapshot`
    #[arg(value_name = "FILE.zst")]
    file: PathBuf,
    /// The database to create
    #[arg(value_parser = changeable())]
    book: PathBuf,
    #[command(flatten)]
    force: Force,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    run_as(&OTHELLO, arguments)
}

/// Restores a database of the game with this schema.
pub(crate) fn run_as(schema: &Schema, arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { file, book, .. } = arguments;
    let if_exists = arguments.force.if_exists();
    let restored = restore(schema, file, book, if_exists, &context::shown())?;
    describe(&restored, arguments.json)
}
