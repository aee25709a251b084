//! `obook subtree`: a book cut to what moves lead to.

use crate::prelude::*;
use obook::write::cut::Cut;

/// Keep only what the moves lead to, like Edax's `book subtree`
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook subtree book.obook f5d6c4\n  \
    obook subtree book.dat f5d6c4 --output subtree.dat")]
pub(crate) struct Arguments {
    #[command(flatten)]
    target: Target,
    /// Moves from the start position, such as f5d6c3, or the name of an opening; passes may be left out or written as pa
    #[arg(required = true, add = ArgValueCompleter::new(complete::openings))]
    moves: Vec<String>,
    /// New depth of the book: remove positions with more plies from the start [default: the book's depth]
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(0..=60))]
    depth: Option<u8>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let how = Cut::Subtree {
        from: line(&arguments.moves)?,
        depth: arguments.depth,
    };
    arguments.target.cut(&how)
}
