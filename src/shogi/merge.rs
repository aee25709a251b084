//! `obook shogi merge`.

use super::import::{add, tell};
use crate::context;
use crate::failure::Failure;
use std::path::PathBuf;

/// Merge books into a database: of two searches of a move, the deeper one wins
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi merge book.obook other.obook new.ybb\n\n\
    Of equally deep searches the newer one wins, which is that of the source. Nothing that only one book knows is lost. `obook fix` \
    computes the scores afterwards.")]
pub(crate) struct Arguments {
    /// An obook database
    book: PathBuf,
    /// Databases and book files
    #[arg(required = true, value_name = "SOURCE")]
    sources: Vec<PathBuf>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let merged = add(&arguments.sources, &arguments.book, &context::shown())?;
    tell(&merged, &arguments.book, arguments.json)
}
