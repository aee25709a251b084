//! `obook fix`: everything that a book needs after a change.

use crate::failure::Failure;
use crate::options::memory::Memory;
use crate::options::values::rule_sets;
use crate::output::account;
use crate::{context, reports};
use obook::Book;
use obook::write::fix::{Steps, recompute};
use obook_othello::RuleSet;
use std::path::PathBuf;

/// Repair, link and recompute a book: all that it needs after a change
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  obook fix book.obook\n  obook fix book.obook --rules edax\n\n\
    Positions that still need a search for their leaf are listed in table todo. A book that doesn't fit in memory \
    goes through temporary files (in TMPDIR)."
)]
pub(crate) struct Arguments {
    /// An obook database
    book: PathBuf,
    /// Rules to compute by, which become the book's [default: the book's]
    #[arg(long, value_parser = rule_sets())]
    rules: Option<RuleSet>,
    #[command(flatten)]
    memory: Memory,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let context = context::shown().with_memory(arguments.memory.bytes());
    let mut store = Book::open_for_writing(&arguments.book, &context)?;
    let report = recompute(
        &mut store,
        Steps::Fix {
            rules: arguments.rules,
        },
    )?;
    account(&report, arguments.json, reports::recomputed)
}
