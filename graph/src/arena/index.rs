//! Finds a board among those of one layer.

use obook_othello::CanonicalBoard;
use std::hash::{BuildHasher, RandomState};

/// An open-addressing hash table of a layer, behind a filter.
///
/// A slot holds the place of a board in its low bits and, in the bits that places don't need, a tag of its hash, so that
/// boards are hardly ever compared in vain. Most legal moves lead out of the book: a bit set by the hash of every board
/// in it answers for nearly all of those, from few enough bytes to stay in a core's cache (which
/// takes a quarter off linking).
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    slots: Vec<u32>,
    /// A power of two of words, 16 to 32 bits for each board.
    filter: Vec<u64>,
    place_bits: u32,
}

/// What the hash is keyed with: random, so that no book can be made to collide everywhere.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seed(u64, u64);

/// No place has all its bits set.
const EMPTY: u32 = u32::MAX;

impl Seed {
    pub(crate) fn random() -> Seed {
        let state = RandomState::new();
        Seed(state.hash_one(0), state.hash_one(1))
    }

    /// What a board is looked up by: two folded multiplications; the upper half picks the slot, the lower half the tag.
    pub(crate) fn hash(self, board: CanonicalBoard) -> u64 {
        let board = board.board();
        fold(
            fold(board.player() ^ self.0, 0x9e37_79b9_7f4a_7c15) ^ board.opponent(),
            self.1 | 1,
        )
    }
}

fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> 64) as u64 ^ product as u64
}

impl Index {
    /// An index of `boards`, which must differ from each other and be fewer than 2³² − 1.
    pub(crate) fn new(boards: &[CanonicalBoard], seed: Seed) -> Index {
        let place_bits = u64::BITS - (boards.len() as u64).leading_zeros();
        let mut index = Index {
            slots: vec![EMPTY; boards.len() + boards.len() / 2 + 1],
            filter: vec![0; (boards.len() / 4).next_power_of_two()],
            place_bits,
        };
        for (place, board) in boards.iter().enumerate() {
            let hash = seed.hash(*board);
            let (word, bit) = index.filter_bit(hash);
            index.filter[word] |= bit;
            let (mut slot, tag) = index.probe(hash);
            while index.slots[slot] != EMPTY {
                slot = index.next(slot);
            }
            index.slots[slot] = tag | place as u32;
        }
        index
    }

    /// Whether it is one of any boards, if none: not the default.
    pub(crate) fn is_made(&self) -> bool {
        !self.slots.is_empty()
    }

    /// Whether a board with this hash may be there; no for nearly all that are not.
    #[inline]
    pub(crate) fn may_hold(&self, hash: u64) -> bool {
        let (word, bit) = self.filter_bit(hash);
        self.filter[word] & bit != 0
    }

    /// The place of `wanted`, which has this hash, among `boards`, the same that the index was made of.
    pub(crate) fn find(
        &self,
        boards: &[CanonicalBoard],
        wanted: CanonicalBoard,
        hash: u64,
    ) -> Option<u32> {
        if !self.may_hold(hash) {
            return None;
        }
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

    fn filter_bit(&self, hash: u64) -> (usize, u64) {
        let word = (hash >> 6) as usize & (self.filter.len() - 1);
        (word, 1 << (hash & 63))
    }

    fn probe(&self, hash: u64) -> (usize, u32) {
        let slot = (u128::from(hash) * self.slots.len() as u128) >> 64;
        (slot as usize, hash as u32 & !self.place_mask())
    }

    fn next(&self, slot: usize) -> usize {
        if slot + 1 == self.slots.len() {
            0
        } else {
            slot + 1
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use obook_othello::Board;

    #[test]
    fn finds_what_is_there_and_nothing_else() {
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
        assert_eq!(nothing.find(&[], boards[0], seed.hash(boards[0])), None);
    }
}
