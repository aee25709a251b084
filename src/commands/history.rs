//! `obook history`: what was done to a book.

use super::undo::open;
use crate::output::{Failure, answer};
use comfy_table::{Cell, CellAlignment, Table, presets};
use obook_book::{LogState, PastChange};
use serde_json::Value;
use std::path::Path;

pub(crate) fn run(path: &Path, keep: Option<u32>, json: bool) -> Result<(), Failure> {
    let history = match keep {
        Some(changes) => {
            let mut store = open(path)?;
            store.keep_logs(changes)?;
            store.history()?
        }
        None => match obook_book::Book::open(path)? {
            obook_book::Book::Database(store) => store.history()?,
            obook_book::Book::File(_) => Vec::new(),
        },
    };
    answer(&history, json, |history, out| {
        Ok(match &history[..] {
            [] => writeln!(out, "No changes.")?,
            changes => writeln!(out, "{}", table(changes))?,
        })
    })
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
