//! `obook tasks`: searches for machines without a network.

use crate::commands::learn::{check_name, of_stages};
use crate::engines::choose;
use crate::options::destination::FILES;
use crate::options::engine::EngineArg;
use crate::options::values::{lease, named_recipes};
use crate::prelude::*;
use crate::recipes;
use obook_engine::wire::{Question, Sent as _};
use obook_learn::{hand_out, open_book, status};

/// Write searches to a file, for a machine without a network
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook tasks book.obook --take 1000 --for 8h > tasks\n  \
    obook work tasks > answers\n  \
    obook merge book.obook answers\n\n\
    The first command writes what `obook learn` with the same recipe and engine would search next, as lines of JSON, and reserves it \
    for the other machine until the lease ends. Run the second command there, and the third one here. `obook learn` then continues \
    with the new answers.")]
pub(crate) struct Arguments {
    /// An obook database; created if it doesn't exist
    #[arg(value_parser = changeable())]
    book: PathBuf,
    /// Maximum number of searches
    #[arg(long, value_name = "N", default_value_t = 1000)]
    take: usize,
    /// Lease time, for example 1h or 2d
    #[arg(long = "for", value_name = "TIME", value_parser = lease, default_value = "1h")]
    lease: Duration,
    /// Recipe: a built-in one, or a file [default: the one that the book is learning by, or else quick]
    #[arg(long, value_name = "NAME|FILE", value_parser = named_recipes())]
    recipe: Option<String>,
    #[command(flatten)]
    engine: EngineArg,
    #[command(flatten)]
    memory: Memory,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let book = &arguments.book;
    let recipe = match &arguments.recipe {
        Some(name) => recipes::recipe(name)?,
        // The book will be created.
        None if !book.exists() => recipes::recipe("quick")?,
        None => match status(&Book::open(book, &context::quiet())?.into_database()?)?.recipe {
            Some(recipe) => recipe,
            None => recipes::recipe("quick")?,
        },
    };
    if !book.exists() {
        check_name(book, "Othello", &FILES)?;
    }
    // No engine is started, so the recipe may name any command.
    let engines = of_stages(&recipe, choose, || arguments.engine.choice())?;
    let engine = |stage: usize| engines[stage].engine();
    let mut given = 0;
    let mut write = |tasks: &[Question]| {
        given = tasks.len();
        let out = &mut stdout();
        for task in tasks {
            writeln!(out, "{}", task.to_line())?;
        }
        out.flush()
    };
    let mut store = open_book(book, &recipe, &arguments.memory.context())?;
    let (take, lease) = (arguments.take, arguments.lease);
    hand_out(&mut store, &recipe, take, lease, &engine, &mut write)?;
    if given == 0 {
        say("obook: no search can start now; `obook learn --status` says more");
    }
    Ok(())
}
