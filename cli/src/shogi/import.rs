//! `obook shogi import`.

pub(crate) use crate::commands::import::Arguments;
use crate::commands::import::{beside, grows};
use crate::prelude::*;
use obook::{Context, spare};
use obook_shogi::database::Rule;
use obook_shogi::database::file::LeftOut;
use obook_shogi::database::import::{Imported, create, merge};

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let book = match &arguments.book {
        Some(book) => book.clone(),
        None => beside(&arguments.files[0], arguments.force)?,
    };
    let (files, context) = (&arguments.files, arguments.memory.context());
    let done = match grows(&book, arguments.force) {
        true => add(files, &book, Rule::Moves, &context)?,
        false => {
            files.iter().try_for_each(|file| spare(file, &book))?;
            create(files, &book, arguments.force.if_exists(), &context)?
        }
    };
    tell(&done, &book, arguments.json)
}

/// Merges files and databases into a database.
pub(super) fn add(
    files: &[PathBuf],
    book: &Path,
    rule: Rule,
    context: &Context,
) -> Result<Vec<Imported>, Failure> {
    files.iter().try_for_each(|file| spare(file, book))?;
    let mut store = super::open_for_writing(book, context)?;
    Ok(merge(files, &mut store, rule)?)
}

/// Reports what was imported or merged.
pub(super) fn tell(done: &[Imported], book: &Path, json: bool) -> Result<(), Failure> {
    for imported in done {
        say_faults(&imported.file, &imported.left_out);
    }
    account(&done, json, |done, out| {
        done.iter().try_for_each(|it| describe(it, out))?;
        let advice = match done.iter().any(|imported| imported.changed) {
            true => "; `obook fix` computes its scores",
            false => "",
        };
        writeln!(out, "database: {}{advice}", book.display())
    })
}

/// The most faults that are shown.
const SHOWN: usize = 10;

/// Names the records that can't be read.
pub(super) fn say_faults(file: &Path, left_out: &LeftOut) {
    let (file, faults) = (file.display(), &left_out.faults);
    for fault in faults.iter().take(SHOWN) {
        say(format_args!("obook: {file}: {fault}"));
    }
    if let more @ 1.. = faults.len().saturating_sub(SHOWN) {
        say(format_args!("obook: {file}: {more} more; --json lists all"));
    }
}

fn describe(imported: &Imported, out: &mut dyn Write) -> io::Result<()> {
    let Imported { file, format, .. } = imported;
    let positions = count(imported.positions, "position[|s]");
    let moves = count(imported.moves, "move[|s]");
    writeln!(
        out,
        "{} ({format}): {positions} ({} new), {moves} ({} new, {} replaced)",
        file.display(),
        imported.new_positions,
        imported.new_moves,
        imported.replaced_moves
    )?;
    let removed = "  # move[|s] of the book: removed";
    if_any(imported.removed_moves, removed, out)?;
    let merged = "  # further record[ of a position|s of positions]: merged";
    if_any(imported.merged_records, merged, out)?;
    describe_left_out(&imported.left_out, out)
}

/// Reports what was left out of a file.
pub(super) fn describe_left_out(left_out: &LeftOut, out: &mut dyn Write) -> io::Result<()> {
    let hashes = "position[ with a hash only, which isn't|s with hashes only, which aren't] found";
    let comments = "comment[|s] that belong[s|] to no position, or exceed[s|] the limit";
    for (number, words) in [
        (left_out.illegal_moves, "illegal move[|s]"),
        (left_out.not_found, hashes),
        (left_out.comments, comments),
        (left_out.evaluations, "evaluation[|s]"),
    ] {
        if_any(number, &format!("  # {words}: left out"), out)?;
    }
    // Each says what is kept: of a wrong number perhaps all but that.
    let faults = "  # fault[|s], named on standard error";
    if_any(left_out.faults.len() as u64, faults, out)
}
