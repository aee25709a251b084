//! `obook learn`: growing a book.

use crate::nats::{self, Traffic};
use crate::options::destination::{FILES, check_ending};
use crate::options::games::{Filter, Othello, ReadAs, has_games, none_meets, open, with_games};
use crate::options::server::LearnArgs;
use crate::options::values::{duration, named_recipes, positive};
use crate::output::{tell_end, tell_progress};
use crate::prelude::*;
use crate::{engines, interrupt, recipes};
use obook_engine::EngineChoice;
use obook_learn::complete::Failed;
use obook_learn::search::{Threads, Trusted, Workers};
use obook_learn::{
    Error, LearnOptions, Learned, LineChange, Planned, Played, Recipe, Stage, Standing, Status,
    Stopped, learn, open_book, plan, status,
};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::num::NonZeroUsize;
use strsim::osa_distance;

/// Grow a book: choose positions, search them, add the answers
#[derive(Debug, clap::Args)]
#[command(mut_arg("read_as", with_games))]
#[command(after_help = "Examples:\n  \
    obook learn new.obook --time 60s\n  \
    obook learn book.obook --recipe fast --time 8h --engine 'edax -nboard'\n  \
    obook learn book.obook --recipe mine.toml --dry-run\n  \
    obook learn book.obook --nats nats://attic.lan --time 8h\n  \
    obook learn book.obook --status\n  \
    obook learn book.obook --status --nats nats://attic.lan\n  \
    obook learn --print small > mine.toml\n\n\
    A recipe is a list of stages: a rule that chooses positions, a level, a depth, perhaps an engine and a goal. docs/learning.md \
    explains how to write one. BOOK is created with the start position if it doesn't exist, unless a file has a similar name. Pending searches are in table tasks; \
    answers are added every few seconds, and links, values and ancestors are updated at once. Ctrl-C ends the run and keeps the answers; \
    run the same command to continue. `obook undo` undoes the whole run. The exit status is 1 if searches failed or positions \
    lack a leaf at the end.")]
pub(crate) struct Arguments {
    /// An obook database; created if it doesn't exist
    #[arg(required_unless_present = "print")]
    #[arg(value_parser = changeable())]
    book: Option<PathBuf>,
    /// Write JSON; a run writes a line each time answers go in, and one at the end
    #[arg(long)]
    json: bool,
    /// Answers per transaction [default: as many as come in a few seconds]
    #[arg(long, value_name = "N", hide_short_help = true, value_parser = positive)]
    batch: Option<NonZeroUsize>,
    #[command(flatten)]
    memory: Memory,
    /// Recipe: a built-in one, or a file
    #[arg(long, value_name = "NAME|FILE", default_value = "quick", value_parser = named_recipes(), help_heading = "What to search")]
    recipe: String,
    /// Let the recipe start engines by command, not only by their names in engines.toml: for recipes that you trust
    #[arg(long, hide_short_help = true, help_heading = "What to search")]
    allow_commands: bool,
    /// Start from the end of these moves, or from a named opening, instead of the start position
    #[arg(long, value_name = "MOVES|NAME", help_heading = "What to search", add = ArgValueCompleter::new(complete::openings))]
    from: Option<String>,
    /// Level for stages that set none
    #[arg(long, value_name = "LEVEL", value_parser = levels(60), hide_possible_values = true, help_heading = "What to search")]
    level: Option<u8>,
    /// Maximum length of lines in plies, for stages that set none
    #[arg(long, value_name = "PLY", value_parser = clap::value_parser!(u8).range(1..=60), help_heading = "What to search")]
    depth: Option<u8>,
    /// Time limit, for example 90s, 30m or 8h
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "When to stop")]
    time: Option<Duration>,
    /// Maximum number of answers
    #[arg(long, value_name = "N", help_heading = "When to stop")]
    limit: Option<u64>,
    #[command(flatten, next_help_heading = "Engine")]
    engine: EngineArgs,
    /// Only show how many positions each stage would search now, and about how long that takes
    #[arg(long, conflicts_with_all = ["status", "nats"], help_heading = "Instead of a run")]
    dry_run: bool,
    /// Only show the progress; with --nats, also what waits at the server
    #[arg(long, help_heading = "Instead of a run")]
    status: bool,
    /// Only write the text of a recipe, as a start for your own
    #[arg(long, value_name = "NAME|FILE", value_parser = named_recipes(), hide_possible_values = true, conflicts_with_all = ["book", "dry_run", "status"], help_heading = "Instead of a run")]
    print: Option<String>,
    /// Games for the rules store and best-first: a database with games, such as BOOK itself, or files
    #[arg(long, value_name = "GAMES", num_args = 1.., help_heading = "Games", add = Standard)]
    games: Vec<PathBuf>,
    #[command(flatten, next_help_heading = "Games")]
    read_as: ReadAs<Othello>,
    #[command(flatten)]
    which: Filter<Othello>,
    #[command(flatten)]
    nats: LearnArgs,
}

