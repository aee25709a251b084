//! `obook snapshot`: a compressed copy of a database.

use super::undo::Open;
use crate::prelude::*;
use obook::Snapshot;

/// Write a compressed copy of a database, even while it is in use
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook snapshot book.obook book-$(date +%F).zst\n  \
    obook restore book-2026-02-28.zst book.obook --force")]
pub(crate) struct Arguments {
    /// An obook database
    #[arg(value_parser = readable())]
    book: PathBuf,
    /// The file to write, in zstd format
    #[arg(value_name = "FILE.zst")]
    file: PathBuf,
    /// Compress at this level, from 1 (fast) to 22 (small)
    #[arg(long, value_name = "LEVEL", default_value_t = 3, value_parser = clap::value_parser!(i32).range(1..=22))]
    zstd_level: i32,
    #[command(flatten)]
    force: Force,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    run_on(arguments, |book, context| {
        match Book::open(book, context)? {
            Book::Database(store) => Ok(store.into()),
            Book::File(_) => {
                let problem = "a book file: copy it as it is; snapshots are for databases";
                Err(Failure::file(book, problem))
            }
        }
    })
}

/// Copies a database of any game.
pub(crate) fn run_on(arguments: &Arguments, open: Open) -> Result<(), Failure> {
    let (book, if_exists) = (&arguments.book, arguments.force.if_exists());
    let store = open(book, &context::shown())?;
    let snapshot = store.save_snapshot(&arguments.file, arguments.zstd_level, if_exists)?;
    describe(&snapshot, arguments.json)
}

/// Reports what was written.
pub(crate) fn describe(snapshot: &Snapshot, json: bool) -> Result<(), Failure> {
    account(snapshot, json, |snapshot, out| {
        let (path, bytes) = (snapshot.path.display(), snapshot.bytes);
        let compressed = snapshot.compressed;
        writeln!(out, "{path}: {bytes} bytes, {compressed} compressed")
    })
}
