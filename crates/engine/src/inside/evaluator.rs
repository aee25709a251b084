//! The evaluator: an estimate of a position's score from patterns, mobility and parity.
//!
//! Weights are given at knots, some plies apart, and interpolated in between. They come from training (docs/research/evaluator.md) and
//! are stored as 16-bit multiples of 1/128 disc.

use super::cpu::Portable;
use super::node::{Discs, Node, QUADRANTS};
use super::patterns::{Contents, FEATURES, LAYOUT, Layout};
use obook_othello::Board;
use std::sync::{Arc, LazyLock, OnceLock};
use thiserror::Error;

/// The number of plies between two knots.
const SPACING: usize = 5;

/// The number of move counts with their own weight. Greater ones share the last.
const COUNTS: usize = 34;

/// The possible numbers of quadrants with an odd number of empty squares: 0 to 4.
const ODD_QUADRANTS: usize = 5;

/// One disc in units of weights.
const DISC: i32 = 128;

/// The magic of a file of weights.
const MAGIC: &[u8; 8] = b"OBOOKEV1";

/// The bound of estimates: ±64 are scores of finished games only.
const BOUND: i32 = 62;

/// Weights for all stages of the game.
pub struct Evaluator {
    pub(crate) layout: &'static Layout,
    knots: Vec<Vec<i16>>,
    /// A constant for each ply.
    constant: Vec<i16>,
    /// The weights of each ply for the side with digit 1 and the side with digit 2, computed when first needed.
    stages: Vec<[OnceLock<Stage>; 2]>,
}

/// Why weights can't be read.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum WeightsError {
    /// They aren't properly compressed, or are damaged.
    #[error("the weights can't be decompressed: {0}")]
    Compression(String),
    /// They are something else, or of another version.
    #[error(
        "not weights of this version: expected {expected} bytes that begin with OBOOKEV1, found {found}"
    )]
    Length {
        /// The expected number of bytes.
        expected: usize,
        /// The number of bytes found.
        found: usize,
    },
}

/// The weights of one ply, ready for look-ups.
struct Stage {
    contents: Vec<i16>,
    own_moves: [i16; COUNTS],
    their_moves: [i16; COUNTS],
    odd_quadrants: [i16; ODD_QUADRANTS],
    constant: i32,
}

/// The weights whose sum is a position's estimate, for training.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The knots on both sides.
    pub knots: [usize; 2],
    /// The share of the second knot, from 0 to less than 1.
    pub share: f32,
    /// The numbers of the weights at each knot.
    pub weights: [u32; FEATURES + 3],
    /// The number of discs placed since the start, which has its own constant.
    pub ply: usize,
}

static COMPRESSED: &[u8] = include_bytes!("../../weights.zst");

/// The built-in weights.
static BUILT_IN: LazyLock<Arc<Evaluator>> = LazyLock::new(|| {
    Arc::new(Evaluator::read(COMPRESSED).expect("the weights in this program are whole"))
});

impl Evaluator {
    /// The built-in weights.
    #[must_use]
    pub fn built_in() -> Arc<Evaluator> {
        Arc::clone(&BUILT_IN)
    }

    /// The number of weights per knot.
    #[must_use]
    pub fn weights_of_a_knot() -> usize {
        LAYOUT.weights + 2 * COUNTS + ODD_QUADRANTS
    }

    /// The number of knots from the first ply to the last.
    pub const KNOTS: usize = 60 / SPACING + 1;

    /// Creates an evaluator from weights in 1/128 disc: [`Evaluator::weights_of_a_knot`] per knot, and a constant for each of the
    /// plies 0 to 60.
    #[must_use]
    pub fn new(knots: Vec<Vec<i16>>, constant: Vec<i16>) -> Evaluator {
        assert_eq!((knots.len(), constant.len()), (Self::KNOTS, 61));
        let is_whole = |knot: &Vec<i16>| knot.len() == Self::weights_of_a_knot();
        assert!(knots.iter().all(is_whole));
        Evaluator {
            layout: &LAYOUT,
            knots,
            constant,
            stages: (0..=60).map(|_| [const { OnceLock::new() }; 2]).collect(),
        }
    }

    /// The weights, as for [`Evaluator::new`].
    #[must_use]
    pub fn weights(&self) -> (&[Vec<i16>], &[i16]) {
        (&self.knots, &self.constant)
    }

    /// Reads compressed weights and checks their checksum.
    ///
    /// # Errors
    /// Returns [`WeightsError`] if they are damaged or of another version.
    pub fn read(compressed: &[u8]) -> Result<Evaluator, WeightsError> {
        let per_knot = Self::weights_of_a_knot();
        let expected = MAGIC.len() + 2 * (Self::KNOTS * per_knot + 61);
        let bytes = zstd::bulk::decompress(compressed, expected)
            .map_err(|error| WeightsError::Compression(error.to_string()))?;
        let rest = bytes.strip_prefix(MAGIC);
        let Some(rest) = rest.filter(|_| bytes.len() == expected) else {
            let found = bytes.len();
            return Err(WeightsError::Length { expected, found });
        };
        // All low bytes come first, then all high bytes, which are nearly the same and compress well.
        let (low, high) = rest.split_at(rest.len() / 2);
        let all: Vec<i16> = low
            .iter()
            .zip(high)
            .map(|(low, high)| i16::from_le_bytes([*low, *high]))
            .collect();
        let (constant, knots) = all.split_at(61);
        let knots = knots.chunks(per_knot).map(<[i16]>::to_vec);
        Ok(Evaluator::new(knots.collect(), constant.to_vec()))
    }

