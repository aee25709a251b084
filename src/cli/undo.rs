//! `obook undo`: the last change back.

use super::output::{Failure, stdout, write_json};
use crate::{Book, Error, Store};
use std::io::Write;
use std::path::Path;

pub(super) fn run(path: &Path, json: bool) -> Result<(), Failure> {
    let undone = open(path)?.undo()?;
    let out = &mut stdout();
    if json {
        write_json(out, &undone)?;
    } else {
        let (id, command, time) = (undone.id, &undone.command, &undone.time);
        let rows = undone.rows;
        writeln!(
            out,
            "taken back: change {id}, {command}, of {time}: {rows} rows"
        )?;
    }
    Ok(out.flush()?)
}

/// A database, to be changed.
pub(super) fn open(path: &Path) -> Result<Store, Error> {
    match Book::open(path)? {
        Book::Database(_) => Store::open_for_writing(path),
        Book::File(_) => {
            let problem =
                "a book file, which has no history; make a database of it with `obook import`";
            Err(Error::unfit(path, problem))
        }
    }
}
