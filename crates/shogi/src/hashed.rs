//! Books that store a hash of each position instead of the position.
//!
//! A hash can't be inverted. So the positions are looked for along legal moves from a start, also a few plies beyond what is in the
//! book, and those that can't be reached so are missed.

use crate::book::{BookMove, Entry, Fault, FilePlace, Read};
use crate::{Board, Packed};
use std::collections::{HashMap, VecDeque};

/// Moves by the hashes of their positions.
pub(crate) type Hashed = HashMap<u64, Vec<BookMove>>;

/// Groups a file's records by their hashes. A record that is not a move is a fault.
pub(crate) fn read(
    records: impl Iterator<Item = (u64, Result<BookMove, String>)>,
) -> (Hashed, Vec<Fault>) {
    let (mut hashed, mut faults) = (Hashed::new(), Vec::new());
    for (place, (hash, listed)) in (1..).map(FilePlace::Record).zip(records) {
        match listed {
            Ok(listed) => hashed.entry(hash).or_default().push(listed),
            Err(reason) => faults.push(Fault { place, reason }),
        }
    }
    (hashed, faults)
}

/// Looks for positions from `starts`, up to `beyond` plies after leaving the book. They come in the order in which they were found.
pub(crate) fn find(
    mut hashed: Hashed,
    starts: impl IntoIterator<Item = Board>,
    beyond: u32,
    hash: impl Fn(&Board) -> u64,
) -> Read {
    let mut found = Read::default();
    // Positions to go on from, with their plies and the number of plies since the book: children of positions in the book, and
    // others, which wait.
    let mut near: VecDeque<(Board, u32, u32)> =
        starts.into_iter().map(|board| (board, 1, 0)).collect();
    let mut far = VecDeque::new();
    let mut seen: HashMap<Packed, u32> = HashMap::new();
    while let Some((board, ply, since)) = near.pop_front().or_else(|| far.pop_front()) {
        let packed = board.packed();
        let outside = match hashed.remove(&hash(&board)) {
            Some(moves) => {
                let ply = Some(ply);
                found.book.entries.push(Entry::new(board, ply, moves));
                0
            }
            None => since + 1,
        };
        // A position may be seen again nearer to the book.
        if outside > beyond || seen.get(&packed).is_some_and(|&least| least <= outside) {
            continue;
        }
        seen.insert(packed, outside);
        let queue = if outside == 0 { &mut near } else { &mut far };
        queue.extend(
            board
                .children()
                .into_iter()
                .map(|(_, child)| (child, ply.saturating_add(1), outside)),
        );
    }
    found.missed = hashed.len() as u64;
    found
}