    /// Compresses the weights, with a checksum.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let weights = self.constant.iter().chain(self.knots.iter().flatten());
        let all: Vec<[u8; 2]> = weights.map(|weight| weight.to_le_bytes()).collect();
        let mut bytes = MAGIC.to_vec();
        bytes.extend(all.iter().map(|weight| weight[0]));
        bytes.extend(all.iter().map(|weight| weight[1]));
        let mut compressor = zstd::bulk::Compressor::new(19).expect("a level that zstd has");
        compressor
            .include_checksum(true)
            .and_then(|()| compressor.compress(&bytes))
            .expect("memory can be compressed")
    }

    /// The weights whose sum is the estimate of a position.
    #[must_use]
    pub fn parts(board: Board) -> Parts {
        let discs = Discs::new(board);
        let own_moves = board.legal_moves().len();
        let their_moves = board.passed().legal_moves().len();
        let ply = ply(discs);
        let mut weights = [0; FEATURES + 3];
        let indices = Contents::new(discs.player, discs.opponent).indices(&LAYOUT);
        for (weight, index) in weights.iter_mut().zip(indices) {
            *weight = LAYOUT.packed[index];
        }
        let first = LAYOUT.weights;
        weights[FEATURES] = (first + own_moves.min(COUNTS - 1)) as u32;
        weights[FEATURES + 1] = (first + COUNTS + their_moves.min(COUNTS - 1)) as u32;
        weights[FEATURES + 2] = (first + 2 * COUNTS + odd_quadrants(discs.empty())) as u32;
        Parts {
            knots: [ply / SPACING, (ply / SPACING + 1).min(Self::KNOTS - 1)],
            share: (ply % SPACING) as f32 / SPACING as f32,
            weights,
            ply,
        }
    }

    /// Estimates the score in discs for the side to move, without a search. It's exact if the game is over.
    ///
    /// ```
    /// use obook_engine::Evaluator;
    /// use obook_othello::Board;
    /// assert!(Evaluator::built_in().estimate(Board::START).abs() < 10);
    /// ```
    #[must_use]
    pub fn estimate(&self, board: Board) -> i8 {
        Node::new(Discs::new(board)).estimate(Portable, self) as i8
    }

    /// Estimates the score in discs for the side to move, which must have a move.
    #[inline(always)]
    pub(crate) fn score(
        &self,
        discs: Discs,
        contents: &Contents,
        second: bool,
        own_moves: u64,
        their_moves: u64,
    ) -> i32 {
        let stage = self.stage(discs, second);
        let mut sum = stage.constant;
        for index in contents.indices(self.layout) {
            sum += i32::from(stage.contents[index]);
        }
        sum += i32::from(stage.own_moves[(own_moves.count_ones() as usize).min(COUNTS - 1)]);
        sum += i32::from(stage.their_moves[(their_moves.count_ones() as usize).min(COUNTS - 1)]);
        sum += i32::from(stage.odd_quadrants[odd_quadrants(discs.empty())]);
        // Round to the nearest disc, symmetrically for both signs.
        let rounded = (sum.abs() + DISC / 2) / DISC * sum.signum();
        rounded.clamp(-BOUND, BOUND)
    }

    #[inline(always)]
    fn stage(&self, discs: Discs, second: bool) -> &Stage {
        let ply = ply(discs);
        self.stages[ply][usize::from(second)].get_or_init(|| self.interpolate(ply, second))
    }

    #[cold]
    fn interpolate(&self, ply: usize, second: bool) -> Stage {
        let layout: &Layout = &LAYOUT;
        let (knot, share) = (ply / SPACING, (ply % SPACING) as i32);
        let near = &self.knots[knot];
        let far = &self.knots[(knot + 1).min(Self::KNOTS - 1)];
        let between = |number: usize| {
            let sum =
                i32::from(near[number]) * (SPACING as i32 - share) + i32::from(far[number]) * share;
            (sum / SPACING as i32) as i16
        };
        let contents = (0..layout.packed.len())
            .map(|content| {
                let seen = match second {
                    true => layout.exchanged[content] as usize,
                    false => content,
                };
                between(layout.packed[seen] as usize)
            })
            .collect();
        let first = layout.weights;
        Stage {
            contents,
            own_moves: std::array::from_fn(|count| between(first + count)),
            their_moves: std::array::from_fn(|count| between(first + COUNTS + count)),
            odd_quadrants: std::array::from_fn(|count| between(first + 2 * COUNTS + count)),
            constant: i32::from(self.constant[ply]),
        }
    }
}

/// The number of discs placed since the start, 0 to 60. A board with an incomplete centre counts as ply 0.
#[inline(always)]
fn ply(discs: Discs) -> usize {
    (60u32.saturating_sub(discs.empty().count_ones())) as usize
}

/// The number of quadrants with an odd number of empty squares.
#[inline(always)]
fn odd_quadrants(empty: u64) -> usize {
    QUADRANTS
        .iter()
        .map(|quadrant| (empty & quadrant).count_ones() as usize & 1)
        .sum()
}

impl std::fmt::Debug for Evaluator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Evaluator").finish_non_exhaustive()
    }
}
