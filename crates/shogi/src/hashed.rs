//! Books that store a hash of each position instead of the position.
//!
//! A hash can't be inverted. So the positions are looked for along legal moves from the start position, also a ply beyond what is in the
//! book, and those that can't be reached so are missed.

use crate::book::{BookMove, Entry, Fault, FilePlace, Read};
use crate::{Board, Packed};
use std::collections::{HashMap, VecDeque};

/// How many plies after leaving the book to look for its positions.
const BEYOND: u32 = 1;

/// Looks for the positions of a file's records, which are hashes with moves. A record that is not a move is a fault. Positions come in
/// the order in which they were found.
pub(crate) fn find(
    records: impl Iterator<Item = (u64, Result<BookMove, String>)>,
    hash: impl Fn(&Board) -> u64,
) -> Read {
    let mut found = Read::default();
    let mut hashed: HashMap<u64, Vec<BookMove>> = HashMap::new();
    for (place, (hash, listed)) in (1..).map(FilePlace::Record).zip(records) {
        match listed {
            Ok(listed) => hashed.entry(hash).or_default().push(listed),
            Err(reason) => found.faults.push(Fault { place, reason }),
        }
    }
    // Positions to go on from, with their plies and the number of plies since the book: children of positions in the book, and
    // others, which wait.
    let mut near = VecDeque::from([(Board::start(), 1_u32, 0)]);
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
        if outside > BEYOND || seen.get(&packed).is_some_and(|&least| least <= outside) {
            continue;
        }
        seen.insert(packed, outside);
        let queue = if outside == 0 { &mut near } else { &mut far };
        let children = board.children().into_iter();
        queue.extend(children.map(|(_, child)| (child, ply.saturating_add(1), outside)));
    }
    found.missed = hashed.len() as u64;
    found
}
