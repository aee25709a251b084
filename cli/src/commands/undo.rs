//! `obook undo`: the last change undone.

use crate::prelude::*;
use obook::{HistoryStep, Store};

/// Undo the last change
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook undo book.obook\n  \
    obook undo book.obook --json\n\n\
    The rows of every table become what they were before the last change. Run it again to undo the change before that one. Nothing \
    is changed if another program has changed the same rows since. The import that created the file can't be undone, nor can changes \
    whose log was dropped: see `obook history`. Tables that a change created stay, empty; full-text and R-tree tables and the \
    learner's records stay as they are. `obook redo` makes the change again.")]
pub(crate) struct Arguments {
    /// An obook database
    #[arg(value_parser = changeable())]
    book: PathBuf,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    run_on(arguments, open)
}

/// How a command opens the database that it is for: one of its game.
pub(crate) type Open = fn(&Path, &Context) -> Result<obook_store::Store, Failure>;

/// Undoes the last change of a database of any game.
pub(crate) fn run_on(arguments: &Arguments, open: Open) -> Result<(), Failure> {
    let context = context::shown();
    context.progress().step("undoing", None);
    let step = open(&arguments.book, &context)?.undo()?;
    drop(context);
    tell("undone", &step, arguments.json)
}

/// Reports that a change was undone or redone.
pub(crate) fn tell(done: &str, step: &HistoryStep, json: bool) -> Result<(), Failure> {
    account(step, json, |step, out| {
        let (id, command, time) = (step.id, &step.command, &step.time);
        let rows = count(step.rows, "row[|s]");
        writeln!(out, "{done}: change {id}, {command}, {time}: {rows}")?;
        let (schema, kept) = (&step.schema, &step.not_restored);
        let notes = [
            ("what was created stays, tables empty", &schema.created),
            ("not restored, because it was dropped", &schema.dropped),
            ("full-text and R-tree tables stay as they are", kept),
        ];
        for (note, names) in notes.iter().filter(|(_, names)| !names.is_empty()) {
            writeln!(out, "  {note}: {}", names.join(", "))?;
        }
        Ok(())
    })
}

/// Opens a database to change it.
pub(crate) fn open(path: &Path, context: &Context) -> Result<obook_store::Store, Failure> {
    match Book::open(path, context)? {
        Book::Database(_) => Ok(Store::open_for_writing(path, context)?.into()),
        Book::File(_) => Err(no_history(path)),
    }
}

/// The error for files without a history.
pub(crate) fn no_history(path: &Path) -> Failure {
    let problem =
        "a book file, which has no history; import it into a database with `obook import`";
    Failure::file(path, problem)
}
