//! Databases of book files.

use crate::golden::golden;
use obook::write::fix::{Steps, recompute};
use obook::write::import::{Imported, import};
use obook::{Book, Context, IfExists, NewBook, Result, Store};
use obook_othello::{Line, Move};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder, and in it a database of a golden book.
pub fn imported(name: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book.obook");
    import_file(&golden(name), &book, &Context::new("obook import")).unwrap();
    (folder, book)
}

/// Makes a database of a book file, in place of any other.
pub fn import_file(file: &Path, database: &Path, context: &Context) -> Result<Imported> {
    let new = NewBook::create(database, IfExists::Replace, context)?;
    import(Book::open(file, context)?, new)
}

/// Imports games into the database at `path`, or makes a new one there.
#[cfg(feature = "games")]
pub fn import_at(
    path: &Path,
    entries: impl Iterator<Item = Result<obook_games::Entry>> + Send,
    context: &Context,
) -> Result<obook::games::Imported> {
    use obook::games;
    match path.exists() {
        true => games::import(&mut Store::open_for_writing(path, context)?, entries),
        false => games::import_new(NewBook::create(path, IfExists::Refuse, context)?, entries),
    }
}

/// Fixes a whole book. Returns how many positions changed.
pub fn fix(book: &Path) -> u64 {
    let mut store = Store::open_for_writing(book, &Context::new("test")).unwrap();
    let report = recompute(&mut store, Steps::Fix { rules: None }).unwrap();
    report.changed.any
}

/// A line through a book that takes the `choices`th link each time.
pub fn line(book: &Path, choices: &[usize]) -> Line {
    let store = Store::open(book, &Context::default()).unwrap();
    let mut line = Line::new();
    for choice in choices {
        let position = store.position(line.board().canonical()).unwrap().unwrap();
        let back = line.board().canonicalize().1.inverse();
        let moves: Vec<Move> = position.links.iter().map(|it| back.play(it.mv)).collect();
        if moves.is_empty() {
            break;
        }
        line.push(moves[choice % moves.len()]).unwrap();
    }
    line
}
