//! `obook learn`: books that grow.

use crate::engines::{NoEngine, choose};
use crate::failure::Failure;
use crate::interrupt;
use crate::options::duration::duration;
use crate::options::engine::EngineArgs;
use crate::options::games::open;
use crate::options::moves::line;
use crate::options::server::{ServerArgs, name_of_book};
use crate::options::values::levels;
use crate::options::which_games::WhichGames;
use crate::output::{answer, stands, stdout, write_json_line};
use crate::progress;
use crate::recipes;
use crate::typed::this_command;
use crate::words::{ForPeople, say};
use obook_book::Progress;
use obook_engine::{EngineChoice, Stop};
use obook_learn::complete::Failed;
use obook_learn::search::{Threads, Workers};
use obook_learn::{
    Correction, Hire, LearnOptions, Learned, LineChange, Planned, Played, PutAside, Recipe, Stage,
    Standing, Status, Stopped, learn, plan, status,
};
use obook_nats::{Learner, LearnerOptions, Traffic};
use serde::Serialize;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Grow a book: choose positions, search them, take them in
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook learn new.obook --time 60s\n  \
    obook learn book.obook --recipe fast --time 8h --engine 'edax -nboard'\n  \
    obook learn book.obook --recipe mine.toml --dry-run\n  \
    obook learn book.obook --nats nats://attic.lan --time 8h\n  \
    obook learn book.obook --status\n  \
    obook learn book.obook --status --nats nats://attic.lan\n  \
    obook learn --print small > mine.toml\n\n\
    A recipe is a list of stages: a rule that chooses positions, a level, a depth, perhaps an engine and an end. Those that come \
    with obook are accurate, fast, quick and small; docs/learning.md tells how to write one. BOOK is made, with the start \
    position, where it is absent. What is to be searched waits in table tasks; answers go in every few seconds, and links, values \
    and ancestors are right at once. Ctrl-C ends it and keeps what was found; the same command goes on where it was. `obook undo` \
    takes the whole run back.")]
pub(crate) struct Arguments {
    /// An obook database; made where it is absent
    #[arg(required_unless_present = "print")]
    book: Option<PathBuf>,
    /// Learn by this recipe: accurate, fast, quick, small, or a file
    #[arg(long, value_name = "NAME|FILE", default_value = "quick")]
    recipe: String,
    /// Begin at the end of these moves, or at an opening by its name, and not at the start position
    #[arg(long, value_name = "MOVES|NAME")]
    from: Option<String>,
    /// The level of stages that name none
    #[arg(long, value_name = "LEVEL", value_parser = levels(60), hide_possible_values = true)]
    level: Option<u8>,
    /// How many plies lines are long in stages that do not say it
    #[arg(long, value_name = "PLY", value_parser = clap::value_parser!(u8).range(1..=60))]
    depth: Option<u8>,
    /// Games for the rules store and best-first: a database that has some, such as BOOK itself, or files
    #[arg(long, value_name = "GAMES", num_args = 1..)]
    games: Vec<PathBuf>,
    #[command(flatten)]
    which: WhichGames,
    /// Learn for so long at most, such as 90s, 30m or 8h
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time: Option<Duration>,
    /// Take in so many answers at most
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    #[command(flatten)]
    engine: EngineArgs,
    /// Let machines search that run `obook work` with this server; the engine is named only to say what levels mean
    #[arg(long, value_name = "URL", conflicts_with_all = ["jobs", "dry_run"])]
    nats: Option<String>,
    /// Give a machine up that says nothing of its searches for so long
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "30s", hide_short_help = true, requires = "nats")]
    lease: Duration,
    /// Have one search in so many made by two machines, to compare them
    #[arg(
        long,
        value_name = "N",
        default_value_t = 50,
        hide_short_help = true,
        requires = "nats"
    )]
    check_one_in: u64,
    #[command(flatten)]
    server: ServerArgs,
    /// Take in so many answers at once, each time in a transaction of its own [default: as many as come in a few seconds]
    #[arg(long, value_name = "N", hide_short_help = true)]
    batch: Option<NonZeroUsize>,
    /// Say how many positions each stage would search now, and about how long that takes
    #[arg(long, conflicts_with = "status")]
    dry_run: bool,
    /// Say how far learning is; with --nats also what is on its way there
    #[arg(long)]
    status: bool,
    /// Write the text of a recipe, to make one of your own of it
    #[arg(long, value_name = "NAME|FILE", conflicts_with_all = ["book", "dry_run", "status"])]
    print: Option<String>,
    /// Write JSON; of learning itself, a line each time that answers go in, and one at the end
    #[arg(long)]
    json: bool,
}

/// A worker can't say that it is there more often.
const SHORTEST_LEASE: Duration = Duration::from_millis(300);

