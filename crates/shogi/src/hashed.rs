//! Books that store a hash of each position instead of the position.
//!
//! A hash can't be inverted. So the positions are looked for along legal moves from the start position, also a ply beyond what is in the
//! book. Positions that can't be reached this way are missed.

use crate::Board;
use crate::book::{BookMove, Entry, Fault, FilePlace, Read};
use std::collections::{HashMap, VecDeque};

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
    let hashed_children = |board: &Board, ply: u32, hashed: &HashMap<u64, Vec<BookMove>>| {
        let children = board.children().into_iter().map(|(_, child)| child);
        let children = children.filter(|child| hashed.contains_key(&hash(child)));
        let children = children.map(|child| (child, ply.saturating_add(1)));
        children.collect::<Vec<_>>()
    };
    // Positions with their plies. The book may lack the start position.
    let mut near = VecDeque::from([(Board::start(), 1)]);
    near.extend(hashed_children(&Board::start(), 1, &hashed));
    let mut parents = 0;
    loop {
        while let Some((board, ply)) = near.pop_front() {
            if let Some(moves) = hashed.remove(&hash(&board)) {
                near.extend(hashed_children(&board, ply, &hashed));
                found.book.entries.push(Entry::new(board, Some(ply), moves));
            }
        }
        // A ply beyond the book takes long, so only while positions are missing.
        let parent = found.book.entries.get(parents);
        let parent = parent.filter(|_| !hashed.is_empty());
        let Some(Entry { board, ply, .. }) = parent else {
            break;
        };
        parents += 1;
        let ply = ply.unwrap_or(1).saturating_add(1);
        for (_, child) in board.children() {
            near.extend(hashed_children(&child, ply, &hashed));
        }
    }
    found.missed = hashed.len() as u64;
    found
}
