//! `obook shogi stats`.

use crate::prelude::*;
use obook_shogi::database::export::open;
use obook_shogi::database::stats::{Distribution, Range};
use obook_shogi::database::view::words;

/// Count positions by ply and by score
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi stats book.obook\n  \
    obook shogi stats user_book1.db --json\n\n\
    The ply is the smallest that files have for the position. A terminal node has no move to a position of the book. \
    `obook fix` finds these moves, and the scores.")]
pub(crate) struct Arguments {
    /// An obook database or a book file
    #[arg(add = Standard)]
    book: PathBuf,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let distribution = Distribution::of(&open(&arguments.book, &context::quiet())?)?;
    answer(&distribution, arguments.json, |distribution, out| {
        writeln!(out, "Ply distribution:")?;
        writeln!(
            out,
            "  ply    positions        links       leaves      terminal nodes"
        )?;
        for row in &distribution.plies {
            let ply = row.ply.map_or(String::from("?"), |ply| ply.to_string());
            writeln!(
                out,
                "{ply:>5} {:12} {:12} {:12} {:12}",
                row.positions, row.links, row.leaves, row.terminal
            )?;
        }
        writeln!(out, "\nBest score distribution:")?;
        writeln!(out, "           score    positions")?;
        for range in &distribution.values {
            writeln!(out, "{:>16} {:12}", name(range), range.positions)?;
        }
        if distribution.without > 0 {
            writeln!(out, "{:>16} {:12}", "none", distribution.without)?;
        }
        Ok(())
    })
}

fn name(range: &Range) -> String {
    let [from, to] = [range.from, range.to].map(|value| words(value, None));
    match from == to {
        true => from,
        false => format!("{from} to {to}"),
    }
}
