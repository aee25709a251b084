//! Stable discs, which can't be flipped any more, as a bound of the score. Not all of them are found.

use super::cpu::{Cpu, Portable};
use super::node::Discs;
use std::sync::LazyLock;

const FILE_A: u64 = 0x0101_0101_0101_0101;
const RANK_1: u64 = 0xff;

/// For each state of an edge, `player + 256 × opponent`, the player's discs that no play on this edge can flip.
pub(crate) static EDGES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut edges = vec![0xff; 65_536];
    // Fuller edges first, since plays on other edges lead to them.
    let mut contents: Vec<usize> = (0..65_536).filter(|c| (c & 0xff) & (c >> 8) == 0).collect();
    contents.sort_by_key(|c| std::cmp::Reverse(c.count_ones()));
    for c in contents {
        let (player, opponent) = ((c & 0xff) as u8, (c >> 8) as u8);
        let mut stable = player;
        for square in 0..8u8 {
            let disc = 1 << square;
            if (player | opponent) & disc == 0 {
                // Either side may play here.
                let own = flips_on_edge(player, opponent, square);
                stable &= edges[index(player | disc | own, opponent & !own)];
                let theirs = flips_on_edge(opponent, player, square);
                stable &= edges[index(player & !theirs, opponent | disc | theirs)];
            }
        }
        edges[c] = stable & player;
    }
    edges
});

fn index(player: u8, opponent: u8) -> usize {
    usize::from(player) | usize::from(opponent) << 8
}

/// The discs that a play on this square of an edge flips there. The edge lies on the first rank of an empty board.
fn flips_on_edge(player: u8, opponent: u8, square: u8) -> u8 {
    let edge = Discs {
        player: player.into(),
        opponent: opponent.into(),
    };
    Portable.flips(edge, square.into()) as u8
}

/// The player's discs that are certainly stable: on edges, where all lines are full, and next to those. `edges` is [`EDGES`], which a
/// search looks up only once.
#[inline(always)]
pub(crate) fn stable(edges: &[u8], discs: Discs) -> u64 {
    let Discs { player, opponent } = discs;
    let mut stable = stable_on_edges(edges, player, opponent);
    let taken = player | opponent;
    let ranks = full_ranks(taken);
    let files = full_files(taken);
    let (rising, falling) = full_diagonals(taken);
    let inner = player & 0x007e_7e7e_7e7e_7e00;
    stable |= ranks & files & rising & falling & inner;
    if stable == 0 {
        return 0;
    }
    loop {
        let along = |shift: u32, full: u64| stable >> shift | stable << shift | full;
        let more = along(1, ranks) & along(8, files) & along(7, rising) & along(9, falling) & inner;
        if more & !stable == 0 {
            return stable;
        }
        stable |= more;
    }
}

#[inline(always)]
fn stable_on_edges(edges: &[u8], player: u64, opponent: u64) -> u64 {
    let look =
        |player: u64, opponent: u64| u64::from(edges[(player | opponent << 8) as usize & 0xffff]);
    let top = look(player & RANK_1, opponent & RANK_1);
    let bottom = look(player >> 56, opponent >> 56);
    let left = look(file_a(player), file_a(opponent));
    let right = look(file_a(player >> 7), file_a(opponent >> 7));
    top | bottom << 56 | to_file_a(left) | to_file_a(right) << 7
}

/// Packs the discs on file a into eight bits, rank 1 first.
#[inline(always)]
fn file_a(discs: u64) -> u64 {
    (discs & FILE_A).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Unpacks eight bits to squares on file a.
#[inline(always)]
fn to_file_a(bits: u64) -> u64 {
    let spread = (bits & 0x0f) | (bits & 0xf0) << 28;
    let spread = (spread | spread << 14) & 0x0003_0003_0003_0003;
    (spread | spread << 7) & FILE_A
}

#[inline(always)]
fn full_ranks(taken: u64) -> u64 {
    let mut full = taken & taken >> 4 & 0x0f0f_0f0f_0f0f_0f0f;
    full &= full >> 2;
    full &= full >> 1;
    (full & FILE_A).wrapping_mul(0xff)
}

#[inline(always)]
fn full_files(taken: u64) -> u64 {
    let full = taken & taken.rotate_right(32);
    let full = full & full.rotate_right(16);
    full & full.rotate_right(8)
}

/// The squares whose rising (shift 7) and falling (shift 9) diagonals have no empty square.
#[inline(always)]
fn full_diagonals(taken: u64) -> (u64, u64) {
    let along = |shift: u32, [mut up, mut down]: [u64; 2]| {
        let (mut above, mut below) = (taken, taken);
        for shift in [shift, 2 * shift, 4 * shift] {
            // A step off the board counts as occupied.
            above &= above << shift | up;
            below &= below >> shift | down;
            up |= up << shift;
            down |= down >> shift;
        }
        above & below
    };
    // The squares whose neighbour one step back is off the board.
    const RANK_8: u64 = RANK_1 << 56;
    const FILE_H: u64 = FILE_A << 7;
    let rising = along(7, [RANK_1 | FILE_H, RANK_8 | FILE_A]);
    let falling = along(9, [RANK_1 | FILE_A, RANK_8 | FILE_H]);
    (rising, falling)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(taken: u64, files: i32, ranks: i32) -> u64 {
        let mut full = 0;
        for square in 0..64 {
            let all = [1, -1].iter().all(|sign| {
                let (mut file, mut rank) = (square % 8, square / 8);
                let mut taken_so_far = true;
                while (0..8).contains(&file) && (0..8).contains(&rank) {
                    taken_so_far &= taken >> (rank * 8 + file) & 1 == 1;
                    file += sign * files;
                    rank += sign * ranks;
                }
                taken_so_far
            });
            full |= u64::from(all) << square;
        }
        full
    }

    /// Stable discs stay, however the game continues.
    ///
    /// Law (Searches): Discs counted as stable can't be flipped.
    /// Also: `full_lines`
    #[test]
    fn stable_discs_stay() {
        let mut stable_discs = 0;
        for seed in 0..300 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut board = obook_othello::Board::START;
            // The discs found stable for the side to move, and for the other side.
            let mut kept = [0u64; 2];
            while !board.is_over() {
                let discs = Discs::new(board);
                let found = [discs, discs.passed()].map(|side| stable(&EDGES, side));
                assert_eq!(
                    kept[0] & !found[0] & !discs.player,
                    0,
                    "{}",
                    board.diagram()
                );
                assert_eq!(
                    kept[1] & !found[1] & !discs.opponent,
                    0,
                    "{}",
                    board.diagram()
                );
                kept = [kept[1] | found[1], kept[0] | found[0]];
                stable_discs += kept[0].count_ones() + kept[1].count_ones();
                let moves: Vec<_> = board.moves().collect();
                board = board.play(moves[random.usize(..moves.len())]).unwrap();
            }
            assert_eq!(kept[0] & !board.player(), 0);
            assert_eq!(kept[1] & !board.opponent(), 0);
        }
        assert!(stable_discs > 10_000, "{stable_discs}");
    }

    proptest::proptest! {
        /// Full lines equal those found by walking.
        #[test]
        fn full_lines(a: u64, b: u64, c: u64, d: u64) {
            let taken = a | b | c | d;
            proptest::prop_assert_eq!(full_ranks(taken), walk(taken, 1, 0));
            proptest::prop_assert_eq!(full_files(taken), walk(taken, 0, 1));
            let (rising, falling) = full_diagonals(taken);
            proptest::prop_assert_eq!(rising, walk(taken, -1, 1));
            proptest::prop_assert_eq!(falling, walk(taken, 1, 1));
        }
    }
}
