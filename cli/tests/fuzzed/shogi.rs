//! Books of shogi. The first byte is the index of the format in `Format::ALL`; the rest is the file.

use super::books::said;
use super::whole::{apery_file, db_file, ybb_file};
use obook_shogi::database::file::{BookFile, Format};
use obook_shogi::{Book, Packed, Sfen, apery, db, ybb};
use std::collections::BTreeSet;

pub(crate) fn check(bytes: &[u8]) {
    let Some((choice, file)) = bytes.split_first() else {
        return;
    };
    let format = Format::ALL[usize::from(*choice) % Format::ALL.len()];
    match BookFile::read(format, file) {
        Ok(BookFile { read, .. }) => {
            for fault in &read.faults {
                said(&fault.to_string());
            }
            sound(&read.book);
            comes_back(&read.book);
        }
        Err(error) => said(&error.to_string()),
    }
}

/// The number of positions in a seed.
#[cfg(test)]
pub(crate) fn positions(bytes: &[u8]) -> usize {
    let (choice, file) = bytes.split_first().unwrap();
    let read = BookFile::read(Format::ALL[usize::from(*choice)], file).unwrap();
    read.read.book.entries.len()
}

/// Positions survive round trips, and their moves are legal.
fn sound(book: &Book) {
    for entry in &book.entries {
        let board = entry.board;
        assert_eq!(board.packed().board(), Ok(board));
        let text = Sfen {
            board,
            ply: entry.ply,
        };
        assert_eq!(text.to_string().parse(), Ok(text));
        for listed in &entry.moves {
            assert!(board.play(listed.mv).is_some(), "{board} {}", listed.mv);
        }
    }
    let keys: Vec<Packed> = book.by_position().map(|(key, _)| key).collect();
    assert!(keys.is_sorted_by(|one, next| one < next) && keys.len() <= book.entries.len());
}

/// A text keeps everything, the other formats all positions that they can hold.
fn comes_back(book: &Book) {
    // YaneuraOu's formats can't list a move twice; hashed books can.
    let is_listed_once = book.entries.iter().all(|entry| {
        let moves = entry.moves.iter().map(|listed| listed.mv);
        moves.collect::<BTreeSet<_>>().len() == entry.moves.len()
    });
    if is_listed_once {
        let read = db::read(db_file(book).as_bytes());
        assert_eq!((&read.book, read.faults.len()), (book, 0));
    }
    let positions: BTreeSet<Packed> = book
        .entries
        .iter()
        .map(|entry| entry.board.packed())
        .collect();
    let packed = ybb::read(&ybb_file(book).0).unwrap();
    assert_eq!(packed.book.entries.len(), positions.len());
    assert!(packed.faults.is_empty() || !is_listed_once);
    let hashed = apery::read(&apery_file(book).0).unwrap();
    assert_eq!(hashed.faults.len(), 0);
}
