//! `obook prune`, `subtree`, `reduce` and `depth`.

use super::changed::{Target, write_changed};
use crate::output::{Failure, answer};
use crate::progress;
use crate::typed::this_command;
use clap::Args;
use obook_book::write::cut::{Counts, Cut, DroppedLinks, Losses, Report, cut};
use obook_othello::Line;
use std::io::Write;

/// Arguments of `prune`.
#[derive(Clone, Debug, Args)]
pub(crate) struct Prune {
    #[command(flatten)]
    target: Target,
    /// As the book's depth, which it becomes: nothing stays that is more plies from the start position
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(0..=60))]
    depth: Option<u8>,
    /// Remove only what no line from the start position reaches, however good its moves
    #[arg(long, conflicts_with = "depth")]
    unreachable: bool,
}

/// Arguments of `subtree`.
#[derive(Clone, Debug, Args)]
pub(crate) struct Subtree {
    #[command(flatten)]
    target: Target,
    /// Moves from the start position, such as f5d6c3; passes may be left out or written pa
    #[arg(required = true)]
    moves: Vec<String>,
    /// As the book's depth, which it becomes: nothing stays that is more plies from the start position
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(0..=60))]
    depth: Option<u8>,
}

/// Arguments of `reduce`.
#[derive(Clone, Debug, Args)]
pub(crate) struct Reduce {
    #[command(flatten)]
    target: Target,
    /// Moves from the start position to where reducing begins; what they do not lead to stays
    moves: Vec<String>,
    /// Plies from the start position beyond which nothing stays
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(0..=60))]
    depth: u8,
    /// The most that one move may lose against the best one, in discs
    #[arg(long, value_name = "DISCS", value_parser = clap::value_parser!(u8).range(0..=128))]
    per_move: u8,
    /// The most that all moves of a line may lose, in discs
    #[arg(long, value_name = "DISCS")]
    per_line: u8,
}

/// Arguments of `depth`.
#[derive(Clone, Debug, Args)]
pub(crate) struct Depth {
    #[command(flatten)]
    target: Target,
    /// Discs placed since the start position
    #[arg(value_parser = clap::value_parser!(u8).range(0..=60))]
    plies: u8,
}

fn line(moves: &[String]) -> Result<Line, Failure> {
    Ok(moves.concat().parse().map_err(obook_book::Error::Line)?)
}

pub(crate) fn prune(arguments: &Prune) -> Result<(), Failure> {
    let how = if arguments.unreachable {
        Cut::Reachable
    } else {
        Cut::Prune {
            depth: arguments.depth,
        }
    };
    run(&arguments.target, &how)
}

pub(crate) fn subtree(arguments: &Subtree) -> Result<(), Failure> {
    let how = Cut::Subtree {
        from: line(&arguments.moves)?,
        depth: arguments.depth,
    };
    run(&arguments.target, &how)
}

pub(crate) fn reduce(arguments: &Reduce) -> Result<(), Failure> {
    let how = Cut::Reduce {
        from: line(&arguments.moves)?,
        depth: arguments.depth,
        losses: Losses {
            per_move: arguments.per_move,
            per_line: arguments.per_line,
        },
    };
    run(&arguments.target, &how)
}

pub(crate) fn depth(arguments: &Depth) -> Result<(), Failure> {
    run(&arguments.target, &Cut::Depth(arguments.plies))
}

fn run(target: &Target, how: &Cut) -> Result<(), Failure> {
    let to = target.destination();
    let report = cut(
        target.book(),
        how,
        &to,
        &this_command(),
        &progress::on_terminal(),
    )?;
    answer(&report, target.json(), describe)
}

fn describe(report: &Report, out: &mut dyn Write) -> Result<(), Failure> {
    let Counts {
        kept,
        removed,
        links,
        depth,
    } = report.counts;
    let output = report.change.output.display();
    writeln!(out, "{output}: {kept} positions kept, {removed} removed")?;
    let DroppedLinks {
        links_dropped,
        leaves_gained,
        leaves_replaced,
    } = links;
    if links_dropped > 0 {
        writeln!(
            out,
            "links to them dropped: {links_dropped}, of which {} became leaves ({leaves_replaced} in place of a worse one)",
            leaves_gained + leaves_replaced,
        )?;
    }
    if let Some(depth) = depth {
        writeln!(out, "depth of the book: {depth}")?;
    }
    write_changed(out, &report.change)
}
