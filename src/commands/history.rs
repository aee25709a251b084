//! `obook history`: the changes that were made to a book.

use super::undo::{no_history, open};
use crate::context;
use crate::failure::Failure;
use crate::output::{answer, stands};
use comfy_table::{Cell, CellAlignment, Table, presets};
use obook_book::read::growth::{Growth, growth};
use obook_book::{Book, LogState, PastChange};
use serde_json::Value;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// List the changes that were made to a book
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook history book.obook\n  \
    obook history book.obook --json\n  \
    obook history book.obook --show 12       what change 12 did (draw it with `obook plot book.obook growth 12`)\n  \
    obook history book.obook --keep 1        drop the undo logs of older changes\n\n\
    The log that undo needs is always kept for the last change, and for up to 100 changes as long as the logs take no more than 16 MB \
    or a third of the file. The log that redo needs is kept for the last undo, and for others if there is room.")]
pub(crate) struct Arguments {
    /// An obook database
    book: PathBuf,
    /// Drop the logs of all but the last N changes and the last N undos; the others can't be undone or redone then
    #[arg(long, value_name = "N")]
    keep: Option<u32>,
    /// Show one change in detail: for `obook learn`, the result of each stage, and how the values of the root and of lines changed
    #[arg(long, value_name = "CHANGE", conflicts_with = "keep", value_parser = clap::value_parser!(i64).range(1..))]
    show: Option<i64>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let path = &arguments.book;
    if let Some(change) = arguments.show {
        return show(path, change, arguments.json);
    }
    let history = match arguments.keep {
        Some(changes) => {
            let mut store = open(path, &context::quiet())?;
            store.keep_logs(changes)?;
            store.history()?
        }
        None => match Book::open(path, &context::quiet())? {
            Book::Database(store) => store.history()?,
            Book::File(_) => return Err(no_history(path)),
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

/// Shows one change.
fn show(path: &Path, change: i64, json: bool) -> Result<(), Failure> {
    let Book::Database(store) = Book::open(path, &context::quiet())? else {
        return Err(no_history(path));
    };
    let growth = growth(&store, change)?.ok_or_else(|| {
        let problem = format!("there is no change {change}: `obook history` lists them");
        Failure::file(path, problem)
    })?;
    answer(&growth, json, |growth, out| Ok(describe(growth, out)?))
}

fn describe(growth: &Growth, out: &mut dyn Write) -> io::Result<()> {
    let change = &growth.change;
    writeln!(
        out,
        "change {}: {}, {}",
        change.id, change.command, change.time
    )?;
    writeln!(
        out,
        "undo: {}, {} log bytes",
        state(change),
        change.log_bytes
    )?;
    if growth.stages.is_empty() {
        return writeln!(out, "{}", counts(&change.counts));
    }
    for stage in &growth.stages {
        let time = humantime::format_duration(Duration::from_secs(stage.seconds as u64));
        writeln!(
            out,
            "stage {}: {}, {} searches, {} new positions, {} leaves, in {time}",
            stage.stage, stage.rule, stage.searches, stage.added, stage.leaves
        )?;
    }
    let number = |name: &str| change.counts[name].as_i64();
    match (number("root_before"), number("root")) {
        (Some(before), Some(after)) if before != after => {
            writeln!(out, "value of the root: {before:+} before, {after:+} after")?;
        }
        (_, Some(after)) => writeln!(out, "value of the root after it: {after:+}")?,
        (_, None) => {}
    }
    let lines = change.counts["lines"].as_array();
    for line in lines.into_iter().flatten() {
        let moves = line["line"].as_str().unwrap_or_default();
        let (before, after) = (line["before"].as_i64(), line["after"].as_i64());
        if let (Some(before), Some(after)) = (before, after) {
            writeln!(out, "  {moves} {before:+} -> {after:+}")?;
        }
    }
    Ok(())
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

/// Whether a change is undone, and whether it can be undone or redone.
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
