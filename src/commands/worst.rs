//! `obook worst`: the most costly moves near best play.

use crate::commands::near_best::{NearBest, answer};
use crate::failure::Failure;

/// Show the most costly moves near best play
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook worst book.obook\n  \
    obook worst book.dat f5d6 --loss 0 --limit 5\n  \
    obook worst book.obook --json\n\n\
    Positions count if both sides together give up at most --loss discs on the line to them; the most costly move comes first. The \
    same in SQL: SELECT * FROM worst('f5d6', 2).")]
pub(crate) struct Arguments {
    #[command(flatten)]
    near_best: NearBest,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let sql = "SELECT ply, line, square, kind, score, cost, loss, level
               FROM worst(:root, :loss) LIMIT :limit";
    answer(&arguments.near_best, sql)
}
