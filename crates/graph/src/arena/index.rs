//! Finds boards in a layer.

use super::{Graph, Layer, NodeId};
use obook_othello::{Board, CanonicalBoard, Square, Symmetry};
use std::hash::{BuildHasher, RandomState};

/// An open-addressing hash table of the boards of a layer, with a filter for moves.
///
/// The low bits of a slot hold the place of a board, the other bits a tag from its hash, so that few comparisons of boards
/// fail.
///
/// Nine legal moves in ten lead out of the book. The filter rejects them before their flips and canonical boards are known: it
/// has a bit for the [`Shape`] of every board, and a move adds one square to the shape. Few boards outside the book have the
/// shape of one inside. The filter is small enough for a core's cache.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    slots: Vec<u32>,
    /// 16 to 32 bits for each board; the number of words is a power of two.
    filter: Vec<u64>,
    place_bits: u32,
}

/// The random key of the hash, so that nobody can make a book whose boards all collide.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seed(u64, u64);

/// An empty slot. No place has all bits set.
const EMPTY: u32 = u32::MAX;

/// The occupied squares of a board, up to symmetry: the eight images, each combined with the seed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape([u64; 8]);

/// The images of each square under all symmetries.
static SQUARES: [[u64; 8]; 64] = {
    let mut squares = [[0; 8]; 64];
    let mut index = 0;
    while index < 64 {
        squares[index] = Symmetry::all_bits(1 << index);
        index += 1;
    }
    squares
};

impl Seed {
    pub(super) fn random() -> Seed {
        let state = RandomState::new();
        Seed(state.hash_one(0), state.hash_one(1))
    }

    /// Hashes a board by two folded multiplications. The upper half selects the slot, the lower half is the tag.
    pub(super) fn hash(self, board: CanonicalBoard) -> u64 {
        let board = board.board();
        let player = fold(board.player() ^ self.0, 0x9e37_79b9_7f4a_7c15);
        fold(player ^ board.opponent(), self.1 | 1)
    }

    /// The shape of a board.
    #[inline]
    pub(super) fn shape(self, board: Board) -> Shape {
        Shape(Symmetry::all_bits(board.player() | board.opponent()).map(|image| image ^ self.0))
    }
}

impl Shape {
    /// Hashes the shape. All symmetric boards have the same hash.
    fn hash(&self) -> u64 {
        hash_images(self.0)
    }

    /// Hashes the shape after a disc on `square`, which must be empty.
    #[inline]
    pub(super) fn hash_with(&self, square: Square) -> u64 {
        let added = &SQUARES[usize::from(square.index()) & 63];
        hash_images(std::array::from_fn(|image| self.0[image] ^ added[image]))
    }
}

/// Adds up the hashes of all images, so their order doesn't matter.
#[inline]
fn hash_images(images: [u64; 8]) -> u64 {
    let hashes = images.map(|image| fold(image, 0x9e37_79b9_7f4a_7c15));
    hashes.into_iter().fold(0, u64::wrapping_add)
}

fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> 64) as u64 ^ product as u64
}

impl Index {
    /// Indexes `boards`, which must be different and fewer than 2³² − 1.
    pub(super) fn new(boards: &[CanonicalBoard], seed: Seed) -> Index {
        let place_bits = u64::BITS - (boards.len() as u64).leading_zeros();
        let mut index = Index {
            slots: vec![EMPTY; boards.len() + boards.len() / 2 + 1],
            filter: vec![0; (boards.len() / 4).next_power_of_two()],
            place_bits,
        };
        for (place, board) in boards.iter().enumerate() {
            let (word, bit) = index.filter_bit(seed.shape(board.board()).hash());
            index.filter[word] |= bit;
            let hash = seed.hash(*board);
            let (mut slot, tag) = index.probe(hash);
            while index.slots[slot] != EMPTY {
                slot = index.next(slot);
            }
            index.slots[slot] = tag | place as u32;
        }
        index
    }

