//! Bit-parallel rules on raw bit sets, on the hot path of everything else.
//!
//! Moves are found for all squares at once by shifts, flips for one square along its rays.
//!
//! A step is a shift by 1, 7, 8 or 9 bits. Before a sideways step, the opponent's discs on files a and h are masked out so
//! that no run wraps around the edge. Only the opponent's discs need the mask: the squares at both ends of a bracketed run
//! may be on the edge, but the run itself can't cross it.

/// Squares that a horizontal or diagonal run may pass through: all but files a and h.
const INNER_FILES: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// Returns the legal moves of the side with the discs `player`.
pub(crate) const fn legal_moves(player: u64, opponent: u64) -> u64 {
    let inner = opponent & INNER_FILES;
    let found = moves_along_ranks(player, inner)
        | moves_along(player, opponent, 8)
        | moves_along(player, inner, 7)
        | moves_along(player, inner, 9);
    found & !(player | opponent)
}

/// Squares one step beyond a run of `through` discs that starts beside a `player` disc, both ways along one axis (and
/// squares inside runs, which are occupied).
///
/// A run has at most six discs: one step, then a fill that doubles (1, 2, then 2 + 2 more).
const fn moves_along(player: u64, through: u64, shift: u32) -> u64 {
    let mut up = through & (player << shift);
    let mut down = through & (player >> shift);
    up |= through & (up << shift);
    down |= through & (down >> shift);
    let pairs_up = through & (through << shift);
    let pairs_down = pairs_up >> shift;
    up |= pairs_up & (up << (2 * shift));
    down |= pairs_down & (down >> (2 * shift));
    up |= pairs_up & (up << (2 * shift));
    down |= pairs_down & (down >> (2 * shift));
    (up << shift) | (down >> shift)
}

/// The same along the ranks. There the bits of a run are adjacent, so adding 1 at its lowest bit carries through the whole
/// run. Nothing carries downwards, so that direction needs a fill.
const fn moves_along_ranks(player: u64, through: u64) -> u64 {
    let up = through.wrapping_add(through & (player << 1));
    let mut down = through & (player >> 1);
    down |= through & (down >> 1);
    let pairs_down = through & (through >> 1);
    down |= pairs_down & (down >> 2);
    down |= pairs_down & (down >> 2);
    up | (down >> 1)
}

/// The squares beyond each square towards higher bits, and towards lower ones.
static RAYS: [[[u64; 4]; 64]; 2] = [rays(1), rays(-1)];

/// The squares beyond each square along the four axes, in the order of the shifts 1, 7, 8, 9: towards higher bits (1) or lower ones
/// (−1).
#[must_use]
pub const fn rays(sign: i32) -> [[u64; 4]; 64] {
    // (files, ranks) of a step upwards.
    const STEPS: [(i32, i32); 4] = [(1, 0), (-1, 1), (0, 1), (1, 1)];
    let mut rays = [[0; 4]; 64];
    let mut index = 0;
    while index < 64 {
        let mut axis = 0;
        while axis < 4 {
            let (files, ranks) = STEPS[axis];
            rays[index][axis] = ray(index as i32, sign * files, sign * ranks);
            axis += 1;
        }
        index += 1;
    }
    rays
}

/// The squares from `index` (exclusive) to the edge of the board.
const fn ray(index: i32, files: i32, ranks: i32) -> u64 {
    let (mut file, mut rank) = (index % 8 + files, index / 8 + ranks);
    let mut squares = 0;
    while 0 <= file && file < 8 && 0 <= rank && rank < 8 {
        squares |= 1 << (rank * 8 + file);
        file += files;
        rank += ranks;
    }
    squares
}

/// Returns the opponent's discs that flip when the side with `player` plays on the square `index` (0–63), which must be
/// empty.
///
/// The first square of a ray that isn't the opponent's decides: if it's the player's, all squares before it flip.
pub(crate) const fn flips(player: u64, opponent: u64, index: u32) -> u64 {
    let index = (index & 63) as usize;
    let (up, down) = (&RAYS[0][index], &RAYS[1][index]);
    flips_up(player, opponent, up[0])
        | flips_up(player, opponent, up[1])
        | flips_up(player, opponent, up[2])
        | flips_up(player, opponent, up[3])
        | flips_down(player, opponent, down[0])
        | flips_down(player, opponent, down[1])
        | flips_down(player, opponent, down[2])
        | flips_down(player, opponent, down[3])
}

/// With ones everywhere off the ray, adding 1 carries up to the ray and on through the opponent's run.
const fn flips_up(player: u64, opponent: u64, ray: u64) -> u64 {
    let end = (opponent | !ray).wrapping_add(1) & ray & player;
    end.wrapping_sub((end != 0) as u64) & ray
}

/// Downwards, the highest bit that isn't the opponent's ends the run. Negating it gives all bits above.
const fn flips_down(player: u64, opponent: u64, ray: u64) -> u64 {
    // If the whole ray is the opponent's there's no such bit. Bit 0 stands in for it: it's the opponent's or off the ray.
    let last = 1 << (63 - (ray & !opponent | 1).leading_zeros());
    let end = last & ray & player;
    (end << 1).wrapping_neg() & ray
}

/// For each of the eight directions, returns the discs that a move to the square `index` (0–63) by the side with `mover` may
/// have flipped: the unbroken run of its discs beside the square, except the last one, which must have been there before.
pub(crate) const fn runs(mover: u64, index: u32) -> [u64; 8] {
    let index = (index & 63) as usize;
    let mut runs = [0; 8];
    let mut axis = 0;
    while axis < 4 {
        // The run ends before the first square that isn't the mover's, or at the end of the ray.
        let (up, down) = (RAYS[0][index][axis], RAYS[1][index][axis]);
        let end = up & !mover;
        let run = up & (end & end.wrapping_neg()).wrapping_sub(1);
        runs[axis] = run & !highest(run);
        let end = highest(down & !mover);
        let run = down & !(end << 1).wrapping_sub((end != 0) as u64);
        runs[axis + 4] = run & run.wrapping_sub(1);
        axis += 1;
    }
    runs
}

/// The disc of one of the [`runs`] that is nearest to the square it starts from.
pub(crate) const fn nearest(run: u64, direction: usize) -> u64 {
    if direction < 4 {
        run & run.wrapping_neg()
    } else {
        highest(run)
    }
}

/// The highest set bit, or 0 if there is none.
const fn highest(bits: u64) -> u64 {
    match bits.checked_ilog2() {
        Some(index) => 1 << index,
        None => 0,
    }
}

/// Turns the board upside down: rank 1 becomes rank 8.
pub(crate) const fn flip_ranks(bits: u64) -> u64 {
    bits.swap_bytes()
}

/// Mirrors the board: file a becomes file h.
pub(crate) const fn flip_files(bits: u64) -> u64 {
    bits.reverse_bits().swap_bytes()
}

/// Mirrors the board along the diagonal a1–h8: b1 becomes a2.
pub(crate) const fn transpose(bits: u64) -> u64 {
    let mut x = bits;
    let mut t = (x ^ (x >> 7)) & 0x00aa_00aa_00aa_00aa;
    x ^= t ^ (t << 7);
    t = (x ^ (x >> 14)) & 0x0000_cccc_0000_cccc;
    x ^= t ^ (t << 14);
    t = (x ^ (x >> 28)) & 0x0000_0000_f0f0_f0f0;
    x ^ t ^ (t << 28)
}
