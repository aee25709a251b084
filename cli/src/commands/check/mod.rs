//! `obook check`: what the moves of games gave up.

mod annotate;
mod checked;
mod page;
mod words;

use crate::advice::on_no_answer;
use crate::interrupt;
use crate::options::book::{is_starter, or_starter};
use crate::options::destination::if_exists;
use crate::options::games::{Filter, Othello, Picked, ReadAs, entries, faults, pick};
use crate::options::picture::PictureFile;
use crate::prelude::*;
use crate::searches::{Task, in_order};
use crate::words::ForPeople;
use annotate::Remarks;
use checked::{CheckedGame, Players};
use obook::read::played::{Played, SearchedMove};
use obook::write::import::into_store;
use obook::{Progress, spare};
use obook_engine::Request;
use page::Page;
use std::collections::{BTreeMap, BTreeSet};

const EXAMPLES: &str = "Examples:
  obook check WTH_2004.wtb --game 12 --book book.obook
  obook check WTH_2004.wtb --book book.dat --level 4
  obook check WTH_2004.wtb --game 12 --plot game.svg
  obook check WTH_2004.wtb --player rose --book book.dat --html rose.html
  obook check games.ggf --book book.obook --output checked.ggf
  obook check f5d6c3d3c4f4f6f3 --book book.obook
  obook check games.obook --player rose --since 2004 --book book.obook
  obook games show games.obook 20040000012 --ggf | obook check -

Games are shown as they finish. After Ctrl-C, the report and the files have the games so far. If a search fails, its game is \
shown up to there, and the exit status is 1.

The worth of a position comes from the book, or from the leaf that leads to it; at the end of the game, from the discs; otherwise \
from a search, at --level or, with at most --exact empty squares, to the end of the game. If a position has only one move (not counting mirror images), its worth \
is that of the next position. If the played move turns out better than a search had seen, \
the position before it is worth that much. \
The loss of a move is the worth before it minus the worth after it, for the side that moves; if a search finds the move better than the book \
does, it is a gain: a negative loss, also in sums and JSON. So the final score is the worth of the first position, minus the losses \
of one side, plus those of the other. Accuracy is the share of moves that gave nothing up, among moves with a choice. \
The opening is moves 1 to 20, the midgame 21 to 40, the endgame 41 to 60.";

/// The level at which every engine searches to the end of the game.
const TO_THE_END: u8 = 60;

/// Show what the moves of games gave up, by a book and by searches
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Files of games in any format, databases with games, or the moves of a game; - is standard input
    #[arg(required = true, add = Standard)]
    games: Vec<PathBuf>,
    #[command(flatten)]
    read_as: ReadAs<Othello>,
    /// An obook database or a book file [default: the starter book, which is inside obook]
    #[arg(long, value_parser = readable())]
    book: Option<PathBuf>,
    /// Use no book: search every position
    #[arg(long, conflicts_with = "book")]
    no_book: bool,
    /// Check only this game: its number in each file, counted from 1, or in the database
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    game: Option<u64>,
    /// Games that go through the last position of a line of this file begin there, such as a list of XOT's starts
    #[arg(long, value_name = "FILE")]
    starts: Option<PathBuf>,
    /// Level of the searches
    #[arg(long, value_name = "LEVEL", default_value = "10", value_parser = levels(60), hide_possible_values = true)]
    level: u8,
    /// Search to the end of the game with this many empty squares or fewer
    #[arg(long, value_name = "EMPTIES", default_value_t = 16, value_parser = clap::value_parser!(u8).range(0..=60))]
    exact: u8,
    #[command(flatten)]
    engine: EngineArgs,
    /// Draw a graph of the worth from move to move; for one game only
    #[arg(long, value_name = "FILE.svg|FILE.png")]
    plot: Option<PathBuf>,
    /// Write a page with the course of each game, its worst moves on boards, and all losses
    #[arg(long, value_name = "FILE.html")]
    html: Option<PathBuf>,
    /// Write the games as GGF or SGF, with the worth after each move and remarks on losses
    #[arg(short, long, value_name = "FILE.ggf|FILE.sgf")]
    output: Option<PathBuf>,
    /// Replace an existing file of the same kind
    #[arg(long)]
    force: bool,
    /// Write JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Filter<Othello>,
}

impl Arguments {
    /// Whether every position is searched.
    fn has_no_book(&self) -> bool {
        self.no_book || self.book.is_none() && cfg!(not(feature = "starter"))
    }
}

