//! Everything that depends on the processor.
//!
//! The search is written once, generic over [`Cpu`], and compiled twice: for any processor, and for processors with AVX2 and the
//! bit instructions that came with it. The recursive functions are compiled once per processor ([`Recursive`]). All other
//! functions are `#[inline(always)]`, so they are compiled with the instructions of the function that they end up in.
#![allow(unsafe_code)]

use super::node::{Discs, Node};
use super::search::Search;
use super::{endgame, midgame};
use obook_othello::{Board, Square};

/// Finds and plays moves.
pub(crate) trait Cpu: Copy + Send + 'static {
    /// The discs that flip when the side to move plays on this empty square; 0 if the move is illegal.
    fn flips(self, discs: Discs, square: usize) -> u64;

    /// The legal moves.
    fn moves(self, discs: Discs) -> u64;
}

/// Any processor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

impl Cpu for Portable {
    #[inline(always)]
    fn flips(self, discs: Discs, square: usize) -> u64 {
        match (board(discs), Square::new(square as u8)) {
            (Some(board), Some(square)) => board.flips(square).0,
            _ => 0,
        }
    }

    #[inline(always)]
    fn moves(self, discs: Discs) -> u64 {
        board(discs).map_or(0, |board| board.legal_moves().0)
    }
}

#[inline(always)]
fn board(discs: Discs) -> Option<Board> {
    Board::new(discs.player, discs.opponent).ok()
}

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2;

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use crate::inside::cpu::Cpu;
    use crate::inside::node::Discs;
    use std::arch::x86_64::*;

    /// A processor with AVX2, BMI1, BMI2, LZCNT and POPCNT. Only [`Avx2::detect`] creates a value, which proves that the functions
    /// below may be called.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Avx2(());

    impl Avx2 {
        /// Returns the proof if this processor has all of these.
        pub(crate) fn detect() -> Option<Avx2> {
            (is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt"))
            .then_some(Avx2(()))
        }
    }

    /// The squares above each square along the four axes (shifts 1, 7, 8, 9).
    static UP: [[u64; 4]; 64] = obook_othello::rays(1);

    /// The four axes' shifts.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn steps() -> __m256i {
        _mm256_set_epi64x(9, 8, 7, 1)
    }

    /// The opponent's discs that a run along each axis may pass through. Files a and h end all runs except vertical ones.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn passable(opponent: u64) -> __m256i {
        const INNER: i64 = 0x7e7e_7e7e_7e7e_7e7e;
        _mm256_and_si256(
            _mm256_set1_epi64x(opponent as i64),
            _mm256_set_epi64x(INNER, -1, INNER, INNER),
        )
    }

    /// A run, and what of it lies within `through` after a step.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn longer(run: __m256i, through: __m256i, stepped: __m256i) -> __m256i {
        _mm256_or_si256(run, _mm256_and_si256(through, stepped))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn union(lanes: __m256i) -> u64 {
        let half: __m128i = _mm_or_si128(
            _mm256_castsi256_si128(lanes),
            _mm256_extracti128_si256::<1>(lanes),
        );
        _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half))) as u64
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline]
    fn flips(discs: Discs, square: usize) -> u64 {
        let player = _mm256_set1_epi64x(discs.player as i64);
        let zero = _mm256_setzero_si256();
        let [a, b, c, d] = UP[square & 63];
        let ray = _mm256_set_epi64x(d as i64, c as i64, b as i64, a as i64);
        // Upwards: with ones everywhere off the ray, adding 1 carries through the opponent's run.
        let opponent = _mm256_set1_epi64x(discs.opponent as i64);
        let ones = _mm256_set1_epi64x(-1);
        let filled = _mm256_or_si256(opponent, _mm256_xor_si256(ray, ones));
        let carried = _mm256_sub_epi64(filled, ones);
        let end = _mm256_and_si256(_mm256_and_si256(carried, ray), player);
        let none = _mm256_cmpeq_epi64(end, zero);
        let below = _mm256_sub_epi64(end, _mm256_andnot_si256(none, _mm256_set1_epi64x(1)));
        let upwards = _mm256_and_si256(below, ray);
        // Downwards: fill the run by doubling, and keep it if the player's disc is behind it.
        let step = steps();
        let through = passable(discs.opponent);
        let start = _mm256_set1_epi64x(1i64 << (square & 63));
        let mut run = _mm256_and_si256(_mm256_srlv_epi64(start, step), through);
        run = longer(run, through, _mm256_srlv_epi64(run, step));
        let pairs = _mm256_and_si256(through, _mm256_srlv_epi64(through, step));
        let double = _mm256_add_epi64(step, step);
        run = longer(run, pairs, _mm256_srlv_epi64(run, double));
        run = longer(run, pairs, _mm256_srlv_epi64(run, double));
        let behind = _mm256_and_si256(_mm256_srlv_epi64(run, step), player);
        let none = _mm256_cmpeq_epi64(behind, zero);
        union(_mm256_or_si256(upwards, _mm256_andnot_si256(none, run)))
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline]
    fn moves(discs: Discs) -> u64 {
        let player = _mm256_set1_epi64x(discs.player as i64);
        let step = steps();
        let double = _mm256_add_epi64(step, step);
        let through = passable(discs.opponent);
        let mut up = _mm256_and_si256(through, _mm256_sllv_epi64(player, step));
        let mut down = _mm256_and_si256(through, _mm256_srlv_epi64(player, step));
        up = longer(up, through, _mm256_sllv_epi64(up, step));
        down = longer(down, through, _mm256_srlv_epi64(down, step));
        let pairs_up = _mm256_and_si256(through, _mm256_sllv_epi64(through, step));
        let pairs_down = _mm256_srlv_epi64(pairs_up, step);
        up = longer(up, pairs_up, _mm256_sllv_epi64(up, double));
        down = longer(down, pairs_down, _mm256_srlv_epi64(down, double));
        up = longer(up, pairs_up, _mm256_sllv_epi64(up, double));
        down = longer(down, pairs_down, _mm256_srlv_epi64(down, double));
        let ends = _mm256_or_si256(_mm256_sllv_epi64(up, step), _mm256_srlv_epi64(down, step));
        union(ends) & discs.empty()
    }

    impl Cpu for Avx2 {
        #[inline(always)]
        fn flips(self, discs: Discs, square: usize) -> u64 {
            // SAFETY: `self` proves that the processor has the instructions.
            unsafe { flips(discs, square) }
        }

        #[inline(always)]
        fn moves(self, discs: Discs) -> u64 {
            // SAFETY: `self` proves that the processor has the instructions.
            unsafe { moves(discs) }
        }
    }
}

