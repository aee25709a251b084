//! The transposition table: what the search knows about positions.

use super::node::Discs;

/// The number of adjacent entries that a position may be stored in.
const WAYS: usize = 4;

/// The known data of a position.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry {
    discs: Discs,
    /// The request that wrote it, from 1. For all others the entry is empty, so that answers depend only on their requests.
    request: u32,
    pub(crate) lower: i8,
    pub(crate) upper: i8,
    /// The depth in plies; at least the number of empty squares for a search to the end.
    pub(crate) depth: u8,
    /// The grade of selectivity. Greater ones prune less.
    pub(crate) grade: u8,
    /// The best move and the previous best; [`NO_MOVE`] if there is none.
    pub(crate) moves: [u8; 2],
}

/// No square.
pub(crate) const NO_MOVE: u8 = 64;

/// The depth and selectivity of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effort {
    pub(crate) depth: u8,
    pub(crate) grade: u8,
}

/// The table of one searcher.
#[derive(Debug, Default)]
pub(crate) struct Table {
    entries: Vec<Entry>,
    /// The number of buckets used by this request, a power of two, minus one.
    mask: usize,
    request: u32,
}

impl Table {
    /// Forgets everything and makes room for `2^bits` entries.
    pub(crate) fn begin(&mut self, bits: u32) {
        let size = (1 << bits).max(WAYS);
        if self.entries.len() < size || self.request == u32::MAX {
            self.entries = vec![Entry::default(); size];
            self.request = 0;
        }
        self.mask = size / WAYS - 1;
        self.request += 1;
    }

    #[inline(always)]
    fn bucket(&self, discs: Discs) -> usize {
        let mixed = discs.player.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ discs
                .opponent
                .rotate_left(32)
                .wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        ((mixed >> 32) as usize & self.mask) * WAYS
    }

    #[inline(always)]
    pub(crate) fn get(&self, discs: Discs) -> Option<Entry> {
        let begin = self.bucket(discs);
        self.entries[begin..begin + WAYS]
            .iter()
            .find(|entry| entry.discs == discs && entry.request == self.request)
            .copied()
    }

    /// Stores the result of searching a position: its score is `score` if that lies within the window from alpha to beta, otherwise at
    /// most or at least that. Combines it with what is known from an equal effort, and replaces results of less effort.
    #[inline(always)]
    pub(crate) fn put(
        &mut self,
        discs: Discs,
        effort: Effort,
        [alpha, beta]: [i32; 2],
        score: i32,
        best: u8,
    ) {
        let request = self.request;
        let begin = self.bucket(discs);
        let ways = &mut self.entries[begin..begin + WAYS];
        let lower = if score > alpha { score as i8 } else { -64 };
        let upper = if score < beta { score as i8 } else { 64 };
        let mut place = 0;
        let mut least = u32::MAX;
        for (way, entry) in ways.iter_mut().enumerate() {
            if entry.request != request {
                if least != 0 {
                    (least, place) = (0, way);
                }
            } else if entry.discs == discs {
                if entry.depth == effort.depth && entry.grade == effort.grade {
                    entry.lower = entry.lower.max(lower);
                    entry.upper = entry.upper.min(upper);
                    if entry.lower > entry.upper {
                        (entry.lower, entry.upper) = (lower, upper);
                    }
                } else {
                    (entry.lower, entry.upper) = (lower, upper);
                    (entry.depth, entry.grade) = (effort.depth, effort.grade);
                }
                // A search that failed low has no best move.
                if score > alpha && entry.moves[0] != best {
                    entry.moves = [best, entry.moves[0]];
                }
                return;
            } else {
                let kept = 1 + u32::from(entry.depth) * 8 + u32::from(entry.grade);
                if kept < least {
                    (least, place) = (kept, way);
                }
            }
        }
        ways[place] = Entry {
            discs,
            request,
            lower,
            upper,
            depth: effort.depth,
            grade: effort.grade,
            moves: [best, NO_MOVE],
        };
    }
}