/// Reports the state of learning here, in the words of `describe`, and what waits at the server.
pub(crate) fn tell_status<S: Serialize>(
    status: S,
    nats: Option<Traffic>,
    json: bool,
    describe: impl FnOnce(&S, &mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Outlook<S> {
        #[serde(flatten)]
        status: S,
        #[serde(skip_serializing_if = "Option::is_none")]
        nats: Option<Traffic>,
    }
    answer(&Outlook { status, nats }, json, |outlook, out| {
        describe(&outlook.status, out)?;
        (outlook.nats.iter()).try_for_each(|traffic| nats::describe(traffic, out))
    })
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(name) = &arguments.print {
        return print(recipes::OTHELLO.text(name)?);
    }
    arguments.nats.check()?;
    let book = arguments.book.as_deref().unwrap_or(Path::new(""));
    if arguments.status {
        let status = status(&Book::open(book, &context::quiet())?.into_database()?)?;
        let traffic = arguments.nats.traffic(book)?;
        return tell_status(status, traffic, arguments.json, describe_status);
    }
    let recipe = the_recipe(arguments)?;
    let is_new = !book.exists();
    if is_new {
        check_new(book, &recipe)?;
    }
    let choose = match arguments.allow_commands {
        true => engines::choose,
        false => engines::named,
    };
    let engines = of_stages(&recipe, choose, || arguments.engine.choice())?;
    let stop = interrupt::stop();
    let context = arguments.memory.context();
    let options = LearnOptions {
        time: arguments.time,
        limit: arguments.limit,
        batch: arguments.batch,
        played: played(arguments, &context)?,
        stop: stop.clone(),
        ..LearnOptions::default()
    };
    let jobs = arguments.engine.jobs();
    let mut hired = HashSet::new();
    let mut is_to_be_told = is_new && !arguments.json && !arguments.dry_run;
    let mut hire = |stage: usize| -> obook_learn::Result<Box<dyn Workers>> {
        let engine = &engines[stage];
        let is_first = hired.insert(engine.engine());
        let (name, levels) = (engine.name(), engine.engine());
        let elsewhere = (arguments.nats).workers(book, name, levels, is_first, &stop)?;
        let workers = match elsewhere {
            Some(workers) => workers,
            None => Box::new(Threads::start(jobs, || engines::start(engine), &stop)?),
        };
        if std::mem::take(&mut is_to_be_told) {
            // If this can't be written, the report can't be either.
            let _ = tell_new(book, &game(arguments));
        }
        Ok(workers)
    };
    if arguments.dry_run {
        let open = || Book::open(book, &context)?.into_database();
        let store = (!is_new).then(open).transpose()?;
        let planned = plan(store.as_ref(), &recipe, &options, &mut hire, &context)?;
        if stop.is_set() {
            return Err(Failure::Interrupted);
        }
        return answer(&planned, arguments.json, |planned, out| {
            for it in planned {
                describe_plan(it, out)?;
            }
            writeln!(out, "The searches to follow depend on what these find.")
        });
    }
    let mut tell = tell_progress::<Standing>(arguments.json);
    // Before a book is made.
    recipe.check_games(&options.played)?;
    if is_new && arguments.nats.nats.is_none() {
        engines::start(&engines[0])?;
    }
    let mut store = open_book(book, &recipe, &context)?;
    let outcome = learn(&mut store, &recipe, &options, &mut hire, &mut tell);
    let report = match &outcome {
        Ok(learned) => Some(learned),
        Err(Error::Broken { learned, .. }) => Some(&**learned),
        Err(_) => None,
    };
    if let Some(learned) = report {
        tell_end(learned, arguments.json, |learned, out| {
            describe(book, learned, out)
        })?;
    }
    let learned = outcome?;
    let is_complete = learned.unanswered + learned.lacking == 0;
    ended(learned.stopped, is_complete)
}

/// The outcome of a run that has been reported.
pub(crate) fn ended(stopped: Option<Stopped>, is_complete: bool) -> Result<(), Failure> {
    match stopped {
        Some(Stopped::Told) => Err(Failure::Interrupted),
        _ => Failure::told_if(!is_complete),
    }
}

/// The chosen recipe, completed by the options.
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

/// The positions that the owner of the book plays.
fn played(arguments: &Arguments, context: &Context) -> Result<Played, Failure> {
    if arguments.games.is_empty() {
        return Ok(Played::NOTHING);
    }
    let games = open(&arguments.games, &arguments.read_as, context)?;
    let condition = arguments.which.condition();
    let played = Played::in_games(&games, &condition, context.progress())?;
    if played.is_empty() {
        return Err(none_meets(&arguments.games[0], has_games(&games)));
    }
    Ok(played)
}

/// Checks that a book that doesn't exist yet can be made for a recipe.
fn check_new(book: &Path, recipe: &Recipe) -> Result<(), Failure> {
    check_name(book, "Othello", &FILES)?;
    if recipe.stages.iter().all(|stage| stage.level.is_none()) {
        let problem = "a new book has no level of its own, and the recipe names none: give --level, for example --level 10";
        return Err(Failure::file(book, problem));
    }
    Ok(())
}

/// Refuses a new book with nearly the name of another file, or with one of these endings, which are those of other files.
pub(crate) fn check_name(book: &Path, game: &str, endings: &[&str]) -> Result<(), Failure> {
    if let Some(other) = similar(book) {
        let problem = format!(
            "there is no such file; did you mean {}? Give a new book of {game} a less similar name",
            other.display()
        );
        return Err(Failure::file(book, problem));
    }
    check_ending(book, endings)
}

/// A file in the same folder that may be what was meant: its name differs by a letter in three at most, and not by its numbers alone.
fn similar(book: &Path) -> Option<PathBuf> {
    let part = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().to_lowercase();
    let parts = |path: &Path| (part(path.file_stem()), part(path.extension()));
    let letters = |name: &str| name.replace(|letter: char| letter.is_ascii_digit(), "");
    let (name, extension) = parts(book);
    let files = obook_base::folder_of(book).read_dir().ok()?.flatten();
    let distances = files.filter_map(|file| {
        let file = book.with_file_name(file.file_name());
        let (other, its_extension) = parts(&file);
        let is_of_kind = extension.is_empty() || osa_distance(&extension, &its_extension) <= 1;
        let is_numbered = name != other && letters(&name) == letters(&other);
        let distance = osa_distance(&name, &other);
        let is_similar = is_of_kind && !is_numbered && distance <= name.chars().count() / 3;
        is_similar.then_some((distance, file))
    });
    distances.min().map(|(_, file)| file)
}

/// Says which book has been made, of which game.
pub(crate) fn tell_new(book: &Path, game: &str) -> Result<(), Failure> {
    let path = std::path::absolute(book)?;
    print(format!("{}: a new book of {game}\n", path.display()))
}

/// The game, and when the run ends.
fn game(arguments: &Arguments) -> String {
    let time = arguments.time.map(humantime::format_duration);
    let time = time.map_or(String::new(), |time| format!(", after {time}"));
    let limit = arguments.limit;
    let limit = limit.map_or(String::new(), |it| count(it, ", after # answer[|s]"));
    format!("Othello. Learning ends when all stages are done{time}{limit}, or with Ctrl-C")
}

/// The engine of each stage.
pub(crate) fn of_stages(
    recipe: &Recipe,
    choose: fn(&str) -> Result<EngineChoice, Failure>,
    default: impl Fn() -> Result<EngineChoice, Failure>,
) -> Result<Vec<EngineChoice>, Failure> {
    let engine = |stage: &Stage| match &stage.engine {
        Some(given) => choose(given),
        None => default(),
    };
    recipe.stages.iter().map(engine).collect()
}

fn describe_plan(planned: &Planned, out: &mut dyn Write) -> io::Result<()> {
    let (stage, rule, engine) = (planned.stage, planned.rule, &planned.engine);
    let (level, depth) = (planned.level, planned.depth);
    let chosen = count(planned.chosen, "position[|s]");
    write!(
        out,
        "stage {stage}: {rule}, {engine}, level {level}, depth {depth}: {chosen} now"
    )?;
    match planned.seconds {
        Some(seconds) => writeln!(out, ", about {}", rounded(seconds)),
        None => writeln!(out),
    }
}

/// A duration in words, rounded to a sensible unit.
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

fn describe_status(status: &Status, out: &mut dyn Write) -> io::Result<()> {
    let recipe = status.recipe.as_ref();
    let rules = recipe.map(|it| it.stages.iter().map(|stage| stage.rule.name()).collect());
    let searches = count(status.searches, "search[|es]");
    let rounds = count(status.turns, "round[|s]");
    let so_far = format!("{searches} in {rounds}");
    describe_place(rules, status.stage, &so_far, status.outdated, out)?;
    let waiting = count(status.waiting, "search[|es]");
    writeln!(out, "{waiting} waiting")?;
    if_any(status.asked, "of them by request: they come first", out)?;
    if_any(status.leased, "of them handed out to other machines", out)?;
    let lack = count(status.lacking, "position[|s] lack[s|]");
    writeln!(out, "{lack} a leaf")?;
    for Failed { board, reason } in &status.put_aside {
        writeln!(out, "set aside: {board}\n    {reason}")?;
    }
    Ok(())
}

/// Says in which stage learning is, given the rules of all.
pub(crate) fn describe_place(
    rules: Option<Vec<&str>>,
    stage: Option<usize>,
    so_far: &str,
    outdated: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    match (rules, stage) {
        (None, _) => writeln!(out, "Nothing has been learned yet.")?,
        (Some(_), None) => writeln!(out, "All stages are done.")?,
        (Some(rules), Some(stage)) => {
            let (all, rule) = (rules.len(), rules[stage - 1]);
            writeln!(out, "stage {stage} of {all}: {rule}, {so_far} so far")?;
        }
    }
    if outdated {
        writeln!(
            out,
            "the book has changed since then: learning starts again with the first stage"
        )?;
    }
    Ok(())
}

fn describe(book: &Path, learned: &Learned, out: &mut dyn Write) -> io::Result<()> {
    for stage in &learned.stages {
        let (at, rule, engine, level) = (stage.stage, stage.rule, &stage.engine, stage.level);
        let searches = count(stage.totals.searches, "search[|es]");
        let added = count(stage.totals.added, "new position[|s]");
        let time = humantime::format_duration(Duration::from_secs(stage.seconds as u64));
        let done = if stage.done { ", done" } else { "" };
        writeln!(
            out,
            "stage {at}: {rule}, {engine} at level {level}: {searches}, {added}, in {time}{done}"
        )?;
    }
    let positions = [learned.positions_before, learned.positions];
    let root = [learned.root_before, learned.root].map(|root| root.map(i32::from));
    describe_growth(positions, root, out)?;
    describe_lines(&learned.lines, out)?;
    let corrected = "proven score[|s] [was|were] contradicted by another proof:";
    if_any(learned.totals.corrected, corrected, out)?;
    for it in &learned.corrections {
        writeln!(out, "  {} {:+} -> {:+}", it.board, it.before, it.after)?;
    }
    let later = match learned.unanswered {
        0 => ", but not when repeated",
        _ => "",
    };
    describe_failures(learned.totals.failed, later, &learned.failures, out)?;
    describe_doubtful(&learned.doubtful, book, out)?;
    let end = end(learned.stopped, learned.totals.searches, learned.unanswered);
    writeln!(out, "{end}")?;
    if learned.lacking > 0 {
        let lack = count(learned.lacking, "position[|s] lack[s|]");
        let search = command([OsStr::new("search"), book.as_os_str()]);
        writeln!(
            out,
            "{lack} a leaf, and engines need them all: `{search}` searches them"
        )?;
    }
    Ok(())
}

/// Lists the lines whose value has changed.
pub(crate) fn describe_lines(lines: &[LineChange], out: &mut dyn Write) -> io::Result<()> {
    if !lines.is_empty() {
        let heading = "lines whose value has changed, for the side that makes the last move:";
        writeln!(out, "{heading}")?;
    }
    for it in lines {
        writeln!(out, "  {} {:+} -> {:+}", it.line, it.before, it.after)?;
    }
    Ok(())
}

/// Says how many searches failed, with a remark, and lists the first of them.
pub(crate) fn describe_failures(
    failed: u64,
    remark: &str,
    first: &[Failed],
    out: &mut dyn Write,
) -> io::Result<()> {
    if_any(failed, &format!("search[|es] failed{remark}:"), out)?;
    for Failed { board, reason } in first {
        writeln!(out, "  {board}\n    {reason}")?;
    }
    Ok(())
}

/// Names the refused workers whose answers are in the book even so.
pub(crate) fn describe_doubtful(
    doubtful: &[Trusted],
    book: &Path,
    out: &mut dyn Write,
) -> io::Result<()> {
    for it in doubtful {
        let (worker, answers) = (&it.worker, count(it.answers, "answer[|s]"));
        let undo = command([OsStr::new("undo"), book.as_os_str()]);
        writeln!(
            out,
            "worker {worker} was refused, but {answers} that it gave while it was the only worker went into the book: \
             `{undo}` takes this run back"
        )?;
    }
    Ok(())
}

/// Says how many positions there are before and after a run, and the values of the root.
pub(crate) fn describe_growth(
    [before, now]: [u64; 2],
    root: [Option<i32>; 2],
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{before} positions before, {now} now")?;
    match root {
        [Some(before), Some(now)] if before != now => {
            writeln!(out, "value of the root: {before:+} before, {now:+} now")
        }
        [_, Some(now)] => writeln!(out, "value of the root: {now:+}"),
        [_, None] => Ok(()),
    }
}

/// Why a run that made this many searches ended, and how to continue.
pub(crate) const fn end(stopped: Option<Stopped>, searches: u64, failed: u64) -> &'static str {
    match stopped {
        Some(Stopped::Time | Stopped::Limit) if searches == 0 => {
            "the limit doesn't allow for what comes next: raise it"
        }
        Some(Stopped::Time) => "time limit reached: run the same command to continue",
        Some(Stopped::Limit) => "limit reached: run the same command to continue",
        Some(Stopped::Told) => "interrupted: run the same command to continue",
        Some(Stopped::HandedOut) => {
            "all waiting searches are handed out to other machines: merge their answers, or continue when their time is up"
        }
        Some(Stopped::NoAnswer) => "the engine gave no answers: run the same command to continue",
        Some(Stopped::Broken) => {
            "the book could not be read or written: run the same command to continue"
        }
        None if failed > 0 => {
            "all else is done: run the same command to try the failed searches again"
        }
        None => "all stages are done",
    }
}
