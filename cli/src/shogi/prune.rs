//! `obook shogi prune`.

use super::line;
use crate::prelude::*;
use obook_shogi::database::prune::{Cut, prune};

/// Keep what good play by one side reaches
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi prune book.obook\n  \
    obook shogi prune book.obook 7g7f --depth 24 --dry-run\n  \
    obook shogi prune book.obook --unreachable\n\n\
    A position stays if one side can reach it with any moves while the other side plays only best moves, and if it is no deeper than \
    --depth. The book is fixed first. A move to a removed position stays, with the score that it has then, so own scores don't change; \
    but a draw that is cut off is 0 from then on, whatever draws are worth.")]
pub(crate) struct Arguments {
    /// An obook database
    book: PathBuf,
    /// Moves in USI from the start position, to start from there. A position in SFEN may come before the moves or instead of them
    #[arg(default_value = "", hide_default_value = true)]
    moves: Vec<String>,
    /// Remove positions with more plies from there
    #[arg(long, value_name = "PLIES")]
    depth: Option<u32>,
    /// Remove only what no line reaches from there
    #[arg(long, conflicts_with = "depth")]
    unreachable: bool,
    /// Say what would change, but write nothing
    #[arg(long)]
    dry_run: bool,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let root = line(&arguments.moves)?;
    let mut store = super::open_for_writing(&arguments.book, &context::shown())?;
    let cut = match arguments.unreachable {
        true => Cut::Reachable,
        false => Cut::Prune {
            depth: arguments.depth,
        },
    };
    let pruned = prune(&mut store, root.board(), cut, arguments.dry_run)?;
    account(&pruned, arguments.json, |pruned, out| {
        let (book, kept, removed) = (arguments.book.display(), pruned.kept, pruned.removed);
        let kept = count(kept, "position[|s]");
        writeln!(out, "{book}: {kept} kept, {removed} removed")?;
        let became = "move[|s] to them became [a leaf|leaves]";
        if_any(pruned.links_dropped, became, out)?;
        if arguments.dry_run {
            writeln!(out, "Nothing was written: --dry-run")?;
        }
        Ok(())
    })
}
