//! `obook reduce`: what moves with small losses lead to.

use crate::failure::Failure;
use crate::options::moves::line;
use crate::options::target::Target;
use crate::reports;
use clap::builder::TypedValueParser;
use obook_book::write::cut::{Cut, Losses, cut};

/// Keep what moves with small losses lead to, as Egaroucid's reduce
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook reduce book.obook --depth 30 --per-move 2 --per-line 4\n  \
    obook reduce book.obook f5d6 --depth 40 --per-move 1 --per-line 3 --dry-run\n  \
    obook reduce book.obook f5d6 --below 38 --per-move 1 --per-line 3 --dry-run\n\n\
    A move loses what the best move of its position is worth more than it. What can't be reached from the position \
    stays as it is.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    target: Target,
    /// Moves from the start position to where reducing begins; what they do not lead to stays
    moves: Vec<String>,
    /// Plies from the start position beyond which nothing stays
    #[arg(long, value_name = "PLIES", value_parser = plies(), required_unless_present = "below")]
    depth: Option<u8>,
    /// Plies below the position after MOVES beyond which nothing stays, as Egaroucid counts them
    #[arg(long, value_name = "PLIES", value_parser = plies(), conflicts_with = "depth")]
    below: Option<u8>,
    /// The most that one move may lose against the best one, in discs
    #[arg(long, value_name = "DISCS", value_parser = clap::value_parser!(u8).range(0..=128))]
    per_move: u8,
    /// The most that all moves of a line may lose, in discs
    #[arg(long, value_name = "DISCS")]
    per_line: u8,
}

/// Squares that a game fills.
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
    arguments.target.rewrite(
        |book, to, command, progress| cut(book, &how, to, command, progress),
        reports::cut::describe,
    )
}
