//! `obook check`: what the moves of games gave up.

mod annotate;
mod checked;
mod words;

use crate::context;
use crate::failure::Failure;
use crate::options::destination::check_picture_name;
use crate::options::destination::if_exists;
use crate::options::engine::EngineArgs;
use crate::options::games::read;
use crate::options::values::levels;
use crate::output::{answer, stands};
use crate::searches::{Task, in_order};
use crate::words::say;
use checked::{Checked, CheckedGame, players};
use obook_book::plot::Course;
use obook_book::read::played::{Found, Played};
use obook_book::write::import::into_store;
use obook_book::{AtomicFile, Book, Error, FileKind, Store, spare};
use obook_engine::Request;
use obook_games::{Entry, Format};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "Examples:
  obook check WTH_2004.wtb --game 12 --book book.obook
  obook check WTH_2004.wtb --book book.dat --level 4
  obook check WTH_2004.wtb --game 12 --plot game.svg
  obook check games.ggf --book book.obook --output checked.ggf
  obook check WTH_2004.wtb --book book.obook --json

The worth of a position comes from the book, or from the leaf that leads to it; at the end of the game, from the discs; otherwise \
from a search, at --level or, with at most --exact empty squares, to the end of the game. If a position has only one move, its worth \
is that of the next position. The loss of a move is the worth before it minus the worth after it, for the side that moves; a \
negative loss means that the move was better than expected. So the final score is the worth of the first position, minus the losses \
of one side, plus those of the other. Accuracy is the share of moves that gave nothing up, among moves with a choice. \
The opening is moves 1 to 20, the midgame 21 to 40, the endgame 41 to 60.";

/// The level at which every engine searches to the end of the game.
const TO_THE_END: u8 = 60;

/// Show what the moves of games gave up, by a book and by searches
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Files of games, in any format
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// An obook database or a book file; without one, every position is searched
    #[arg(long)]
    book: Option<PathBuf>,
    /// Check only this game of each file, counted from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    game: Option<u64>,
    /// Level of the searches
    #[arg(long, value_name = "LEVEL", default_value = "10", value_parser = levels(60), hide_possible_values = true)]
    level: u8,
    /// Search to the end of the game with this many empty squares or fewer
    #[arg(long, value_name = "EMPTIES", default_value_t = 16, value_parser = clap::value_parser!(u8).range(0..=60))]
    exact: u8,
    #[command(flatten)]
    engine: EngineArgs,
    /// Draw a graph of the worth from move to move; for one game only
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Write the games as GGF or SGF, with the worth after each move and remarks on losses
    #[arg(short, long, value_name = "FILE.ggf|FILE.sgf")]
    output: Option<PathBuf>,
    /// Replace an existing file of the same kind
    #[arg(long)]
    force: bool,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// A step on the way through the games.
enum Step {
    Begin(Box<(Entry, Played)>),
    /// The question about the position with this index.
    Question(usize),
    End,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let file = arguments.plot.as_ref();
    let file = file.map(|path| picture(arguments, path)).transpose()?;
    let output = arguments.output.as_ref();
    let output = output
        .map(|path| output_file(arguments, path))
        .transpose()?;
    let context = context::shown();
    let book = match &arguments.book {
        Some(book) => Some(into_store(Book::open(book, &context::quiet())?, &context)?),
        None => None,
    };
    let choice = arguments.engine.choice()?;
    let searchers = (0..arguments.engine.jobs().get()).map(|_| choice.start());
    let searchers = searchers.collect::<Result<_, _>>()?;
    context.progress().step("searching", None);
    let tasks = entries(arguments).flat_map(move |entry| {
        let steps = entry.and_then(|entry| steps(entry, book.as_ref(), arguments));
        steps.unwrap_or_else(|failure| vec![Err(failure)])
    });
    let mut games = Vec::new();
    let mut current = None;
    let mut found = BTreeMap::new();
    in_order(searchers, tasks, |step, searched| {
        match step {
            Step::Begin(game) => current = Some(game),
            Step::Question(index) => {
                let searched = searched.expect("a question is searched")?;
                let answer = Found {
                    mv: searched.mv,
                    score: searched.score,
                    proven: searched.proven,
                };
                found.insert(index, answer);
                context.progress().advance(1);
            }
            Step::End => {
                let (entry, played) = *current.take().expect("a game begins before it ends");
                games.push(CheckedGame::new(&entry, played.judge(&found)));
                found.clear();
            }
        }
        Ok::<_, Failure>(())
    })?;
    drop(context);
    if let Some(output) = output {
        annotate::write(output, games.iter().map(|game| &game.annotated))?;
    }
    if let Some((file, path)) = file.zip(arguments.plot.as_ref()) {
        plot(file, path, &games)?;
    }
    let checked = Checked {
        players: players(&games),
        games,
    };
    let reported = answer(&checked, arguments.json, words::describe);
    match arguments.output {
        Some(_) => stands(reported),
        None => reported,
    }
}

