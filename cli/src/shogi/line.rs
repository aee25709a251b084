//! `obook shogi line`.

use super::show::table;
use super::{PIECES, line, usual_pieces};
use crate::options::values::{choice, positive};
use crate::prelude::*;
use obook_shogi::Pieces;
use obook_shogi::database::export::open;
use obook_shogi::database::view::{BestLine, Ending};
use std::num::NonZeroUsize;

/// Play the book's best moves to its end, or until a position repeats
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi line book.obook\n  \
    obook shogi line book.obook 7g7f 3c3d --depth 10\n\n\
    After `obook fix`, each move makes progress: of several best moves, the side that wins takes one that really leads to the win. A \
    game ends only at the fourth time; the line ends at the first repetition.")]
pub(crate) struct Arguments {
    /// An obook database or a book file
    #[arg(add = Standard)]
    book: PathBuf,
    /// Moves in USI from the start position. A position in SFEN may come before the moves or instead of them
    moves: Vec<String>,
    /// Maximum number of moves
    #[arg(long, value_name = "N", value_parser = positive)]
    depth: Option<NonZeroUsize>,
    /// Moves in USI, or also in 棋譜 notation [default: kanji on a terminal with UTF-8, letters otherwise]
    #[arg(long, value_parser = choice(&PIECES))]
    pieces: Option<Pieces>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let start = line(&arguments.moves)?;
    let store = open(&arguments.book, &context::quiet())?;
    let longest = arguments.depth.map_or(usize::MAX, NonZeroUsize::get);
    let best = BestLine::new(&store, start, longest)?;
    let pieces = arguments.pieces.unwrap_or_else(usual_pieces);
    answer(&best, arguments.json, |best, out| {
        if !best.moves.is_empty() {
            writeln!(out, "{}", table(&best.moves, pieces))?;
        }
        ending(best.end).map_or(Ok(()), |end| writeln!(out, "{end}"))
    })
}

/// How a line ends, in words; `None` if it goes on.
pub(super) fn ending(end: Ending) -> Option<String> {
    Some(String::from(match end {
        Ending::OutOfBook => "the line leaves the book",
        Ending::NoMoves => "the book knows no move here",
        Ending::Mate => "mate",
        Ending::Repetition => "the position comes back: a draw by repetition",
        Ending::PerpetualCheck { loser } => {
            return Some(format!(
                "the position comes back: {loser} loses by perpetual check"
            ));
        }
        Ending::Longest => return None,
    }))
}