/// Declares the recursive functions. Each is compiled twice: for any processor, and with the instructions of [`Avx2`].
macro_rules! recursive {
    ($(fn $name:ident($($argument:ident: $kind:ty),*) = $function:path;)*) => {
        /// The recursive functions, compiled for this processor.
        pub(crate) trait Recursive: Cpu {
            $(fn $name(search: &mut Search<Self>, $($argument: $kind),*) -> i32;)*
        }

        impl Recursive for Portable {
            $(
                fn $name(search: &mut Search<Self>, $($argument: $kind),*) -> i32 {
                    $function(search, $($argument),*)
                }
            )*
        }

        #[cfg(target_arch = "x86_64")]
        impl Recursive for Avx2 {
            $(
                #[inline(always)]
                fn $name(search: &mut Search<Self>, $($argument: $kind),*) -> i32 {
                    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
                    fn compiled(search: &mut Search<Avx2>, $($argument: $kind),*) -> i32 {
                        $function(search, $($argument),*)
                    }
                    // SAFETY: `search.cpu` proves that the processor has the instructions.
                    unsafe { compiled(search, $($argument),*) }
                }
            )*
        }
    };
}

recursive! {
    fn midgame(node: &Node, alpha: i32, depth: u32) = midgame::null_window;
    fn principal_variation(node: &Node, alpha: i32, beta: i32, depth: u32)
        = midgame::principal_variation;
    fn endgame(discs: Discs, alpha: i32, empties: u32) = endgame::null_window;
    fn by_parity(discs: Discs, alpha: i32, empties: u32) = endgame::by_parity;
}
