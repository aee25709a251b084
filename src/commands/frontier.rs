//! `obook frontier`: the leaves nearest to best play.

use crate::commands::near_best::{NearBest, answer};
use crate::failure::Failure;

/// Show where the book should grow first: the leaves nearest to best play
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook frontier book.obook\n  \
    obook frontier book.dat f5d6 --loss 0 --limit 5\n  \
    obook frontier book.obook --json\n\n\
    A leaf is the best searched move that leads out of the book. A leaf is shown if both sides together give up at most --loss discs on \
    the line to it; the smallest loss comes first. The same in SQL: SELECT * FROM frontier('f5d6', 2).")]
pub(crate) struct Arguments {
    #[command(flatten)]
    near_best: NearBest,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let sql = "SELECT ply, line, square, score, loss, level
               FROM frontier(:root, :loss) LIMIT :limit";
    answer(&arguments.near_best, sql)
}
