//! `obook link`: links found again.

use crate::failure::Failure;
use crate::options::memory::Memory;
use crate::output::account;
use crate::{context, reports};
use obook::Book;
use obook::write::fix::{Steps, recompute};
use std::path::PathBuf;

/// Add missing links, and remove links that lead nowhere
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  obook link book.obook")]
pub(crate) struct Arguments {
    /// An obook database
    book: PathBuf,
    #[command(flatten)]
    memory: Memory,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let context = context::shown().with_memory(arguments.memory.bytes());
    let mut store = Book::open_for_writing(&arguments.book, &context)?;
    let report = recompute(&mut store, Steps::Link)?;
    account(&report, arguments.json, reports::recomputed)
}
