//! `obook prune`: what good play of one side reaches.

use crate::failure::Failure;
use crate::options::target::Target;
use crate::reports;
use obook_book::write::cut::{Cut, cut};

/// Keep what good play of one side reaches, as Edax's `book prune`
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook prune book.obook\n  \
    obook prune book.obook --depth 24 --dry-run\n  \
    obook prune book.obook --unreachable\n  \
    obook prune book.dat --output pruned.dat\n\n\
    A position stays where one side can reach it, whatever it plays, while the other side plays only moves as good \
    as the best; and no deeper than the book's depth. A link that goes becomes the leaf if it beats the leaf, so \
    values stay as they are.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    target: Target,
    /// As the book's depth, which it becomes: nothing stays that is more plies from the start position
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(0..=60))]
    depth: Option<u8>,
    /// Remove only what no line from the start position reaches, however good its moves
    #[arg(long, conflicts_with = "depth")]
    unreachable: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let how = if arguments.unreachable {
        Cut::Reachable
    } else {
        Cut::Prune {
            depth: arguments.depth,
        }
    };
    arguments.target.rewrite(
        |book, to, command, progress| cut(book, &how, to, command, progress),
        reports::cut::describe,
    )
}
