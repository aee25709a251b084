//! `obook merge`: further books into a database.

use crate::failure::Failure;
use crate::output::account;
use crate::progress;
use crate::reports;
use crate::typed::this_command;
use obook_book::write::merge::{MergeOptions, merge};
use obook_learn::{AnswersTaken, is_answers, take_answers};
use std::path::{Path, PathBuf};

/// Take further books into a database: the better search wins
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook merge book.obook night.dat\n  \
    obook merge book.obook laptop.obook club.egbk3.zst\n  \
    obook merge book.obook night.dat --dry-run\n  \
    obook merge book.obook night.dat --force\n  \
    obook merge book.obook answers\n\n\
    The better search wins, position by position and leaf by leaf; of equal ones the newer. What a person entered \
    (level 70) stays. A book that is not fixed yet is fixed as a whole, any other where it changes. \
    A file that came in before is passed over, unless something was cut or edited since or --force is given. \
    Of a file that `obook work` has written for `obook tasks` those answers come in that something waits for.")]
pub(crate) struct Arguments {
    /// An obook database
    book: PathBuf,
    /// Databases and book files of any format, and files of answers
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
    let mut books = Vec::new();
    for file in from {
        // What is no file is told by the merge.
        match file.is_file() && is_answers(file)? {
            true => answers(arguments, file)?,
            false => books.push(file.clone()),
        }
    }
    if books.is_empty() {
        return Ok(());
    }
    let merged = merge(
        book,
        &books,
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

/// Takes in answers to searches that wait.
fn answers(arguments: &Arguments, file: &Path) -> Result<(), Failure> {
    let taken = take_answers(
        &arguments.book,
        file,
        arguments.dry_run,
        &this_command(),
        &progress::on_terminal(),
    )?;
    account(&taken, arguments.json, |taken, out| {
        let AnswersTaken {
            totals, unasked, ..
        } = taken;
        write!(out, "{} answers", totals.searches)?;
        if !arguments.dry_run {
            write!(out, ", {} positions more", totals.added)?;
        }
        writeln!(out)?;
        if totals.failed > 0 {
            writeln!(out, "{} searches without an answer", totals.failed)?;
        }
        if *unasked > 0 {
            writeln!(out, "{unasked} answers that nothing waits for")?;
        }
        if arguments.dry_run {
            writeln!(out, "nothing was written")?;
        }
        Ok(())
    })
}
