//! `obook shogi learn`.

use super::line;
use crate::commands::learn::{
    check_name, describe_doubtful, describe_failures, describe_growth, describe_place, end, ended,
    tell_new, tell_status,
};
use crate::engines::choose_for_shogi;
use crate::options::engine::cores;
use crate::options::games::{Filter, ReadAs, has_games, with_games};
use crate::options::server::LearnArgs;
use crate::options::values::{duration, jobs, positive};
use crate::output::{print, tell_end, tell_progress};
use crate::prelude::*;
use crate::shogi::records::Shogi;
use crate::{engines, interrupt, recipes};
use clap::Arg;
use obook_engine::{Go, Outside, Stop};
use obook_learn::Error;
use obook_learn::search::{Clock, Threads, Workers};
use obook_learn::shogi::{
    Games, Grown, Options, Question, Recipe, Standing, Status, USI, learn, open_book, status,
};
use obook_shogi::database::extract::open_games;
use obook_store::Context;
use std::num::{NonZeroU16, NonZeroUsize};
use std::rc::Rc;
use std::time::Duration;

/// Grow a book: choose positions, search them, add the answers
#[derive(Debug, clap::Args)]
#[command(mut_arg("read_as", with_games))]
#[command(mut_arg("nats", for_shogi))]
#[command(mut_arg("engine", |engine| engine.required(false).required_unless_present_any(["status", "print", "nats"])))]
#[command(after_help = "Examples:\n  \
    obook shogi learn new.obook --engine yaneuraou --go 'nodes 1000000' --time 8h\n  \
    obook shogi learn book.obook --engine 'usi:./YaneuraOu' --go 'depth 20' --from '7g7f 3c3d' --limit 1000\n  \
    obook shogi learn book.obook --engine yaneuraou --go 'nodes 1000000' --recipe played --games floodgate/*.csa\n  \
    obook shogi learn book.obook --go 'nodes 1000000' --nats nats://attic.lan\n  \
    obook shogi learn book.obook --status\n  \
    obook shogi learn --print best-first > mine.toml\n\n\
    A recipe is a list of stages: a rule that chooses positions, and perhaps how long to search, the number of moves, a depth and a goal. \
    docs/shogi.md explains how to write one. BOOK is created if it doesn't exist, unless a file has a similar name. Chosen positions are \
    in the book without moves until they are searched, and come first in the next run. Answers are added every few seconds; after \
    each wave, and at the end, the book is fixed. Ctrl-C ends the run and keeps the answers; run the same command to continue. \
    `obook undo` undoes the whole run. The exit status is 1 if searches failed.")]
pub(crate) struct Arguments {
    /// An obook database; created if it doesn't exist
    #[arg(required_unless_present = "print")]
    book: Option<PathBuf>,
    #[command(flatten)]
    go: GoArgs,
    /// Recipe: best-first, complete, played, or a file
    #[arg(long, value_name = "NAME|FILE", default_value = "best-first")]
    recipe: String,
    /// Start from the end of these moves, such as '7g7f 3c3d', or from a position in SFEN, instead of the start position
    #[arg(long, value_name = "MOVES")]
    from: Option<String>,
    /// Maximum length of lines in plies, for stages that set none
    #[arg(long, value_name = "PLY", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Only show the progress
    #[arg(long, help_heading = "Instead of a run")]
    status: bool,
    /// Only write the text of a recipe, as a start for your own
    #[arg(long, value_name = "NAME|FILE", conflicts_with_all = ["book", "status"], help_heading = "Instead of a run")]
    print: Option<String>,
    /// Games for the rule played: a database with games, or files
    #[arg(long, value_name = "GAMES", num_args = 1.., help_heading = "Games")]
    games: Vec<PathBuf>,
    #[command(flatten, next_help_heading = "Games")]
    read_as: ReadAs<Shogi>,
    #[command(flatten)]
    which: Filter<Shogi>,
    #[command(flatten)]
    nats: Box<LearnArgs>,
}

/// How to search for a book of shogi.
#[derive(Debug, clap::Args)]
pub(crate) struct GoArgs {
    /// Engine: a name from engines.toml, or a command such as 'usi:./YaneuraOu'
    #[arg(long, value_name = "NAME|COMMAND", required_unless_present = "nats", add = ArgValueCompleter::new(complete::engines))]
    engine: Option<String>,
    /// How long each search lasts: 'depth N', 'nodes N' or 'movetime MILLISECONDS'
    #[arg(long, value_name = "HOW LONG")]
    go: Option<Go>,
    /// Number of moves to search for in a position
    #[arg(long, value_name = "N", default_value = "4")]
    moves: NonZeroU16,
    /// Number of searches at once, each with its own process [default: one per core]
    #[arg(long, value_name = "N", value_parser = jobs)]
    jobs: Option<NonZeroUsize>,
    /// Maximum number of searches
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Time limit, for example 90s, 30m or 8h
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time: Option<Duration>,
    /// Answers per transaction [default: as many as come in a few seconds]
    #[arg(long, value_name = "N", hide_short_help = true, value_parser = positive)]
    batch: Option<NonZeroUsize>,
    /// Write lines of JSON: one each time answers go in, and one at the end
    #[arg(long)]
    pub(super) json: bool,
}

/// Says what `--nats` does in a command for shogi, whose engines have no levels.
pub(super) fn for_shogi(nats: Arg) -> Arg {
    nats.help(
        "Search on the machines that run `obook work URL --engine ENGINE` with this NATS server",
    )
}

/// The name of the engines of other machines in reports.
const ELSEWHERE: &str = "other machines";

impl GoArgs {
    /// The engine of this machine; `None` if others search.
    pub(super) fn engine(&self, nats: &LearnArgs) -> Result<Option<Outside>, Failure> {
        nats.check()?;
        let engine = self.engine.as_deref().unwrap_or_default();
        let engine = nats.nats.is_none().then(|| choose_for_shogi(engine));
        engine.transpose()
    }

    /// Starts the engine, or connects to other machines.
    pub(super) fn hire(
        &self,
        nats: &LearnArgs,
        book: &Path,
        engine: Option<&Outside>,
        stop: &Stop,
    ) -> obook_learn::Result<Box<dyn Workers<Question>>> {
        if let Some(workers) = nats.workers(book, ELSEWHERE, USI, true, stop)? {
            return Ok(workers);
        }
        let jobs = self.jobs.unwrap_or_else(cores);
        let engine = engine.expect("there is one unless others search");
        let start = || engines::start_for_shogi(engine);
        Ok(Box::new(Threads::start(jobs, start, stop)?))
    }

    pub(super) fn options(&self) -> Options {
        Options {
            go: self.go,
            moves: self.moves,
            time: self.time,
            limit: self.limit,
            batch: self.batch,
            games: None,
            stop: Stop::default(),
            clock: Clock::default(),
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { go, nats, .. } = arguments;
    if let Some(name) = &arguments.print {
        return print(recipes::SHOGI.text(name)?);
    }
    let book = arguments.book.as_deref().unwrap_or(Path::new(""));
    if arguments.status {
        nats.check()?;
        let status = status(&super::open(book, &context::quiet())?)?;
        return tell_status(status, nats.traffic(book)?, go.json, describe_status);
    }
    let mut recipe: Recipe = recipes::for_shogi(&arguments.recipe)?;
    recipe.from = arguments.from.clone().or(recipe.from);
    for stage in &mut recipe.stages {
        stage.depth = stage.depth.or(arguments.depth);
    }
    let root = line(recipe.from.as_slice())?;
    let context = context::shown();
    let mut options = go.options();
    options.games = games(arguments, &context)?;
    recipe.check_games(options.games.as_deref())?;
    if options.go.is_none() && recipe.stages.iter().any(|stage| stage.go.is_none()) {
        return Err(Error::NoGo.into());
    }
    let engine = go.engine(nats)?;
    options.stop = interrupt::stop();
    if !book.exists() {
        check_name(book, "shogi", &FILES)?;
        // Before a book is made.
        nats.traffic(book)?;
        engine.as_ref().map(engines::start_for_shogi).transpose()?;
        if !go.json {
            tell_new(book, "shogi")?;
        }
    } else {
        super::is_database(book)?;
    }
    let mut tell = tell_progress::<Standing>(go.json);
    let mut store = open_book(book, &context)?;
    let mut hire = || go.hire(nats, book, engine.as_ref(), &options.stop);
    let learned = learn(&mut store, &recipe, &root, &options, &mut hire, &mut tell)?;
    tell_end(&learned, go.json, |it, out| describe(book, it, out))?;
    ended(learned.stopped, learned.standing.totals.failed == 0)
}

/// The games for rules that need them, if there are any.
fn games(arguments: &Arguments, context: &Context) -> Result<Option<Rc<Games>>, Failure> {
    if arguments.games.is_empty() {
        return Ok(None);
    }
    let store = open_games(&arguments.games, arguments.read_as.format, context)?;
    let condition = arguments.which.condition();
    Ok(has_games(&store).then(|| Rc::new(Games { store, condition })))
}

fn describe_status(status: &Status, out: &mut dyn Write) -> io::Result<()> {
    let recipe = status.recipe.as_ref();
    let rules = recipe.map(|it| it.stages.iter().map(|stage| stage.rule.name()).collect());
    let so_far = count(status.searches, "search[|es]");
    describe_place(rules, status.stage, &so_far, status.outdated, out)?;
    let wait = count(status.waiting, "position[|s] wait[s|]");
    writeln!(out, "{wait} to be searched")
}

/// The endings of book files.
pub(super) const FILES: [&str; 4] = ["db", "ybb", "sbk", "bin"];

/// The number of a run's searches, their engine and their time.
pub(super) fn effort(grown: &Grown) -> String {
    let (standing, engine) = (&grown.standing, &grown.engine);
    let searches = count(standing.totals.searches, "search[|es]");
    let time = humantime::format_duration(Duration::from_secs(standing.seconds as u64));
    format!("{searches} by {engine} in {time}")
}

fn describe(book: &Path, learned: &Grown, out: &mut dyn Write) -> io::Result<()> {
    let standing = &learned.standing;
    let (searches, failed) = (standing.totals.searches, standing.totals.failed);
    let added = count(standing.totals.added, "new position[|s]");
    let moves = count(standing.totals.moves, "move[|s]");
    writeln!(out, "{}: {added}, {moves}", effort(learned))?;
    let positions = [learned.positions_before, standing.positions];
    describe_growth(positions, [learned.root_before, standing.root], out)?;
    describe_failures(failed, "", &learned.failures, out)?;
    describe_doubtful(&learned.doubtful, book, out)?;
    let wait = "position[|s] wait[s|] to be searched";
    if_any(standing.left, wait, out)?;
    writeln!(out, "{}", end(learned.stopped, searches, failed))
}
