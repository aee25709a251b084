//! `obook salvage`: the readable part of a damaged database.

use crate::prelude::*;
use crate::words::size;
use obook::write::salvage::{Damaged, Salvaged, salvage};
use obook::{Error, NewBook};

/// Recover what can be read of a damaged database into a new one
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook salvage book.obook rescued.obook\n  \
    obook verify rescued.obook\n  \
    obook fix rescued.obook\n\n\
    If you have a snapshot, restore that instead: it holds more. The damaged database and its -wal file stay as they are. Positions, \
    links and leaves are copied as found, games with new numbers; what can't be trusted is left out and counted. Verify before you \
    fix, because fixing can hide damage. History, sources, grades of accuracy and tables made by other programs are lost, and so is \
    table todo: fix again lists the positions that need a search for their leaf, but not the level that the search must reach.")]
pub(crate) struct Arguments {
    /// A damaged obook database
    damaged: PathBuf,
    /// The database to create
    #[arg(value_name = "NEW", value_parser = changeable())]
    new: PathBuf,
    #[command(flatten)]
    force: Force,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// A book file, which has no pages to recover.
const BOOK_FILE: &str = "a book file, where a damaged database is expected; `obook import` names damaged positions, and \
    `obook verify --fix-what-is-safe` leaves them out";

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let damaged = Damaged::open(&arguments.damaged).map_err(|error| match error {
        Error::NotADatabase { path } => Failure::file(&path, BOOK_FILE),
        other => other.into(),
    })?;
    let if_exists = arguments.force.if_exists();
    let new = NewBook::create(&arguments.new, if_exists, &context::shown())?;
    let salvaged = salvage(damaged, new)?;
    account(&salvaged, arguments.json, describe)
}

fn describe(salvaged: &Salvaged, out: &mut dyn Write) -> io::Result<()> {
    let output = &salvaged.output;
    let size = size(salvaged.positions, salvaged.links, salvaged.leaves);
    writeln!(out, "{}: {size}", output.display())?;
    if_any(salvaged.games, "  # game[|s]", out)?;
    let unreadable = "  # page[|s] of the tables can't be read";
    if_any(salvaged.unreadable_pages, unreadable, out)?;
    let damaged = "  # page[|s] in the -wal file from the first damaged one on";
    if_any(salvaged.damaged_log_pages, damaged, out)?;
    let doubtful = "  # row[|s] skipped: [it makes|they make] no sense";
    if_any(salvaged.doubtful, doubtful, out)?;
    let orphans =
        "  # row[|s] skipped: [its|their] position, or the one [it leads|they lead] to, is lost";
    if_any(salvaged.orphans, orphans, out)?;
    let unplaced =
        "  # row[|s] skipped: no table leads to [it|them], so [it|they] may have been deleted";
    if_any(salvaged.unplaced, unplaced, out)?;
    let astray = "  # row[|s] recovered from pages that no table leads to";
    if_any(salvaged.astray, astray, out)?;
    if salvaged.cut {
        writeln!(out, "  the file ends within a page, which was left out")?;
    }
    if salvaged.games_lost {
        writeln!(
            out,
            "  other games, if any, are lost: their table can't be found"
        )?;
    }
    if salvaged.header_lost {
        writeln!(out, "  the book's header is lost: Edax's rules are assumed")?;
    }
    let next = |name: &str| command([Path::new(name), output.as_path()]);
    let (verify, fix) = (next("verify"), next("fix"));
    writeln!(
        out,
        "next: `{verify}` checks the result; then `{fix}` recomputes links and numbers"
    )
}
