//! `obook snapshot`: a compressed copy of a database.

use crate::output::{Failure, answer};
use crate::progress;
use obook_book::{Book, Error, IfExists, Snapshot};
use std::path::Path;

pub(crate) fn run(
    book: &Path,
    file: &Path,
    if_exists: IfExists,
    json: bool,
) -> Result<(), Failure> {
    let store = match Book::open(book)? {
        Book::Database(store) => store,
        Book::File(_) => {
            let problem = "a book file, which can be copied as it is; snapshots are of databases";
            return Err(Error::unfit(book, problem).into());
        }
    };
    let snapshot = store.save_snapshot(file, if_exists, &progress::on_terminal())?;
    describe(&snapshot, json)
}

/// Says what was written.
pub(crate) fn describe(snapshot: &Snapshot, json: bool) -> Result<(), Failure> {
    answer(snapshot, json, |snapshot, out| {
        let Snapshot {
            path,
            bytes,
            compressed,
        } = snapshot;
        let path = path.display();
        let said = format!("{path}: {bytes} bytes of database, {compressed} compressed");
        Ok(writeln!(out, "{said}")?)
    })
}
