//! The books used in tests.

use obook_converters::{BookRecord, Reader, Writer};
use obook_othello::{Board, Position};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A small book in the repository.
pub(crate) fn data(path: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    match path {
        "edax/games.dat" => root.join("examples/games.dat"),
        _ => root.join("tests/data").join(path),
    }
}

/// The bytes of a small book that is part of the repository.
pub(crate) fn bytes(path: &str) -> Vec<u8> {
    std::fs::read(data(path)).unwrap()
}

/// A book in the golden folder beside the repository, or in `OBOOK_GOLDEN`, for tests with `#[needs(large_books)]` or
/// `#[needs(published_book)]`.
pub(crate) fn golden(path: &str) -> PathBuf {
    let folder = std::env::var_os("OBOOK_GOLDEN").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/golden"),
        PathBuf::from,
    );
    let path = folder.join(path);
    assert!(path.exists(), "there is no {}", path.display());
    path
}

/// All records of a file without errors.
pub(crate) fn records<T: BookRecord>(bytes: &[u8]) -> Vec<T> {
    Reader::<_, T>::new(bytes)
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap()
}

/// Reads a file and writes it again.
pub(crate) fn rewritten<T: BookRecord>(bytes: &[u8]) -> Vec<u8> {
    let mut reader = Reader::<_, T>::new(bytes).unwrap();
    let header = reader.header().clone();
    let mut writer = Writer::<_, T>::with_layout(Vec::new(), header, reader.layout()).unwrap();
    for record in &mut reader {
        writer.write(&record.unwrap()).unwrap();
    }
    writer.finish().unwrap()
}

/// Reads a file, checks it, and writes the positions again.
pub(crate) fn rechecked<T: BookRecord>(bytes: &[u8]) -> Vec<u8> {
    let mut reader = Reader::<_, T>::new(bytes).unwrap();
    let header = reader.header().clone();
    let mut writer = Writer::<_, T>::new(Vec::new(), header).unwrap();
    for record in &mut reader {
        let position = record.unwrap().check().unwrap();
        writer.write(&T::from_position(&position).unwrap()).unwrap();
    }
    writer.finish().unwrap()
}

/// Positions by board. No board may come twice.
pub(crate) fn by_board<T: BookRecord>(bytes: &[u8]) -> HashMap<Board, Position> {
    let mut map = HashMap::new();
    for record in records::<T>(bytes) {
        let position = record.check().unwrap();
        let board = position.board.board();
        assert_eq!(
            map.insert(board, position),
            None,
            "{} twice",
            board.to_text()
        );
    }
    map
}
