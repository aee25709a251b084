//! `obook link`: links found again.

use crate::prelude::*;
use obook::write::fix::Steps;

/// Add missing links, and remove links that lead nowhere
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  obook link book.obook")]
pub(crate) struct Arguments {
    #[command(flatten)]
    database: Recomputing,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.database.run(Steps::Link)
}
