//! `obook search`: searches for missing leaves.

use crate::commands::learn::{describe_failures, ended};
use crate::options::values::{duration, positive};
use crate::output::{tell_end, tell_progress};
use crate::prelude::*;
use crate::{engines, interrupt};
use obook_learn::LearnOptions;
use obook_learn::complete::{SearchOptions, Searched, Standing, Stopped, search};
use std::num::NonZeroUsize;

/// Search the leaves that a book lacks
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook search book.obook\n  \
    obook search book.obook --level 16 --time 30m\n  \
    obook search book.obook --below 21 --from f5d6c3 --limit 1000\n  \
    obook search book.obook --where 'abs(value) <= 4' --engine 'edax -nboard'\n\n\
    A position lacks its leaf if moves lead out of the book and none of them was searched; table todo lists these positions. Each \
    search excludes moves to positions of the book. Answers go in every few seconds, and links, values and ancestors are updated at \
    once. `obook undo` undoes the whole run. Ctrl-C ends the run and keeps the answers; run the same command to continue. \
    The exit status is 1 if searches failed or positions are left.")]
pub(crate) struct Arguments {
    /// An obook database
    #[arg(value_parser = changeable())]
    book: PathBuf,
    /// Level of the searches, on the engine's scale; at least that of --below [default: the book's]
    #[arg(long, value_name = "LEVEL", value_parser = levels(60), hide_possible_values = true)]
    level: Option<u8>,
    /// Also search leaves again that come from searches below this level
    #[arg(long, value_name = "LEVEL", value_parser = levels(60), hide_possible_values = true)]
    below: Option<u8>,
    /// Only positions that meet this SQL condition on the columns of table positions
    #[arg(long = "where", value_name = "SQL")]
    condition: Option<String>,
    /// Only positions below the end of these moves, such as f5d6c3, or below a named opening
    #[arg(long, value_name = "MOVES", add = ArgValueCompleter::new(complete::openings))]
    from: Option<String>,
    /// Maximum number of positions, those with the fewest discs first
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Time limit, for example 90s, 30m or 8h
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time: Option<Duration>,
    #[command(flatten)]
    engine: EngineArgs,
    /// Answers per transaction [default: as many as come in a few seconds]
    #[arg(long, value_name = "N", hide_short_help = true, value_parser = positive)]
    batch: Option<NonZeroUsize>,
    /// Write lines of JSON: one each time answers go in, and one at the end
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let choice = arguments.engine.choice()?;
    let from = |moves: &String| line(std::slice::from_ref(moves));
    let options = SearchOptions {
        level: arguments.level,
        below: arguments.below,
        condition: arguments.condition.clone(),
        from: arguments.from.as_ref().map(from).transpose()?,
        limit: arguments.limit,
        jobs: Some(arguments.engine.jobs()),
        run: LearnOptions {
            time: arguments.time,
            batch: arguments.batch,
            stop: interrupt::stop(),
            ..LearnOptions::default()
        },
    };
    let mut tell = tell_progress::<Standing>(arguments.json);
    let mut book = Book::open_for_writing(&arguments.book, &context::shown())?;
    let searched = search(&mut book, &options, &|| engines::start(&choice), &mut tell)?;
    tell_end(&searched, arguments.json, describe)?;
    let standing = &searched.standing;
    let is_complete = standing.counts.failed + standing.left == 0;
    ended(searched.stopped, is_complete)
}

fn describe(searched: &Searched, out: &mut dyn Write) -> io::Result<()> {
    let (standing, failures) = (&searched.standing, &searched.failures);
    let (engine, level) = (&searched.engine, searched.level);
    let counts = standing.counts;
    let (kept, failed) = (counts.kept, counts.failed);
    if let Some(fixed) = &searched.fixed {
        let changed = count(fixed.any, "position[|s]");
        writeln!(out, "the book was fixed first: {changed} changed")?;
    }
    let leaves = count(counts.searched, "lea[f|ves]");
    let time = humantime::format_duration(Duration::from_secs(standing.seconds as u64));
    writeln!(out, "{leaves} found by {engine} at level {level} in {time}")?;
    if_any(kept, "lea[f|ves] kept: the new search was no better", out)?;
    if_any(counts.not_needed, "position[|s] needed no search", out)?;
    describe_failures(failed, "; their positions still wait", failures, out)?;
    let more = failed.saturating_sub(failures.len() as u64);
    if_any(more, "  and # more", out)?;
    let why = match searched.stopped {
        Some(Stopped::Time) => "time limit reached",
        Some(_) => "interrupted",
        None => "their links keep changing",
    };
    let left = format!("position[|s] [is|are] left ({why}): run the same command to continue");
    if_any(standing.left, &left, out)?;
    if let Some(root) = standing.root {
        writeln!(out, "value of the root: {root:+}")?;
    }
    Ok(())
}
