//! `obook rate`: ratings of positions from games alone.

mod compare;
mod formula;
mod store;

use crate::failure::Failure;

/// Rate positions by games alone, and test the ratings
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook rate compare wthor/*.wtb --since 2010\n  \
    obook rate compare wthor/*.wtb --since 2010 --book book.obook --output ratings.svg\n  \
    obook rate store games.obook\n\n\
    The ratings are the three evaluations of Nakaike, Iida and Kotani; docs/ratings.md explains them, and shows results \
    for the tournaments of four decades.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Compare(compare::Arguments),
    Store(store::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Compare(arguments) => compare::run(arguments),
        Command::Store(arguments) => store::run(arguments),
    }
}
