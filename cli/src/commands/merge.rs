//! `obook merge`: more books into a database.

use crate::options::destination::check_exists;
use crate::prelude::*;
use crate::reports;
use obook::write::merge::{MergeOptions, Merged, merge};
use obook_learn::{AnswersTaken, is_answers, is_tasks, take_answers};

/// Merge books into a database: the better search wins
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook merge book.obook night.dat\n  \
    obook merge book.obook laptop.obook club.egbk3.zst\n  \
    obook merge book.obook night.dat --dry-run\n  \
    obook merge book.obook night.dat --force\n  \
    obook merge book.obook answers\n\n\
    The better search wins, position by position and leaf by leaf; the order of the books makes no difference. Values entered by hand \
    (level 70) stay; if both books have one, the larger wins. \
    A book that isn't fixed yet is fixed as a whole, any other only where it changes. A file that was merged before is skipped, \
    unless something was cut or edited since then, or --force is given. From a file that `obook work` wrote for `obook tasks`, the \
    answers still needed are added.")]
pub(crate) struct Arguments {
    /// An obook database
    #[arg(value_parser = changeable())]
    book: PathBuf,
    /// Databases, book files in any format, and files of answers
    #[arg(required = true, value_name = "FROM", value_parser = readable())]
    from: Vec<PathBuf>,
    /// Merge files again that were merged before
    #[arg(long)]
    force: bool,
    /// Say what would change, but write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    memory: Memory,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// The effects of all that was merged.
#[derive(Default, serde::Serialize)]
struct Report {
    /// The effects of each file of answers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    answers: Vec<AnswersTaken>,
    /// The effects of the books, if there are any.
    #[serde(flatten)]
    merged: Option<Merged>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut report = Report::default();
    let done = take_in(arguments, &mut report);
    // Answers that were taken in before a failure stay.
    if done.is_ok() || !report.answers.is_empty() {
        account(&report, arguments.json, |report, out| {
            for taken in &report.answers {
                describe_answers(taken, arguments.dry_run, out)?;
            }
            if let Some(merged) = &report.merged {
                reports::merged(merged, out)?;
            }
            if arguments.dry_run {
                writeln!(out, "Nothing was written: --dry-run")?;
            }
            Ok(())
        })?;
    }
    done
}

/// Takes in the answers, then the books.
fn take_in(arguments: &Arguments, report: &mut Report) -> Result<(), Failure> {
    let (mut answers, mut books) = (Vec::new(), Vec::new());
    for file in &arguments.from {
        match holds_answers(file)? {
            true => answers.push(file),
            false => books.push(file.clone()),
        }
    }
    check_exists(&arguments.book, &["import"], &books)?;
    let context = arguments.memory.context();
    let mut store = match arguments.dry_run {
        true => Book::open(&arguments.book, &context)?.into_database()?,
        false => Book::open_for_writing(&arguments.book, &context)?,
    };
    for file in answers {
        let taken = take_answers(&mut store, file, arguments.dry_run)?;
        report.answers.push(taken);
    }
    if !books.is_empty() {
        let options = MergeOptions {
            dry_run: arguments.dry_run,
            forced: arguments.force,
            ..MergeOptions::default()
        };
        report.merged = Some(merge(&mut store, &books, options)?);
    }
    Ok(())
}

/// Whether a file holds answers, and not a book.
fn holds_answers(file: &Path) -> Result<bool, Failure> {
    // The merge reports what is not a file.
    if !file.is_file() {
        return Ok(false);
    }
    if file.metadata().is_ok_and(|it| it.len() == 0) {
        let problem = "an empty file; expected a book or answers";
        return Err(Failure::file(file, problem));
    }
    if is_tasks(file) {
        let problem = "searches, not their answers; `obook work FILE > answers.txt` finds these";
        return Err(Failure::file(file, problem));
    }
    Ok(is_answers(file)?)
}

fn describe_answers(taken: &AnswersTaken, dry_run: bool, out: &mut dyn Write) -> io::Result<()> {
    let totals = &taken.totals;
    write!(out, "{}", count(totals.searches, "answer[|s]"))?;
    if !dry_run {
        let added = count(totals.added, "new position[|s]");
        write!(out, ", {added}")?;
    }
    writeln!(out)?;
    if_any(totals.failed, "search[|es] failed", out)?;
    let skipped = "answer[|s] skipped: nothing waits for [it|them]";
    if_any(taken.unasked, skipped, out)
}
