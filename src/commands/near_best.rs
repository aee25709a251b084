//! The common part of `obook frontier` and `obook worst`: an SQL query about lines near best play.

use crate::failure::Failure;
use crate::options::look::Look;
use crate::options::moves::line;
use crate::output::stdout;
use crate::progress;
use crate::sql::{Access, Param, Script, Session};
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct NearBest {
    /// An obook database or a book file
    book: PathBuf,
    /// Moves or a board to start from; all first moves are equivalent to f5
    #[arg(default_value = "f5")]
    moves: Vec<String>,
    /// Maximum loss of a line in discs, for both sides together
    #[arg(long, value_name = "DISCS", default_value_t = 2)]
    loss: u8,
    /// Maximum number of moves to show
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: u32,
    #[command(flatten)]
    look: Look,
}

/// Answers `sql` with the given `:root`, `:loss` and `:limit`.
pub(crate) fn answer(given: &NearBest, sql: &str) -> Result<(), Failure> {
    let root = line(&given.moves)?;
    let params = [
        Param::new("root", &root.to_string()),
        Param::new("loss", &given.loss.to_string()),
        Param::new("limit", &given.limit.to_string()),
    ];
    let progress = progress::on_terminal();
    let mut session = Session::open(&given.book, Access::of(false), &[], &progress)?;
    let manner = given.look.manner(params.into_iter().collect(), None);
    let script = Script {
        sql,
        file: None,
        lines_before: 0,
    };
    let out = &mut stdout();
    session.answer(script, &manner, out)?;
    out.flush()?;
    Ok(())
}
