//! `obook shogi fix`.

use super::draws_in_words;
use crate::prelude::*;
use crate::words::size;
use obook_shogi::database::fix::fix_with_draws;
use obook_shogi::{Draws, MATE};
use std::num::NonZeroU16;

/// Find all moves between positions, and compute every position's own score
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi fix book.obook\n  \
    obook shogi fix book.obook --draw-black -30 --draw-white -80    with contempt\n  \
    obook shogi fix book.obook --max-moves 320\n\n\
    An own score depends on no path: repetition is a draw, perpetual check loses (docs/shogi.md). Listed scores of moves to \
    positions of the book no longer count, but stay in table leaves.\n\n\
    What draws are worth, and the limit of moves, stay with the book until they are changed. They mean the same as YaneuraOu's \
    DrawValueBlack, DrawValueWhite and MaxMovesToDraw: Black's moves are for an engine that plays Black, White's for one that plays \
    White. `obook export` and `obook show` have scores by them; table positions keeps own scores, for which a draw is worth 0.")]
pub(crate) struct Arguments {
    /// An obook database
    book: PathBuf,
    /// Worth of a draw to Black, in centipawns, for Black's moves [default: as before, 0 in a new book]
    #[arg(long, value_name = "SCORE", allow_negative_numbers = true, value_parser = worth())]
    draw_black: Option<i32>,
    /// Worth of a draw to White, for White's moves
    #[arg(long, value_name = "SCORE", allow_negative_numbers = true, value_parser = worth())]
    draw_white: Option<i32>,
    /// Number of moves after which a game is a draw; 0, or YaneuraOu's 100000: no limit
    #[arg(long, value_name = "N", value_parser = max_moves)]
    max_moves: Option<u16>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

fn worth() -> clap::builder::RangedI64ValueParser<i32> {
    clap::value_parser!(i32).range(i64::from(-MATE)..=i64::from(MATE))
}

/// Reads a number of moves; 0 is no limit.
fn max_moves(text: &str) -> Result<u16, String> {
    let is_unlimited = text.parse() == Ok(100_000);
    let most = if is_unlimited { Ok(0) } else { text.parse() };
    most.map_err(|_| format!("expected at most {}, or 100000", u16::MAX))
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut store = super::open_for_writing(&arguments.book, &context::shown())?;
    let (fixed, draws) = fix_with_draws(&mut store, |before| Draws {
        black: arguments.draw_black.unwrap_or(before.black),
        white: arguments.draw_white.unwrap_or(before.white),
        max_moves: (arguments.max_moves).map_or(before.max_moves, NonZeroU16::new),
    })?;
    account(&fixed, arguments.json, |fixed, out| {
        let size = size(fixed.positions, fixed.links, fixed.leaves);
        writeln!(out, "{size}; {} changed", fixed.changed)?;
        let endless = "  # position[|s] with a best line that never ends";
        if_any(fixed.endless, endless, out)?;
        let unknown = "  # position[|s] without moves: no value";
        if_any(fixed.unknown, unknown, out)?;
        if let Some(words) = draws_in_words(draws) {
            let positions = count(fixed.by_draws, "position[|s]");
            writeln!(out, "  {words}: other scores in {positions}")?;
        }
        if fixed.only_counts {
            let reason =
                "its moves have counts and no scores: `obook export` writes them as listed";
            writeln!(out, "  {reason}")?;
        }
        Ok(())
    })
}
