//! `obook import`: a database of the first book, and the others merged into it.

use crate::failure::Failure;
use crate::options::force::Force;
use crate::output::answer;
use crate::progress;
use crate::reports;
use crate::typed::this_command;
use obook_book::write::import::{Imported, import};
use obook_book::write::merge::{MergeOptions, Merged, merge};
use obook_book::{Book, IfExists};
use serde::Serialize;
use std::path::PathBuf;

/// Take books into a database; the first one makes it
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook import book.dat --book book.obook\n  \
    obook import level21.dat level30.egbk3 --book book.obook\n  \
    obook import book.dat.zst --book book.obook --force")]
pub(crate) struct Arguments {
    /// Book files of any format, told by their contents
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The database; if it exists, the files are merged into it, or replace it with --force
    #[arg(long, value_name = "BOOK")]
    book: PathBuf,
    #[command(flatten)]
    force: Force,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// What an import did: it made a database, or merged into one, or both.
#[derive(Debug, Serialize)]
struct Import {
    #[serde(flatten)]
    imported: Option<Imported>,
    #[serde(skip_serializing_if = "Option::is_none")]
    merged: Option<Merged>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (book, if_exists) = (&arguments.book, arguments.force.if_exists());
    let progress = &progress::on_terminal();
    let grows = if_exists == IfExists::Refuse && matches!(Book::open(book), Ok(Book::Database(_)));
    let (imported, rest) = match &arguments.files[..] {
        [first, rest @ ..] if !grows => {
            let imported = import(first, book, if_exists, &this_command(), progress)?;
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
    let done = Import { imported, merged };
    answer(&done, arguments.json, |done, out| {
        if let Some(imported) = &done.imported {
            reports::imported::describe(imported, out)?;
        }
        if let Some(merged) = &done.merged {
            reports::merged::describe(merged, out)?;
        }
        Ok(())
    })
}
