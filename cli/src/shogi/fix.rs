//! `obook shogi fix`.

use crate::context;
use crate::failure::Failure;
use crate::output::account;
use crate::words::count;
use obook_shogi::database::fix::fix;
use std::path::PathBuf;

/// Find all moves between positions, and compute every position's own score
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi fix book.obook\n\n\
    An own score depends on no path: repetition is a draw, perpetual check loses (docs/shogi.md). What files list for a move that \
    leads to a position of the book counts no more, but stays in table leaves.")]
pub(crate) struct Arguments {
    /// An obook database
    book: PathBuf,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut store = super::open_for_writing(&arguments.book, &context::shown())?;
    let fixed = fix(&mut store)?;
    account(&fixed, arguments.json, |fixed, out| {
        let positions = count(fixed.positions, "position", "positions");
        let links = count(fixed.links, "link", "links");
        let leaves = count(fixed.leaves, "leaf", "leaves");
        writeln!(
            out,
            "{positions}, {links}, {leaves}; {} changed",
            fixed.changed
        )?;
        if fixed.endless > 0 {
            let endless = count(fixed.endless, "position", "positions");
            writeln!(out, "  {endless} with a best line that never ends")?;
        }
        if fixed.unknown > 0 {
            let unknown = count(fixed.unknown, "position", "positions");
            writeln!(out, "  {unknown} without moves: no value")?;
        }
        if fixed.only_counts {
            let reason =
                "its moves have counts and no scores: `obook export` writes them as listed";
            writeln!(out, "  {reason}")?;
        }
        Ok(())
    })
}
