//! `obook frontier` and `obook worst`: SQL queries about lines near best play.

use crate::options::rows::Look;
use crate::prelude::*;
use crate::sql::{Access, Limit, Script, Session, named};
use obook::Lookup;

#[derive(Debug, clap::Args)]
struct NearBest {
    /// An obook database or a book file
    #[arg(value_parser = readable())]
    book: PathBuf,
    /// Moves or a board to start from
    #[arg(add = ArgValueCompleter::new(complete::openings))]
    moves: Vec<String>,
    /// Maximum loss of a line to a leaf, or to the position of a costly move, in discs, for both sides together
    #[arg(long, value_name = "DISCS", default_value_t = 2)]
    loss: u8,
    /// Maximum number of moves to show
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: u32,
    #[command(flatten)]
    look: Look,
}

/// Answers `sql` with the given `:root`, `:loss` and `:limit`.
fn answer(given: &NearBest, sql: &str) -> Result<(), Failure> {
    let root = line(&given.moves)?;
    let params = [
        named("root", &root.to_string()),
        named("loss", &given.loss.to_string()),
        named("limit", &given.limit.to_string()),
    ];
    let context = context::shown();
    let mut session = Session::open(&given.book, None, Access::of(false), &[], &context)?;
    if !session.has(root.board().canonical())? {
        Lookup::new(Book::open(&given.book, &context)?, &context)?.require(&root)?;
    }
    let manner = given.look.manner(None, params.into_iter().collect());
    let script = Script::of(sql);
    let out = &mut stdout();
    let (_, told) = session.answer(script, &manner, Limit::default(), out)?;
    told?;
    Ok(out.flush()?)
}

/// `obook frontier`: the leaves nearest to best play.
pub(crate) mod frontier {
    use super::{Failure, NearBest, answer};

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
}

/// `obook worst`: the most costly moves near best play.
pub(crate) mod worst {
    use super::{Failure, NearBest, answer};

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
}
