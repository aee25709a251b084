//! Hashes that tell quickly which moves may lead to a position of a book.

use crate::apery::piece_number;
use crate::{Board, Colour, Move, Piece, PieceType, Square};
use rayon::prelude::*;

/// The hashes of a book's canonical positions.
pub(crate) struct Fingerprints {
    /// In order.
    hashes: Vec<u64>,
    /// Two bits of a word for each hash, which are also set for a few in a hundred others: a Bloom filter. It fits in a cache, and
    /// most moves end here. Positions that are made up to share these bits cost no more than a look at `hashes`.
    bits: Vec<u64>,
}

/// The least number of bits for each hash; there may be twice as many.
const BITS: usize = 16;

/// A hash of the pieces on the board, as a side sees them. Hands don't matter here, since the few moves that only hands rule out are
/// looked at more closely.
fn fingerprint(board: &Board, viewer: Colour) -> u64 {
    board.pieces().fold(0, |hash, (square, piece)| {
        hash ^ seen(square, piece, viewer)
    })
}

fn seen(square: Square, piece: Piece, viewer: Colour) -> u64 {
    match viewer {
        Colour::Black => piece_number(piece, square),
        Colour::White => piece_number(piece.turned(), square.turned()),
    }
}

impl Fingerprints {
    pub(crate) fn new(boards: impl ParallelIterator<Item = Board>) -> Self {
        let hashes = boards.map(|board| fingerprint(&board, board.turn()));
        let mut hashes: Vec<u64> = hashes.collect();
        hashes.par_sort_unstable();
        hashes.dedup();
        let words = (hashes.len() * BITS).next_power_of_two().div_ceil(64);
        let mut all = Self {
            bits: vec![0; words],
            hashes: Vec::new(),
        };
        for &hash in &hashes {
            let (word, bits) = all.bits(hash);
            all.bits[word] |= bits;
        }
        Self { hashes, ..all }
    }

    /// The word with a hash's bits, and these.
    fn bits(&self, hash: u64) -> (usize, u64) {
        let word = (hash >> 6) as usize & (self.bits.len() - 1);
        (word, 1 << (hash % 64) | 1 << (hash >> 58))
    }

    fn contains(&self, hash: u64) -> bool {
        let (word, bits) = self.bits(hash);
        self.bits[word] & bits == bits && self.hashes.binary_search(&hash).is_ok()
    }

    /// The legal moves of a position that may lead to one of these, with the positions that they lead to.
    pub(crate) fn children(&self, board: &Board) -> Vec<(Move, Board)> {
        let viewer = board.turn().other();
        let before = fingerprint(board, viewer);
        let in_check = board.is_check();
        let mut children = Vec::new();
        board.for_moves(|mv| {
            let at =
                |square, piece: Option<Piece>| piece.map_or(0, |piece| seen(square, piece, viewer));
            let mine = |kind: PieceType| Some(kind.of(board.turn()));
            let change = match mv {
                Move::Drop { kind, to } => at(to, mine(kind)),
                Move::Step { from, to, promotes } => {
                    let piece = board.piece(from);
                    let moved = piece.map(|Piece { kind, .. }| {
                        kind.promoted().filter(|_| promotes).unwrap_or(kind)
                    });
                    at(from, piece) ^ at(to, board.piece(to)) ^ at(to, moved.and_then(mine))
                }
            };
            if self.contains(before ^ change) {
                children.extend(board.after_legal(mv, in_check).map(|child| (mv, child)));
            }
            true
        });
        children
    }
}
