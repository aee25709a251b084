//! `obook shogi merge`.

use super::import::{add, tell};
use crate::options::destination::check_exists;
use crate::options::values::choice;
use crate::prelude::*;
use obook_shogi::database::Rule;

/// Merge books into a database: of two searches of a move, the deeper one wins
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi merge book.obook other.obook new.ybb\n  \
    obook shogi merge book.obook new.db --rule positions    as YaneuraOu's script merges\n\n\
    Of equally deep searches the newer one wins, which is that of the source. Nothing that only one book knows is lost, unless --rule \
    positions takes whole positions; games stay where they are. `obook fix` computes the scores afterwards.")]
pub(crate) struct Arguments {
    /// An obook database
    book: PathBuf,
    /// Databases and book files
    #[arg(required = true, value_name = "SOURCE", add = Standard)]
    sources: Vec<PathBuf>,
    /// Merge single moves; or, as YaneuraOu's script does, positions with all their moves
    #[arg(long, value_name = "RULE", value_parser = choice(&RULES), default_value = "moves")]
    rule: Rule,
    #[command(flatten)]
    memory: Memory,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

const RULES: [(&str, Rule, &str); 2] = [
    (
        "moves",
        Rule::Moves,
        "The deeper of two searches of a move; if equally deep, the source's",
    ),
    (
        "positions",
        Rule::Positions,
        "Of a position in both books all moves of the one that has any, whose first move is deeper, or that has more; or else BOOK",
    ),
];

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { book, sources, .. } = arguments;
    check_exists(book, &["shogi", "import"], sources)?;
    let merged = add(sources, book, arguments.rule, &arguments.memory.context())?;
    tell(&merged, book, arguments.json)
}
