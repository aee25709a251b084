//! `obook reduce`: a book cut to what moves with small losses reach.

use crate::prelude::*;
use clap::builder::TypedValueParser;
use obook::write::cut::{Cut, Losses};

/// Keep what moves with small losses reach, like Egaroucid's reduce
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook reduce book.obook --depth 30 --per-move 2 --per-line 4\n  \
    obook reduce book.obook f5d6 --depth 40 --per-move 1 --per-line 3 --dry-run\n  \
    obook reduce book.obook f5d6 --below 38 --per-move 1 --per-line 3 --dry-run\n\n\
    The loss of a move is how much better the position's best move is. Positions that can't be reached from MOVES stay as they \
    are.")]
#[command(group(clap::ArgGroup::new("end").required(true)))]
pub(crate) struct Arguments {
    #[command(flatten)]
    target: Target,
    /// Moves to the position from which to reduce; positions outside its lines stay
    #[arg(add = ArgValueCompleter::new(complete::openings))]
    moves: Vec<String>,
    /// Remove positions with more plies than this from the start
    #[arg(long, value_name = "PLIES", value_parser = plies(), group = "end")]
    depth: Option<u8>,
    /// Remove positions with more plies than this from the end of MOVES, as Egaroucid counts
    #[arg(long, value_name = "PLIES", value_parser = plies(), group = "end")]
    below: Option<u8>,
    /// Maximum loss of one move, in discs
    #[arg(long, value_name = "DISCS", value_parser = clap::value_parser!(u8).range(0..=128))]
    per_move: u8,
    /// Maximum loss of all moves of a line together, in discs
    #[arg(long, value_name = "DISCS")]
    per_line: u8,
}

/// The number of plies in a whole game.
const PLIES: u8 = 60;

fn plies() -> impl TypedValueParser<Value = u8> {
    clap::value_parser!(u8).range(0..=i64::from(PLIES))
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let from = line(&arguments.moves)?;
    let start = PLIES.saturating_sub(from.board().empties() as u8);
    let below = arguments.below.map(|below| start.saturating_add(below));
    let how = Cut::Reduce {
        depth: arguments.depth.or(below).unwrap_or(PLIES),
        from,
        losses: Losses {
            per_move: arguments.per_move,
            per_line: arguments.per_line,
        },
    };
    arguments.target.cut(&how)
}
