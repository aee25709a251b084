//! `obook undo`: the last change back.

use crate::output::{Failure, answer};
use obook_book::{Book, Error, Store};
use std::path::Path;

pub(crate) fn run(path: &Path, json: bool) -> Result<(), Failure> {
    let undone = open(path)?.undo()?;
    answer(&undone, json, |undone, out| {
        let (id, command, time) = (undone.id, &undone.command, &undone.time);
        let rows = undone.rows;
        let said = format!("taken back: change {id}, {command}, of {time}: {rows} rows");
        Ok(writeln!(out, "{said}")?)
    })
}

/// A database, to be changed.
pub(crate) fn open(path: &Path) -> Result<Store, Error> {
    match Book::open(path)? {
        Book::Database(_) => Store::open_for_writing(path),
        Book::File(_) => {
            let problem =
                "a book file, which has no history; make a database of it with `obook import`";
            Err(Error::unfit(path, problem))
        }
    }
}
