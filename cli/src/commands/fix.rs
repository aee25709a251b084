//! `obook fix`: everything that a book needs after a change.

use crate::options::values::rule_sets;
use crate::prelude::*;
use obook::write::fix::Steps;
use obook_othello::RuleSet;

/// Repair, link and recompute a book: all that it needs after a change
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  obook fix book.obook\n  obook fix book.obook --rules edax\n\n\
    Positions that still need a search for their leaf are listed in table todo. A book that doesn't fit in memory \
    goes through temporary files (in TMPDIR)."
)]
pub(crate) struct Arguments {
    /// Rules to compute by, which become the book's [default: the book's]
    #[arg(long, value_parser = rule_sets())]
    rules: Option<RuleSet>,
    #[command(flatten)]
    database: Recomputing,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.database.run(Steps::Fix {
        rules: arguments.rules,
    })
}