/// A step on the way through the games.
enum GameStep {
    Begin(Box<(Picked, Played)>),
    /// The question about the position with this index.
    Question(usize),
    End,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut games = pick(
        &arguments.games,
        &arguments.read_as,
        arguments.game,
        &arguments.which.condition(),
    )?;
    if let Some(starts) = &arguments.starts {
        begin_at(starts, &mut games)?;
    }
    let mut report = Report::new(arguments, games.len())?;
    let context = context::shown();
    let progress = context.progress();
    let book = match arguments.has_no_book() {
        true => None,
        false => {
            let book = or_starter(arguments.book.as_deref())?;
            Some(into_store(Book::open(&book, &context::quiet())?, &context)?)
        }
    };
    let engine = arguments.engine.choice()?;
    let stop = interrupt::stop();
    let lines = games.iter().map(|it| it.game.line());
    let positions = lines.map(|line| line.moves().len() as u64 + 1);
    progress.step("checking positions", Some(positions.sum()));
    let tasks = games.into_iter().flat_map(move |game| {
        let steps = Played::new(book.as_ref(), game.game.line().clone())
            .map(|played| steps((game, played), arguments));
        steps.unwrap_or_else(|error| vec![Err(error.into())])
    });
    let mut current: Option<Box<(Picked, Played)>> = None;
    let mut found = BTreeMap::new();
    let (mut failed, mut incomplete) = (None, false);
    let jobs = arguments.engine.jobs();
    let searched = in_order(&engine, jobs, &stop, tasks, |step, searched| {
        match step {
            GameStep::Begin(game) => {
                progress.note(&format!("game {} of {}", report.complete + 1, report.total));
                let known = game.1.positions() - game.1.questions().count();
                (0..known).for_each(|_| progress.advance_slowly());
                current = Some(game);
            }
            GameStep::Question(index) => {
                match searched.expect("a question is searched") {
                    Ok(searched) => {
                        let (mv, score, proven) = (searched.mv, searched.score, searched.proven);
                        found.insert(index, SearchedMove { mv, score, proven });
                    }
                    Err(why) => {
                        failed.get_or_insert(why);
                    }
                }
                progress.advance_slowly();
            }
            GameStep::End => {
                let (game, played) = *current.take().expect("a game begins before it ends");
                let judgement = match failed.take() {
                    None => Some(played.judge(&found)),
                    Some(why) => {
                        incomplete = true;
                        let problem = format!("a search failed: {}", on_no_answer(&why));
                        progress.aside(|| say(format_args!("obook: {}: {problem}", game.place)));
                        played.judge_begun(&found)
                    }
                };
                if let Some(judgement) = judgement {
                    report.add(CheckedGame::new(game, judgement), progress)?;
                }
                found.clear();
            }
        }
        Ok(())
    });
    if let Some(begun) = current {
        let (game, played) = *begun;
        if let Some(judgement) = played.judge_begun(&found) {
            report.add(CheckedGame::new(game, judgement), progress)?;
        }
    }
    drop(context);
    let reported = report.finish();
    searched.and(reported).and(Failure::told_if(incomplete))
}

/// Lets games begin at the starts of a list: nobody chose the moves before.
fn begin_at(starts: &PathBuf, games: &mut [Picked]) -> Result<(), Failure> {
    let lines = entries(std::slice::from_ref(starts), None);
    let starts = lines.map(|entry| {
        let entry = entry?;
        match entry.faults.is_empty() {
            true => Ok(entry.game.line().board().canonical()),
            false => Err(Failure::Other(faults(&entry))),
        }
    });
    let starts = starts.collect::<Result<BTreeSet<_>, Failure>>()?;
    for Picked { game, .. } in games {
        let mut positions = game.line().positions().collect::<Vec<_>>().into_iter();
        let start = positions.rposition(|(board, _)| starts.contains(&board.canonical()));
        *game = game.begun_after(start.unwrap_or(0));
    }
    Ok(())
}

/// Returns the steps for a game.
fn steps(game: (Picked, Played), arguments: &Arguments) -> Vec<Result<Task<GameStep>, Failure>> {
    let questions = game.1.questions().map(|(index, board)| {
        let level = match board.empties() <= arguments.exact.into() {
            true => TO_THE_END,
            false => arguments.level,
        };
        let request = Request::new(board, level).expect("finished games need no search");
        (GameStep::Question(index), Some(request))
    });
    let questions: Vec<_> = questions.collect();
    let begin = (GameStep::Begin(Box::new(game)), None);
    let steps = std::iter::once(begin).chain(questions);
    steps.chain([(GameStep::End, None)]).map(Ok).collect()
}

/// The report on the games, one after another, and the files that are written with it.
struct Report<'a> {
    arguments: &'a Arguments,
    /// The number of games to check.
    total: usize,
    /// The number of games in the report. The last may be incomplete.
    written: usize,
    complete: usize,
    players: Players,
    remarks: Option<Remarks>,
    /// The picture of the only game, and what it shows once the game is checked.
    picture: Option<(PictureFile, String)>,
    page: Option<Page>,
    /// Why the report can't be written any further, although the files can.
    unwritten: Option<Failure>,
}

