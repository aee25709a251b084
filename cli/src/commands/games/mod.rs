//! `obook games`: games in a database of their own or beside a book.

mod at;
mod export;
mod import;
mod list;
mod show;
pub(crate) mod stats;

use crate::failure::Failure;

/// Import, find, count and export games
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook games import wthor/*.wtb --book games.obook\n  \
    obook games stats games.obook\n  \
    obook games at games.obook f5d6c3\n  \
    obook games list games.obook --player tastet --since 2000\n\n\
    docs/games.md describes the formats and the tables.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Import(import::Arguments),
    List(list::Arguments),
    Show(show::Arguments),
    Export(export::Arguments),
    Stats(stats::Arguments),
    At(at::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Import(arguments) => import::run(arguments),
        Command::List(arguments) => list::run(arguments),
        Command::Show(arguments) => show::run(arguments),
        Command::Export(arguments) => export::run(arguments),
        Command::Stats(arguments) => stats::run(arguments),
        Command::At(arguments) => at::run(arguments),
    }
}
