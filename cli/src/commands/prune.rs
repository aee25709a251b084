//! `obook prune`: a book cut to what good play by one side reaches.

use crate::prelude::*;
use obook::write::cut::Cut;

/// Keep what good play by one side reaches, like Edax's `book prune`
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook prune book.obook\n  \
    obook prune book.obook --depth 24 --dry-run\n  \
    obook prune book.obook --unreachable\n  \
    obook prune book.dat --output pruned.dat\n\n\
    A position stays if one side can reach it with any moves while the other side plays only best moves, and if it is no deeper than \
    the book's depth. A removed link becomes the leaf if it beats the leaf, so values don't change.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    target: Target,
    /// New depth of the book: remove positions with more plies from the start [default: the book's depth]
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(0..=60))]
    depth: Option<u8>,
    /// Remove only what no line from the start position reaches
    #[arg(long, conflicts_with = "depth")]
    unreachable: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let depth = arguments.depth;
    let how = match arguments.unreachable {
        true => Cut::Reachable,
        false => Cut::Prune { depth },
    };
    arguments.target.cut(&how)
}