/// A line of JSON.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Event<'a> {
    Progress(&'a Standing),
    End(&'a Learned),
}

/// How far learning is, here and at a server.
#[derive(Serialize)]
struct Outlook {
    #[serde(flatten)]
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    nats: Option<Traffic>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(name) = &arguments.print {
        let text = recipes::text(name)?;
        let mut out = stdout();
        out.write_all(text.as_bytes())?;
        return Ok(out.flush()?);
    }
    let book = arguments.book.as_deref().unwrap_or(Path::new(""));
    if arguments.status {
        let outlook = outlook(arguments, book)?;
        return answer(&outlook, arguments.json, |outlook, out| {
            Ok(describe_outlook(outlook, out)?)
        });
    }
    let recipe = the_recipe(arguments)?;
    let engines = engines(&recipe, || arguments.engine.choice())?;
    let stop = Stop::default();
    interrupt::sets(&stop);
    let progress = progress::on_terminal();
    let options = LearnOptions {
        time: arguments.time,
        limit: arguments.limit,
        batch: arguments.batch,
        played: played(arguments, &progress)?,
        stop: stop.clone(),
        ..LearnOptions::default()
    };
    let jobs = arguments.engine.jobs();
    let mut hire = |stage: usize| -> obook_book::Result<Box<dyn Workers>> {
        let engine = &engines[stage];
        Ok(match &arguments.nats {
            None => Box::new(Threads::start(jobs, &|| engine.start(), &stop)?),
            Some(url) => Box::new(elsewhere(arguments, url, book, engine, &stop)?),
        })
    };
    if arguments.dry_run {
        return dry_run(arguments, book, &recipe, &options, &mut hire);
    }
    let mut unwritten = None;
    let mut tell = |standing: &Standing| {
        if arguments.json && unwritten.is_none() {
            // Who reads no more does not end the searches.
            unwritten = write_json_line(&Event::Progress(standing)).err();
        }
    };
    let learned = learn(
        book,
        &recipe,
        &options,
        &mut hire,
        &this_command(),
        &progress,
        &mut tell,
    )?;
    stands(report(arguments, &learned))?;
    match learned.stopped {
        Some(Stopped::Told) => Err(Failure::Interrupted),
        _ if learned.totals.failed > 0 => Err(Failure::Told),
        _ => Ok(()),
    }
}

/// The recipe that was asked for, with what the command says of it.
fn the_recipe(arguments: &Arguments) -> Result<Recipe, Failure> {
    let mut recipe = recipes::recipe(&arguments.recipe)?;
    if let Some(from) = &arguments.from {
        recipe.from = Some(line(std::slice::from_ref(from))?);
    }
    for stage in &mut recipe.stages {
        stage.level = stage.level.or(arguments.level);
        stage.depth = stage.depth.or(arguments.depth);
    }
    Ok(recipe)
}

/// What the owner of the book plays.
fn played(arguments: &Arguments, progress: &Progress) -> Result<Played, Failure> {
    if arguments.games.is_empty() {
        return Ok(Played::NOTHING);
    }
    let games = open(&arguments.games, progress)?;
    let condition = arguments.which.condition();
    Ok(Played::in_games(&games, &condition, progress)?)
}

fn outlook(arguments: &Arguments, book: &Path) -> Result<Outlook, Failure> {
    let status = status(book)?;
    let traffic = |url: &String| Traffic::at(&arguments.server.at(url), &name_of_book(book));
    let nats = arguments.nats.as_ref().map(traffic).transpose()?;
    Ok(Outlook { status, nats })
}

/// Workers on other machines.
fn elsewhere(
    arguments: &Arguments,
    url: &str,
    book: &Path,
    engine: &EngineChoice,
    stop: &Stop,
) -> obook_book::Result<Learner> {
    let server = arguments.server.at(url);
    let options = LearnerOptions {
        lease: arguments.lease.max(SHORTEST_LEASE),
        check_one_in: arguments.check_one_in,
        ..LearnerOptions::new(engine.name(), engine.engine(), name_of_book(book))
    };
    let warn = |warning: &str| say(format_args!("obook: {warning}"));
    Ok(Learner::connect(&server, options, stop, warn)?)
}

/// The engine of each stage.
pub(crate) fn engines(
    recipe: &Recipe,
    default: impl Fn() -> Result<EngineChoice, NoEngine>,
) -> Result<Vec<EngineChoice>, Failure> {
    let engine = |stage: &Stage| match &stage.engine {
        Some(name) => choose(name),
        None => default(),
    };
    Ok(recipe.stages.iter().map(engine).collect::<Result<_, _>>()?)
}

fn dry_run(
    arguments: &Arguments,
    book: &Path,
    recipe: &Recipe,
    options: &LearnOptions,
    hire: &mut Hire<'_>,
) -> Result<(), Failure> {
    let planned = plan(book, recipe, options, hire, &progress::on_terminal())?;
    if options.stop.is_set() {
        return Err(Failure::Interrupted);
    }
    answer(&planned, arguments.json, |planned, out| {
        for it in planned {
            describe_plan(it, out)?;
        }
        let rest = "What the rules want after that depends on what the searches find.";
        Ok(writeln!(out, "{rest}")?)
    })
}

fn describe_plan(planned: &Planned, out: &mut dyn Write) -> io::Result<()> {
    let Planned {
        stage,
        rule,
        engine,
        level,
        depth,
        chosen,
        seconds,
    } = planned;
    write!(
        out,
        "stage {stage}: {rule}, {engine}, level {level}, depth {depth}: {chosen} positions now"
    )?;
    match seconds {
        Some(seconds) => writeln!(out, ", about {}", rounded(*seconds)),
        None => writeln!(out),
    }
}

/// A duration in words, as exactly as one wants to know it.
fn rounded(seconds: f64) -> String {
    let step = match seconds {
        ..1.0 => return String::from("a second"),
        ..120.0 => 1.0,
        ..7200.0 => 60.0,
        _ => 3600.0,
    };
    let seconds = (seconds / step).round() * step;
    humantime::format_duration(Duration::from_secs_f64(seconds)).to_string()
}

fn describe_outlook(outlook: &Outlook, out: &mut dyn Write) -> io::Result<()> {
    describe_status(&outlook.status, out)?;
    let Some(Traffic { engines, answers }) = &outlook.nats else {
        return Ok(());
    };
    if engines.is_empty() {
        writeln!(out, "at the server: nothing was asked so far")?;
    }
    for it in engines {
        writeln!(
            out,
            "at the server, for {}: {} questions wait, {} are with workers, who would take {} more",
            it.engine, it.waiting, it.taken, it.wanted
        )?;
    }
    if *answers > 0 {
        writeln!(
            out,
            "at the server: {answers} answers are not in the book yet"
        )?;
    }
    Ok(())
}

fn describe_status(status: &Status, out: &mut dyn Write) -> io::Result<()> {
    match (&status.recipe, status.stage) {
        (None, _) => writeln!(out, "Nothing was learned yet.")?,
        (Some(_), None) => writeln!(out, "All stages are done.")?,
        (Some(recipe), Some(stage)) => writeln!(
            out,
            "stage {stage} of {}: {}, {} searches so far, chosen {} times",
            recipe.stages.len(),
            recipe.stages[stage - 1].rule.name(),
            status.searches,
            status.turns
        )?,
    }
    if status.outdated {
        writeln!(
            out,
            "the book has changed since: learning begins with the first stage again"
        )?;
    }
    writeln!(out, "{} searches wait", status.waiting)?;
    if status.asked > 0 {
        writeln!(
            out,
            "{} of them were asked for and come first",
            status.asked
        )?;
    }
    if status.leased > 0 {
        writeln!(out, "{} of them were handed out", status.leased)?;
    }
    writeln!(out, "{} positions lack a leaf", status.lacking)?;
    for PutAside { board, reason } in &status.put_aside {
        writeln!(out, "put aside: {board}\n    {reason}")?;
    }
    Ok(())
}

fn report(arguments: &Arguments, learned: &Learned) -> Result<(), Failure> {
    if arguments.json {
        return Ok(write_json_line(&Event::End(learned))?);
    }
    let out = &mut stdout();
    describe(learned, &mut ForPeople(&mut *out))?;
    Ok(out.flush()?)
}

fn describe(learned: &Learned, out: &mut dyn Write) -> io::Result<()> {
    for stage in &learned.stages {
        writeln!(
            out,
            "stage {}: {}, {} at level {}: {} searches, {} positions more, in {}{}",
            stage.stage,
            stage.rule,
            stage.engine,
            stage.level,
            stage.totals.searches,
            stage.totals.added,
            humantime::format_duration(Duration::from_secs(stage.seconds as u64)),
            if stage.done { ", done" } else { "" }
        )?;
    }
    writeln!(
        out,
        "{} positions before, {} now",
        learned.positions_before, learned.positions
    )?;
    match (learned.root_before, learned.root) {
        (Some(before), Some(now)) if before != now => {
            writeln!(out, "the root was worth {before:+} and is worth {now:+}")?;
        }
        (_, Some(now)) => writeln!(out, "the root is worth {now:+}")?,
        (_, None) => {}
    }
    if !learned.lines.is_empty() {
        writeln!(out, "lines whose last move is worth something else now:")?;
    }
    for LineChange {
        line,
        before,
        after,
    } in &learned.lines
    {
        writeln!(out, "  {line} {before:+} -> {after:+}")?;
    }
    if learned.totals.corrected > 0 {
        writeln!(
            out,
            "{} proven scores were found otherwise:",
            learned.totals.corrected
        )?;
    }
    for Correction {
        board,
        before,
        after,
    } in &learned.corrections
    {
        writeln!(out, "  {board} {before:+} -> {after:+}")?;
    }
    if learned.totals.failed > 0 {
        writeln!(out, "{} searches gave no answer:", learned.totals.failed)?;
    }
    for Failed { board, reason } in &learned.failures {
        writeln!(out, "  {board}\n    {reason}")?;
    }
    match learned.stopped {
        Some(Stopped::Time) => writeln!(out, "the time is up: the same command goes on"),
        Some(Stopped::Limit) => writeln!(
            out,
            "that is as many as it was to search: the same command goes on"
        ),
        Some(Stopped::Told) => writeln!(out, "interrupted: the same command goes on"),
        Some(Stopped::HandedOut) => writeln!(
            out,
            "all that waits was handed out to other machines: merge their answers, or go on when their time is up"
        ),
        None => writeln!(out, "all stages are done"),
    }
}