/// Returns the games to check.
fn entries(arguments: &Arguments) -> impl Iterator<Item = Result<Entry, Failure>> + Send {
    let only = arguments.game;
    arguments.games.iter().flat_map(move |file| {
        let mut games: Box<dyn Iterator<Item = Result<Entry, Failure>> + Send> =
            Box::new(read(file).map(|entry| Ok(entry?)));
        let Some(number) = only else { return games };
        let is_asked = |entry: &Result<Entry, Failure>| {
            let found = entry.as_ref().map(|entry| entry.place.number);
            found.map_or(true, |found| found == number)
        };
        let asked = games.find(is_asked).unwrap_or_else(|| {
            let problem = format!("there is no game {number}");
            Err(Failure::file(file, problem))
        });
        Box::new(std::iter::once(asked))
    })
}

/// Returns the steps for a game, and reports the faults of its record.
fn steps(
    entry: Entry,
    book: Option<&Store>,
    arguments: &Arguments,
) -> Result<Vec<Result<Task<Step>, Failure>>, Failure> {
    for fault in &entry.faults {
        say(format_args!("obook: {}: {fault}", entry.place));
    }
    let played = Played::new(book, entry.game.line().clone())?;
    let questions = played.questions().map(|(index, board)| {
        let level = match board.empties() <= arguments.exact.into() {
            true => TO_THE_END,
            false => arguments.level,
        };
        Task {
            about: Step::Question(index),
            request: Some(Request::new(board, level).expect("finished games need no search")),
        }
    });
    let questions: Vec<_> = questions.collect();
    let only = |about| Task {
        about,
        request: None,
    };
    let begin = only(Step::Begin(Box::new((entry, played))));
    let steps = std::iter::once(begin).chain(questions);
    Ok(steps
        .chain(std::iter::once(only(Step::End)))
        .map(Ok)
        .collect())
}

/// Creates the file for the picture. Called before the searches, so that they aren't made for nothing.
fn picture(arguments: &Arguments, path: &Path) -> Result<AtomicFile, Failure> {
    check_picture_name(path, false)?;
    for input in arguments.games.iter().chain(&arguments.book) {
        spare(input, path)?;
    }
    Ok(AtomicFile::create(
        path,
        FileKind::Picture,
        if_exists(arguments.force),
        &context::quiet(),
    )?)
}

/// Creates the file for the games with remarks.
fn output_file(arguments: &Arguments, path: &Path) -> Result<(AtomicFile, Format), Failure> {
    for input in arguments.games.iter().chain(&arguments.book) {
        spare(input, path)?;
    }
    annotate::create(path, if_exists(arguments.force))
}

/// Draws the one game that was checked.
fn plot(mut file: AtomicFile, path: &Path, games: &[CheckedGame]) -> Result<(), Failure> {
    let [game] = games else {
        let problem = format!(
            "a picture shows one game, but there are {}: choose one with --game N",
            games.len()
        );
        return Err(Failure::file(path, problem));
    };
    let course = Course {
        title: game.title(),
        judgement: game.judgement.clone(),
    };
    let written = file.file().write_all(course.to_svg().as_bytes());
    written.map_err(Error::io(path, "write"))?;
    Ok(file.commit()?)
}
