//! Books to change.

use obook::{BookHeader, Context, IfExists, NewBook, Store};
use obook_othello::{Board, Engine, Position, RuleSet};
use obook_testing::golden;
use std::path::PathBuf;
use tempfile::TempDir;

/// A folder with a book that has one position.
pub(crate) fn book() -> (TempDir, PathBuf) {
    book_of(&[Position::new(Board::START.canonical(), Engine::Edax)])
}

/// A folder with a golden book of games.
pub(crate) fn games() -> (TempDir, PathBuf) {
    book_of(&golden::book("games.dat").1)
}

fn book_of(positions: &[Position]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.obook");
    let new = NewBook::create(&path, IfExists::Refuse, &Context::new("new")).unwrap();
    new.fill(|| Ok(positions.iter().cloned().map(Ok))).unwrap();
    new.set_header(&BookHeader::new(RuleSet::Edax)).unwrap();
    new.commit(&()).unwrap();
    (folder, path)
}

/// Opens a book for writing.
pub(crate) fn open(path: &std::path::Path) -> Store {
    Store::open_for_writing(path, &Context::new("test")).unwrap()
}

/// Makes a change with SQL.
pub(crate) fn change(store: &mut Store, sql: &str) -> Option<i64> {
    let change = store.change().unwrap();
    change.connection().execute_batch(sql).unwrap();
    change.commit(&()).unwrap()
}

/// The first column of a query, as text.
pub(crate) fn texts(store: &Store, sql: &str) -> Vec<String> {
    let mut select = store.connection().prepare(sql).unwrap();
    let rows = select.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}
