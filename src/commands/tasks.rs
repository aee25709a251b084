//! `obook tasks`: searches for machines that no network reaches.

use crate::commands::learn::engines;
use crate::failure::Failure;
use crate::options::duration::duration;
use crate::options::engine::EngineArg;
use crate::output::stdout;
use crate::progress;
use crate::recipes;
use crate::typed::this_command;
use crate::words::say;
use obook_learn::{hand_out, status};
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Write searches to a file, for a machine that no network reaches
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook tasks book.obook --take 1000 --for 8h > tasks\n  \
    obook work tasks > answers\n  \
    obook merge book.obook answers\n\n\
    The first command writes what `obook learn` with the same recipe and engine would search next, as lines of JSON, and leaves \
    it to the other machine until the time is up. The second is for that machine, and the third for this one, where `obook learn` \
    then goes on: a rule that chooses anew looks at what was found.")]
pub(crate) struct Arguments {
    /// An obook database
    book: PathBuf,
    /// Write so many at most
    #[arg(long, value_name = "N", default_value_t = 1000)]
    take: usize,
    /// Let the other machine have them for so long, such as 1h or 2d
    #[arg(long = "for", value_name = "TIME", value_parser = duration, default_value = "1h")]
    lease: Duration,
    /// Choose by this recipe: accurate, fast, quick, small, or a file [default: that which is at work, or else quick]
    #[arg(long, value_name = "NAME|FILE")]
    recipe: Option<String>,
    #[command(flatten)]
    engine: EngineArg,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let book = &arguments.book;
    let recipe = match &arguments.recipe {
        Some(name) => recipes::recipe(name)?,
        // What is not there is made.
        None if !book.exists() => recipes::recipe("quick")?,
        None => match status(book)?.recipe {
            Some(recipe) => recipe,
            None => recipes::recipe("quick")?,
        },
    };
    let engines = engines(&recipe, || arguments.engine.choice())?;
    let engine = |stage: usize| engines[stage].engine();
    let tasks = hand_out(
        book,
        &recipe,
        arguments.take,
        arguments.lease,
        &engine,
        &this_command(),
        &progress::on_terminal(),
    )?;
    let out = &mut stdout();
    for task in &tasks {
        writeln!(out, "{}", task.to_line())?;
    }
    out.flush()?;
    if tasks.is_empty() {
        say("obook: nothing waits that could begin now; `obook learn --status` tells more");
    }
    Ok(())
}
