//! Books as whole files, whose records [`obook_shogi`] writes one by one. `cli/tests/fuzzed` uses this file, too.

use obook_shogi::{Board, Book, Dropped, Entry, apery, db, ybb};

/// A `.db` file, in the order of the book.
pub(crate) fn db_file(book: &Book) -> String {
    let records: String = book.entries.iter().map(db::record).collect();
    format!("{}\n{records}", db::HEADER)
}

/// A `.ybb` file, and what of the book it can't hold.
pub(crate) fn ybb_file(book: &Book) -> (Vec<u8>, Dropped) {
    let (records, dropped) = records(book, Board::packed, ybb::record);
    let mut bytes = Vec::new();
    let all = || Ok(records.iter().cloned().map(Ok));
    ybb::write_records(records.len() as u64, all, &mut bytes).expect("memory takes everything");
    (bytes, dropped)
}

/// Apery's `book.bin`, and what of the book it can't hold.
pub(crate) fn apery_file(book: &Book) -> (Vec<u8>, Dropped) {
    let (records, dropped) = records(book, apery::hash, apery::record);
    (records.concat(), dropped)
}

/// The records as a format has them, in the order of a key of their positions: of several of one key that with the smallest ply.
/// Also what that leaves out.
fn records<K: Copy + Ord>(
    book: &Book,
    key: impl Fn(&Board) -> K,
    record: impl Fn(&Entry) -> (Vec<u8>, Dropped),
) -> (Vec<Vec<u8>>, Dropped) {
    let keyed = book.entries.iter().map(|entry| (key(&entry.board), entry));
    let mut entries: Vec<(K, &Entry)> = keyed.collect();
    entries.sort_by_key(|&(key, entry)| (key, entry.ply));
    entries.dedup_by_key(|&mut (key, _)| key);
    let mut dropped = Dropped {
        records: (book.entries.len() - entries.len()) as u64,
        ..Dropped::default()
    };
    let records = entries.into_iter().map(|(_, entry)| {
        let (record, lost) = record(entry);
        dropped += lost;
        record
    });
    (records.collect(), dropped)
}