impl Report<'_> {
    /// Creates the files. Called before the searches, so that they aren't made for nothing.
    fn new(arguments: &Arguments, total: usize) -> Result<Report<'_>, Failure> {
        let if_exists = if_exists(arguments.force);
        let outputs = [&arguments.plot, &arguments.html, &arguments.output];
        for output in outputs.into_iter().flatten() {
            let inputs = arguments.games.iter().chain(&arguments.book);
            for input in inputs.chain(&arguments.starts) {
                spare(input, output)?;
            }
        }
        let picture = arguments.plot.as_deref().map(|path| {
            let picture = PictureFile::create(path, if_exists)?;
            if total == 1 {
                return Ok((picture, String::new()));
            }
            let problem = format!(
                "a picture shows one game, but there are {total}: choose one with --game N, or write a page with --html"
            );
            Err(Failure::file(path, problem))
        });
        let page = arguments.html.as_deref();
        let page = page.map(|path| Page::create(path, if_exists, &method(arguments)));
        let remarks = arguments.output.as_deref();
        let remarks = remarks.map(|path| Remarks::create(path, if_exists));
        Ok(Report {
            arguments,
            total,
            written: 0,
            complete: 0,
            players: Players::default(),
            picture: picture.transpose()?,
            page: page.transpose()?,
            remarks: remarks.transpose()?,
            unwritten: None,
        })
    }

    fn add(&mut self, game: CheckedGame, progress: &Progress) -> Result<(), Failure> {
        self.players.add(&game);
        if let Some(remarks) = &mut self.remarks {
            remarks.add(&game)?;
        }
        if let Some((_, svg)) = &mut self.picture {
            *svg = game.course().to_svg();
        }
        if let Some(page) = &mut self.page {
            page.add(&game)?;
        }
        let mut written = Ok(());
        progress.aside(|| written = self.write(&game));
        self.written += 1;
        self.complete += usize::from(game.complete);
        self.keep_on(written)
    }

    /// If the report can't be written, the files still can.
    fn keep_on(&mut self, written: io::Result<()>) -> Result<(), Failure> {
        match written {
            Err(failed) if !self.has_files() => Err(failed.into()),
            Err(failed) => {
                self.unwritten.get_or_insert(failed.into());
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    fn has_files(&self) -> bool {
        self.remarks.is_some() || self.picture.is_some() || self.page.is_some()
    }

    /// Writes the report on a game, unless that failed before.
    fn write(&self, game: &CheckedGame) -> io::Result<()> {
        if self.unwritten.is_some() {
            return Ok(());
        }
        let out = &mut stdout();
        if self.arguments.json {
            out.write_all(if self.written == 0 { GAMES } else { b"," })?;
            serde_json::to_writer(&mut *out, game)?;
            // A reader of lines has the game now.
            writeln!(out)?;
        } else if self.total == 1 {
            words::describe_game(game, &mut ForPeople(&mut *out))?;
        } else {
            words::describe_briefly(game, &mut ForPeople(&mut *out))?;
        }
        out.flush()
    }

    /// Writes the end of the report, and gives the files their names.
    fn finish(mut self) -> Result<(), Failure> {
        let players = std::mem::take(&mut self.players).sorted();
        let written = match self.unwritten {
            Some(_) => Ok(()),
            None => self.write_end(&players),
        };
        self.keep_on(written)?;
        if self.complete < self.total {
            let total = count(self.total as u64, "game[|s]");
            say(format_args!("obook: {} of {total} checked", self.complete));
        }
        if self.written > 0 {
            if let Some((file, svg)) = self.picture {
                file.commit(svg)?;
            }
            if let Some(page) = self.page {
                let has_several = self.total > 1;
                page.commit(if has_several { &players } else { &[] })?;
            }
            if let Some(remarks) = self.remarks {
                remarks.commit()?;
            }
        }
        stands(self.unwritten.map_or(Ok(()), Err))
    }

    fn write_end(&self, players: &[checked::Player]) -> io::Result<()> {
        let out = &mut stdout();
        if self.arguments.json {
            if self.written == 0 {
                out.write_all(GAMES)?;
            }
            out.write_all(b"],\n\"players\": ")?;
            serde_json::to_writer(&mut *out, players)?;
            out.write_all(b"}\n")?;
        } else if self.total > 1 {
            words::describe_players(players, &mut ForPeople(&mut *out))?;
        }
        out.flush()
    }
}

/// Describes where the values come from.
fn method(arguments: &Arguments) -> String {
    let book = match &arguments.book {
        _ if arguments.has_no_book() => String::new(),
        Some(book) if !is_starter(book) => format!("{} and ", book.display()),
        _ => String::from("the starter book and "),
    };
    format!(
        "Values from {book}searches at level {}, to the end of the game from {} empty squares on.",
        arguments.level, arguments.exact
    )
}

/// How the games begin in JSON.
const GAMES: &[u8] = b"{\"games\": [\n";
