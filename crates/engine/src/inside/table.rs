//! The transposition table: what the search knows about positions.

use super::node::Discs;
use super::probcut::Grade;

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
    /// The effort of the search. Its depth is at least the number of empty squares for a search to the end.
    pub(crate) effort: Effort,
    /// The best move and the previous best; [`NO_MOVE`] if there is none.
    pub(crate) moves: [u8; 2],
}

/// No square.
pub(crate) const NO_MOVE: u8 = 64;

/// The depth of a search in plies, and its selectivity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Effort {
    pub(crate) depth: u32,
    pub(crate) grade: Grade,
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
        let opponent = discs.opponent.rotate_left(32);
        let mixed = discs.player.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ opponent.wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
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
                if entry.effort == effort {
                    entry.lower = entry.lower.max(lower);
                    entry.upper = entry.upper.min(upper);
                    if entry.lower > entry.upper {
                        (entry.lower, entry.upper) = (lower, upper);
                    }
                } else {
                    (entry.lower, entry.upper) = (lower, upper);
                    entry.effort = effort;
                }
                // A search that failed low has no best move.
                if score > alpha && entry.moves[0] != best {
                    entry.moves = [best, entry.moves[0]];
                }
                return;
            } else {
                let kept = 1 + entry.effort.depth * 8 + u32::from(entry.effort.grade.0);
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
            effort,
            moves: [best, NO_MOVE],
        };
    }
}
