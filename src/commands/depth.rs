//! `obook depth`: a book cut at a number of plies.

use crate::failure::Failure;
use crate::options::target::Target;
use crate::reports;
use obook_book::write::cut::{Cut, cut};

/// Cut a book at a number of plies from the start position, which becomes its depth
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook depth book.obook 30\n  \
    obook depth book.egbk3 30 --output shallow.egbk3\n\n\
    A link that goes becomes the leaf if it beats the leaf, with the level of the position behind it.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    target: Target,
    /// Discs placed since the start position
    #[arg(value_parser = clap::value_parser!(u8).range(0..=60))]
    plies: u8,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let how = Cut::Depth(arguments.plies);
    arguments.target.rewrite(
        |book, to, command, progress| cut(book, &how, to, command, progress),
        reports::cut::describe,
    )
}