    /// Whether this is an index of boards (perhaps of none), not the default value.
    pub(super) fn is_made(&self) -> bool {
        !self.slots.is_empty()
    }

    /// Whether a board with this hash of its shape may be there. `false` for most boards that are not.
    #[inline]
    pub(super) fn may_hold(&self, shape: u64) -> bool {
        let (word, bit) = self.filter_bit(shape);
        self.filter[word] & bit != 0
    }

    /// The place of `wanted`, which has this hash, among the boards that were indexed.
    pub(super) fn find(
        &self,
        boards: &[CanonicalBoard],
        wanted: CanonicalBoard,
        hash: u64,
    ) -> Option<u32> {
        let (mut slot, tag) = self.probe(hash);
        let mask = self.place_mask();
        loop {
            let found = self.slots[slot];
            if found == EMPTY {
                return None;
            }
            let place = found & mask;
            if found & !mask == tag && boards[place as usize] == wanted {
                return Some(place);
            }
            slot = self.next(slot);
        }
    }

    fn place_mask(&self) -> u32 {
        ((1u64 << self.place_bits) - 1) as u32
    }

    fn filter_bit(&self, shape: u64) -> (usize, u64) {
        let word = (shape >> 6) as usize & (self.filter.len() - 1);
        (word, 1 << (shape & 63))
    }

    fn probe(&self, hash: u64) -> (usize, u32) {
        let slot = (u128::from(hash) * self.slots.len() as u128) >> 64;
        (slot as usize, hash as u32 & !self.place_mask())
    }

    fn next(&self, slot: usize) -> usize {
        let next = slot + 1;
        if next == self.slots.len() { 0 } else { next }
    }
}

/// A lookup of a board in its layer that has been started: the hash is known.
///
/// To look up many boards, start all lookups before finishing any. The processor then waits for many memory locations at once,
/// which is twice as fast.
pub(super) struct Probe<'a> {
    pub(super) board: CanonicalBoard,
    pub(super) hash: u64,
    layer: &'a Layer,
}

impl Graph {
    /// Starts to look up a board in this layer.
    pub(super) fn probe<'a>(&self, layer: &'a Layer, board: CanonicalBoard) -> Probe<'a> {
        Probe {
            board,
            hash: self.seed.hash(board),
            layer,
        }
    }
}

impl Probe<'_> {
    /// The position, if the book has it.
    pub(super) fn find(&self, graph: &Graph) -> Option<NodeId> {
        let layer = self.layer;
        let boards = &graph.boards[layer.start..layer.end];
        let place = layer.index.find(boards, self.board, self.hash)?;
        Some(NodeId(layer.start as u32 + place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_indexed_boards_and_no_others() {
        let boards: Vec<CanonicalBoard> = (0..3000u64)
            .map(|n| Board::new(n << 1, 1).unwrap().canonical())
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect();
        let (there, elsewhere) = boards.split_at(boards.len() / 2);
        let seed = Seed::random();
        let index = Index::new(there, seed);
        let find = |board: CanonicalBoard| index.find(there, board, seed.hash(board));
        for (place, board) in there.iter().enumerate() {
            assert_eq!(find(*board), Some(place as u32));
        }
        for board in elsewhere {
            assert_eq!(find(*board), None);
        }
        let nothing = Index::new(&[], seed);
        assert!(!nothing.may_hold(seed.shape(boards[0].board()).hash()));
        assert_eq!(nothing.find(&[], boards[0], seed.hash(boards[0])), None);
    }

    #[test]
    fn a_move_leads_to_the_shape_of_its_child_in_any_orientation() {
        let seed = Seed::random();
        let mut board = Board::START;
        while let Some((_, next)) = board.children().last() {
            for square in board.legal_moves() {
                for symmetry in Symmetry::ALL {
                    let image = symmetry.board(board);
                    let shape = seed.shape(image).hash_with(symmetry.square(square));
                    let child = board.after(square).canonical();
                    assert_eq!(shape, seed.shape(child.board()).hash());
                }
            }
            board = next;
        }
        assert!(board.empties() < 10);
    }
}
