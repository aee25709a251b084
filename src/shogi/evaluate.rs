//! `obook shogi evaluate`.

use super::line;
use crate::failure::Failure;
use crate::output::answer;
use obook_shogi::effects::{Evaluation, count};
use obook_shogi::{Board, Square};
use serde::Serialize;
use std::io::Write;

/// Evaluate a position by effects: how many pieces attack each square
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi evaluate 7g7f 3c3d\n  \
    obook shogi evaluate 8k/6+R2/9/9/4g4/9/9/9/K8 b -\n\n\
    The formula and its constants are published; docs/shogi.md explains them. All parts are in centipawns from Black's point of view, \
    the score is for the side to move.")]
pub(crate) struct Arguments {
    /// Moves in USI from the start position. A position in SFEN may come before the moves or instead of them
    #[arg(required = true)]
    position: Vec<String>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Parts {
    sfen: String,
    score: i32,
    material: i32,
    on_board: i32,
    effects: i32,
    /// By rank from the top, each from file 9 to file 1.
    squares: Vec<Vec<SquarePart>>,
}

#[derive(Serialize)]
struct SquarePart {
    /// How many pieces of Black and of White attack it.
    attacks: [u8; 2],
    worth: i32,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let line = line(&arguments.position)?;
    let parts = Parts::of(line.board());
    answer(&parts, arguments.json, |parts, out| describe(parts, out))
}

impl Parts {
    fn of(board: &Board) -> Parts {
        let evaluation = Evaluation::new(board);
        let [black, white] = count(board);
        let part = |file, rank| {
            let at = Square::new(file, rank).map_or(0, Square::index);
            SquarePart {
                attacks: [black[at], white[at]],
                worth: evaluation.squares[at],
            }
        };
        let rank = |rank| (1..=9).rev().map(|file| part(file, rank)).collect();
        Parts {
            sfen: board.to_string(),
            score: evaluation.score(),
            material: evaluation.material,
            on_board: -evaluation.on_board,
            effects: evaluation.squares.iter().sum(),
            squares: (1..=9).map(rank).collect(),
        }
    }
}

fn describe(parts: &Parts, out: &mut dyn Write) -> Result<(), Failure> {
    let Parts {
        sfen,
        score,
        material,
        on_board,
        effects,
        squares,
    } = parts;
    writeln!(out, "{sfen}\nscore {score:+} for the side to move")?;
    writeln!(
        out,
        "  material {material:+}, of that on the board {on_board:+}, effects {effects:+}\n"
    )?;
    writeln!(
        out,
        "Effects of Black and White on each square, and what they are worth:"
    )?;
    writeln!(
        out,
        "{}",
        (1..=9)
            .rev()
            .map(|file| format!("{file:>6}"))
            .collect::<String>()
    )?;
    for (rank, squares) in ('a'..).zip(squares) {
        let attacks = |square: &SquarePart| match square.attacks {
            [0, 0] => String::from("     ·"),
            [black, white] => format!("   {black}:{white}"),
        };
        let worth = |square: &SquarePart| format!("{:>+6}", square.worth);
        writeln!(
            out,
            "{} {rank}",
            squares.iter().map(attacks).collect::<String>()
        )?;
        writeln!(out, "{}", squares.iter().map(worth).collect::<String>())?;
    }
    Ok(())
}
