//! `obook merge`: further books into a database.

use crate::failure::Failure;
use crate::output::account;
use crate::progress;
use crate::reports;
use crate::typed::this_command;
use obook_book::write::merge::{MergeOptions, merge};
use std::path::PathBuf;

/// Take further books into a database: the better search wins
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook merge book.obook night.dat\n  \
    obook merge book.obook laptop.obook club.egbk3.zst\n  \
    obook merge book.obook night.dat --dry-run\n  \
    obook merge book.obook night.dat --force\n\n\
    The better search wins, position by position and leaf by leaf; of equal ones the newer. What a person entered \
    (level 70) stays. A book that is not fixed yet is fixed as a whole, any other where it changes. \
    A file that came in before is passed over, unless something was cut or edited since or --force is given.")]
pub(crate) struct Arguments {
    /// An obook database
    book: PathBuf,
    /// Databases and book files of any format
    #[arg(required = true, value_name = "FROM")]
    from: Vec<PathBuf>,
    /// Take in also what came in before
    #[arg(long)]
    force: bool,
    /// Only say what would happen
    #[arg(long)]
    dry_run: bool,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments {
        book,
        from,
        force,
        dry_run,
        json,
    } = arguments;
    let options = MergeOptions {
        dry_run: *dry_run,
        forced: *force,
        ..MergeOptions::default()
    };
    let merged = merge(
        book,
        from,
        options,
        &this_command(),
        &progress::on_terminal(),
    )?;
    account(&merged, *json, |merged, out| {
        reports::merged::describe(merged, out)?;
        if *dry_run {
            writeln!(out, "nothing was written")?;
        }
        Ok(())
    })
}
