//! `obook merge`, and `import`, which makes a database of the first book and merges the others into it.

use crate::output::{Failure, answer};
use crate::progress;
use crate::typed::this_command;
use obook_book::write::import::Imported;
use obook_book::write::merge::{Counts, MergeOptions, Merged, Taken, merge};
use obook_book::{Book, IfExists};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// An obook database
    book: PathBuf,
    /// Databases and book files of any format
    #[arg(required = true, value_name = "FROM")]
    from: Vec<PathBuf>,
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
        dry_run,
        json,
    } = arguments;
    let options = MergeOptions {
        dry_run: *dry_run,
        ..MergeOptions::default()
    };
    let merged = merge(
        book,
        from,
        options,
        &this_command(),
        &progress::on_terminal(),
    )?;
    answer(&merged, *json, |merged, out| {
        describe(merged, out)?;
        if *dry_run {
            writeln!(out, "nothing was written")?;
        }
        Ok(())
    })
}

/// What an import did: it made a database, or merged into one, or both.
#[derive(Debug, Serialize)]
struct Import {
    #[serde(flatten)]
    imported: Option<Imported>,
    #[serde(skip_serializing_if = "Option::is_none")]
    merged: Option<Merged>,
}

/// Takes books into a database that may exist.
pub(crate) fn import(
    files: &[PathBuf],
    book: &Path,
    if_exists: IfExists,
    json: bool,
) -> Result<(), Failure> {
    let progress = &progress::on_terminal();
    let grows = if_exists == IfExists::Refuse && matches!(Book::open(book), Ok(Book::Database(_)));
    let (imported, rest) = match files {
        [first, rest @ ..] if !grows => {
            let imported = obook_book::write::import::import(
                first,
                book,
                if_exists,
                &this_command(),
                progress,
            )?;
            (Some(imported), rest)
        }
        all => (None, all),
    };
    let merged = match rest {
        [] => None,
        rest => Some(merge(
            book,
            rest,
            MergeOptions::default(),
            &this_command(),
            progress,
        )?),
    };
    let import = Import { imported, merged };
    answer(&import, json, |import, out| {
        if let Some(imported) = &import.imported {
            super::transfer::show_imported(out, imported)?;
        }
        if let Some(merged) = &import.merged {
            describe(merged, out)?;
        }
        Ok(())
    })
}

fn describe(merged: &Merged, out: &mut dyn Write) -> Result<(), Failure> {
    for taken in &merged.sources {
        describe_taken(taken, out)?;
    }
    let Merged {
        links,
        leaves_lost,
        todo,
        ..
    } = merged;
    if merged.sources.iter().any(|taken| !taken.known) {
        writeln!(
            out,
            "links: {links} added; leaves whose move became a link: {leaves_lost}"
        )?;
    }
    if *todo > 0 {
        writeln!(
            out,
            "{todo} positions wait for a search of their leaf: see table todo"
        )?;
    }
    Ok(())
}

fn describe_taken(taken: &Taken, out: &mut dyn Write) -> Result<(), Failure> {
    let name = &taken.source.name;
    if taken.known {
        writeln!(out, "{name}: in the book already")?;
        return Ok(());
    }
    let Counts {
        added,
        raised,
        newer,
        kept,
        conflicts,
    } = taken.counts;
    writeln!(
        out,
        "{name}: {added} positions added, {raised} raised to a better search, {newer} newer of the same level, {kept} kept as they were"
    )?;
    if conflicts > 0 {
        writeln!(
            out,
            "{conflicts} values that persons entered differ: the newer ones hold"
        )?;
    }
    Ok(())
}
