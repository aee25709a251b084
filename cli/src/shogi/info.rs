//! `obook shogi info`.

use super::draws_in_words;
use crate::prelude::*;
use obook_shogi::database::export::open;
use obook_shogi::database::stats::Stats;

/// Show an overview of a book
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi info book.obook\n  \
    obook shogi info user_book1.db --json")]
pub(crate) struct Arguments {
    /// An obook database or a book file
    #[arg(add = Standard)]
    book: PathBuf,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let stats = Stats::of(&open(&arguments.book, &context::quiet())?)?;
    answer(&stats, arguments.json, |stats, out| {
        let (positions, links, leaves) = (stats.positions, stats.links, stats.leaves);
        let state = match stats.fixed {
            true => "fixed",
            false => "not fixed: `obook fix` computes its scores",
        };
        writeln!(out, "Book of shogi, {state}")?;
        writeln!(
            out,
            "Positions: {positions} (moves: {links} to positions of the book, {leaves} out of it)"
        )?;
        if stats.fixed {
            let (wins, draws, losses) = (stats.wins, stats.draws, stats.losses);
            let (unknown, endless) = (stats.unknown, stats.endless);
            writeln!(
                out,
                "Values: {wins} above 0, {draws} of 0, {losses} below 0, {unknown} not known"
            )?;
            writeln!(out, "Best lines that never end: {endless}")?;
            if let Some(words) = draws_in_words(stats.worth_of_draws) {
                writeln!(out, "For exports, {words}")?;
            }
        }
        for (source, format, positions) in &stats.sources {
            let positions = count(*positions, "position[|s]");
            writeln!(out, "Source: {source} ({format}), {positions}")?;
        }
        Ok(())
    })
}
