//! `obook play`: moves by a rule of choice, such as those of the engines.

use crate::advice::on_end;
use crate::engines;
use crate::options::engine::EngineArg;
use crate::options::values::positive;
use crate::prelude::*;
use obook::Lookup;
use obook::read::line::LineEnd;
use obook::read::view::as_text;
use obook_engine::Request;
use obook_othello::{Line, Move, MoveRule};
use std::num::NonZeroUsize;

/// Choose the next moves as an engine with this book would
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook play book.obook f5d6                            the best move\n  \
    obook play book.obook f5d6 --rule loss:2 --seed 7     any move that loses at most 2 discs\n  \
    obook play book.dat --rule edax:1 --moves 12          an opening, as Edax with book-randomness 1\n  \
    obook play book.egbk3 --rule egaroucid:3 --moves 12   as Egaroucid with book accuracy level 3\n  \
    obook play book.obook f5d6 --moves 60 --level 8       the book, then the engine, to the end of the game\n\n\
    Rules: best; loss:N, any move at most N discs worse than the best, with equal chances; edax:N, the same compared with the \
    value of the position; egaroucid:N, the better the likelier, from 0 (only the best) to 10 (any move to a position of the \
    book that loses at most 20 discs). The column chance is the chance that the rule chooses the move. [f5] leads to a position \
    of the book, <f6> out of it; the engine found moves without brackets.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    at: BookAndLine,
    /// Rule of choice: best, loss:N, edax:N or egaroucid:N
    #[arg(long, value_name = "RULE", default_value = "best")]
    rule: MoveRule,
    /// Seed for the choice: the same seed gives the same moves [default: another one each time]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Number of moves, made for both sides; passes count
    #[arg(long = "moves", value_name = "N", default_value = "1", value_parser = positive)]
    count: NonZeroUsize,
    /// Where the book has no move, search at this level [default: stop there]
    #[arg(long, value_name = "LEVEL", value_parser = levels(60), hide_possible_values = true)]
    level: Option<u8>,
    #[command(flatten)]
    engine: EngineArg,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// A line that was played on.
#[derive(Serialize)]
struct PlayedOn {
    #[serde(serialize_with = "as_text")]
    line: Line,
    #[serde(serialize_with = "as_text")]
    rule: MoveRule,
    seed: u64,
    moves: Vec<Chosen>,
    end: LineEnd,
}

/// A chosen move.
#[derive(Serialize)]
struct Chosen {
    /// Discs placed since the start position, including this move.
    ply: usize,
    #[serde(rename = "move", serialize_with = "as_text")]
    mv: Move,
    score: i8,
    by: By,
    /// The chance that the rule chooses it; `None` if the engine found it.
    chance: Option<f64>,
}

/// The source of a move.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
enum By {
    Link,
    Leaf,
    Engine,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (book, mut line) = arguments.at.read()?;
    let book = Book::open(&book, &context::quiet())?;
    let lookup = Lookup::new(book, &context::shown())?;
    let mut engine = match arguments.level {
        Some(level) => Some((engines::start(&arguments.engine.choice()?)?, level)),
        None => None,
    };
    // A number that readers of JSON keep exactly.
    let seed = arguments.seed.unwrap_or_else(|| fastrand::u64(..1 << 53));
    let mut moves = Vec::new();
    let end = loop {
        let board = line.board();
        if board.is_over() {
            break LineEnd::GameOver;
        }
        if moves.len() == arguments.count.get() {
            break LineEnd::Depth;
        }
        let in_book = lookup.position(board.canonical())?;
        let chosen = in_book.and_then(|it| arguments.rule.choose(&it, board, seed));
        let (mv, score, by, chance) = match (chosen, &mut engine) {
            (Some(it), _) => {
                let by = if it.is_leaf { By::Leaf } else { By::Link };
                (it.mv, it.score, by, Some(it.chance))
            }
            (None, Some((engine, level))) => {
                let request = Request::new(board, *level).expect("the game is not over");
                let answer = engine.search(&request)?;
                (answer.mv, answer.score, By::Engine, None)
            }
            (None, None) => break LineEnd::NoMove,
        };
        line.push(mv).expect("the move is legal");
        moves.push(Chosen {
            ply: line.ply(),
            mv,
            score,
            by,
            chance,
        });
    };
    let played = PlayedOn {
        line,
        rule: arguments.rule,
        seed,
        moves,
        end,
    };
    answer(&played, arguments.json, describe)
}

fn describe(played: &PlayedOn, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", played.line)?;
    if !played.moves.is_empty() {
        writeln!(out, "\nply  move  score  chance")?;
    }
    for chosen in &played.moves {
        let (ply, mv, score) = (chosen.ply, chosen.mv, chosen.score);
        let name = match chosen.by {
            By::Link => format!("[{mv}]"),
            By::Leaf => format!("<{mv}>"),
            By::Engine => format!(" {mv}"),
        };
        let chance =
            (chosen.chance).map_or_else(String::new, |chance| format!("{:.0} %", chance * 100.0));
        let row = format!("{ply:>3}  {name:4}  {score:>+5}  {chance:>6}");
        writeln!(out, "{}", row.trim_end())?;
    }
    match (played.end, on_end(played.end)) {
        (LineEnd::Depth, _) => Ok(()),
        (LineEnd::NoMove, _) => writeln!(out, "\n{}: add --level to search there", played.end),
        (end, Some(advice)) => writeln!(out, "\n{end}; {advice}"),
        (end, None) => writeln!(out, "\n{end}"),
    }
}
