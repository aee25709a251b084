//! `obook history`: what was done to a book.

use super::undo::{no_history, open};
use crate::failure::Failure;
use crate::output::{answer, stands};
use comfy_table::{Cell, CellAlignment, Table, presets};
use obook_book::{Book, LogState, PastChange};
use serde_json::Value;
use std::path::PathBuf;

/// List the changes that were made to a book
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook history book.obook\n  \
    obook history book.obook --json\n  \
    obook history book.obook --keep 1        drop what only `obook undo` of older changes needs\n\n\
    What undo needs is kept for the last change, and for up to 100 changes while all of it takes up no more than \
    16 MB or a third of the file; what redo needs is kept for the last undo, and for others while there is room for it \
    too.")]
pub(crate) struct Arguments {
    /// An obook database
    book: PathBuf,
    /// Drop the logs of all but the last N changes, which can't be taken back then, and of all but the last N undos
    #[arg(long, value_name = "N")]
    keep: Option<u32>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let path = &arguments.book;
    let history = match arguments.keep {
        Some(changes) => {
            let mut store = open(path)?;
            store.keep_logs(changes)?;
            store.history()?
        }
        None => match Book::open(path)? {
            Book::Database(store) => store.history()?,
            Book::File(_) => return Err(no_history(path).into()),
        },
    };
    let told = answer(&history, arguments.json, |history, out| {
        match &history[..] {
            [] => writeln!(out, "No changes.")?,
            changes => writeln!(out, "{}", table(changes))?,
        }
        Ok(())
    });
    match arguments.keep {
        Some(_) => stands(told),
        None => told,
    }
}

fn table(history: &[PastChange]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_FULL_CONDENSED).set_header([
        "change",
        "time",
        "command",
        "counts",
        "undo",
        "log bytes",
    ]);
    for change in history {
        let right = |number: u64| Cell::new(number).set_alignment(CellAlignment::Right);
        table.add_row([
            right(change.id.unsigned_abs()),
            Cell::new(&change.time),
            Cell::new(&change.command),
            Cell::new(counts(&change.counts)),
            Cell::new(state(change)),
            right(change.log_bytes),
        ]);
    }
    table
}

/// Whether a change holds, and can be taken back.
fn state(change: &PastChange) -> &'static str {
    match (&change.undone, change.log) {
        (Some(_), LogState::Kept) => "undone, redo possible",
        (Some(_), _) => "undone",
        (None, LogState::Kept) => "possible",
        (None, LogState::Dropped) => "log dropped",
        (None, LogState::None) => "no",
    }
}

/// `positions 12, links 3`
fn counts(counts: &Value) -> String {
    let Value::Object(counts) = counts else {
        return counts.to_string();
    };
    let counts = counts.iter().map(|(name, count)| format!("{name} {count}"));
    counts.collect::<Vec<_>>().join(", ")
}
