//! `obook hint`: the best moves of a position, by an engine and by the book.

use crate::options::engine::EngineArg;
use crate::options::values::{duration, positive};
use crate::prelude::*;
use crate::words::{bracketed, depth};
use crate::{engines, progress};
use obook::games::Condition;
use obook::read::view::{LinkOrLeaf, View, as_text};
use obook_engine::{Answer, Limits, Request, SearchError, Searcher, Stop};
use obook_othello::{Board, Line, Move};
use std::num::NonZeroUsize;
use std::thread;

/// Search a position's best moves, and compare them with the book
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook hint book.obook f5d6 --top 3\n  \
    obook hint book.dat f5d6c3 --level 16\n  \
    obook hint --no-book f5d6 --until 10s\n  \
    obook hint --no-book 00000008100000000000001008000000 --json\n  \
    obook hint book.obook f5 --engine 'edax -nboard -q -n 1 -book-usage off'\n\n\
    Scores are for the side to move. In the column book, [+2] is a move to another position of the book and <+2> a move out of it; \
    it is empty for what the book lacks.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    at: BookAndLine,
    /// Use no book
    #[arg(long)]
    no_book: bool,
    /// Number of moves to show
    #[arg(long, value_name = "N", default_value = "5", value_parser = positive)]
    top: NonZeroUsize,
    /// Level of the search [default: 10; with --until, one level after another]
    #[arg(long, value_name = "LEVEL", value_parser = levels(60), hide_possible_values = true)]
    level: Option<u8>,
    /// Search level after level for this long, for example 10s or 2m, and show the last finished level
    #[arg(long, value_name = "TIME", value_parser = duration)]
    until: Option<Duration>,
    #[command(flatten)]
    engine: EngineArg,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// The default level, which takes some tenths of a second.
const USUAL: u8 = 10;

/// A position's best moves.
#[derive(Serialize)]
struct Hint {
    #[serde(serialize_with = "as_text")]
    line: Line,
    board: String,
    engine: String,
    level: u8,
    moves: Vec<Hinted>,
}

#[derive(Serialize)]
struct Hinted {
    #[serde(rename = "move", serialize_with = "as_text")]
    mv: Move,
    score: i8,
    depth: u8,
    probability: Option<u8>,
    proven: bool,
    /// Whether the search was finished in time.
    complete: bool,
    nodes: Option<u64>,
    seconds: f64,
    variation: String,
    book: Option<InBook>,
}

/// A move's score in the book.
#[derive(Serialize)]
struct InBook {
    score: Option<i8>,
    kind: LinkOrLeaf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (view, line) = match arguments.no_book {
        true => (None, arguments.at.line()?),
        false => {
            let (book, line) = arguments.at.read()?;
            (known(&book, &line)?, line)
        }
    };
    let choice = arguments.engine.choice()?;
    let (level, answers) = match line.board().is_over() {
        true => (arguments.level.unwrap_or(USUAL), Vec::new()),
        false => search(arguments, &mut *engines::start(&choice)?, line.board())?,
    };
    let hinted = |answer| hinted(answer, view.as_ref());
    let hint = Hint {
        board: line.board().to_text_for(line.side()),
        engine: choice.name().to_owned(),
        level,
        moves: answers.into_iter().map(hinted).collect(),
        line,
    };
    answer(&hint, arguments.json, describe)
}

/// The position as the book shows it, if the book has it.
fn known(book: &Path, line: &Line) -> Result<Option<View>, Failure> {
    Ok(match Book::open(book, &context::quiet())? {
        Book::Database(store) => Some(View::beyond(&store, line.clone(), &Condition::default())?),
        file @ Book::File(_) => {
            let board = line.board().canonical();
            let position = file.find(&[board])?.remove(&board);
            position.map(|position| View::new(line.clone(), &position))
        }
    })
}

/// Searches the best moves; returns them with the level at which they were found.
fn search(
    arguments: &Arguments,
    searcher: &mut dyn Searcher,
    board: Board,
) -> Result<(u8, Vec<Answer>), Failure> {
    let top = arguments.top.get();
    let stop = Stop::default();
    if let Some(until) = arguments.until {
        let stop = stop.clone();
        // The thread ends with the process, if not before.
        thread::spawn(move || {
            thread::sleep(until);
            stop.set();
        });
    }
    let progress = progress::on_terminal();
    progress.step("searching", None);
    let mut at = |level: u8| {
        let mut request = Request::new(board, level).expect("the game is not over");
        let mirrored = board.moves().filter(|mv| board.conventional(*mv) != *mv);
        for mv in mirrored {
            request = request.without(mv).expect("the move that it mirrors stays");
        }
        searcher.hint(&request.within(Limits::until(&stop)), top)
    };
    if arguments.level.is_some() || arguments.until.is_none() {
        let level = arguments.level.unwrap_or(USUAL);
        return Ok((level, at(level)?));
    }
    let is_finished = |found: &[Answer]| found.iter().all(|answer| answer.complete);
    // Every engine has level 1.
    let (mut level, mut best) = (1, at(1)?);
    while level < 60 && is_finished(&best) && !best.iter().all(|answer| answer.proven) {
        progress.advance(1);
        let found = match at(level + 1) {
            Err(SearchError::Stopped) => break,
            found => found?,
        };
        if found.len() < best.len() || !is_finished(&found) {
            break;
        }
        (level, best) = (level + 1, found);
    }
    Ok((level, best))
}

fn hinted(answer: Answer, view: Option<&View>) -> Hinted {
    let in_book = |view: &View| {
        let found = view.moves().iter().find(|known| known.mv == answer.mv)?;
        Some(InBook {
            score: found.score,
            kind: found.kind,
        })
    };
    Hinted {
        mv: answer.mv,
        score: answer.score,
        depth: answer.depth,
        probability: answer.probability,
        proven: answer.proven,
        complete: answer.complete,
        nodes: answer.nodes,
        seconds: answer.time.as_secs_f64(),
        book: view.and_then(in_book),
        variation: answer.variation.iter().map(Move::to_string).collect(),
    }
}

fn describe(hint: &Hint, out: &mut dyn Write) -> io::Result<()> {
    if hint.moves.is_empty() {
        let score = hint.line.board().final_score();
        return writeln!(out, "the game is over: {score:+}");
    }
    writeln!(out, "{} at level {}", hint.engine, hint.level)?;
    writeln!(out, "move  score   depth   seconds  book   line")?;
    for hinted in &hint.moves {
        let end = if hinted.complete { "" } else { "…" };
        let depth = depth(hinted.depth, hinted.probability) + end;
        let book = match &hinted.book {
            None => String::new(),
            Some(InBook { score, kind }) => {
                let score = score.map_or_else(|| String::from("?"), |score| format!("{score:+}"));
                bracketed(score, *kind == LinkOrLeaf::Link)
            }
        };
        let (mv, score, seconds) = (hinted.mv.to_string(), hinted.score, hinted.seconds);
        let line = &hinted.variation;
        let row = format!("{mv:4}  {score:>+5}  {depth:>6}  {seconds:>8.3}  {book:5}  {line}");
        writeln!(out, "{}", row.trim_end())?;
    }
    Ok(())
}
