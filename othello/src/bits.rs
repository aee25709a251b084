//! Bit-parallel rules on raw bit sets: the hot path of everything else.
//!
//! A ray is a shift by 1, 7, 8 or 9 bits; before shifting sideways, the opponent's discs on the a and h files are
//! masked away so that no ray wraps around the edge. Only the opponent's discs need the mask: the squares at both ends
//! of a bracketed run may be on the edge, the run itself can't cross it.

/// Squares that a horizontal or diagonal run may pass through: not files a and h.
const INNER_FILES: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// The squares where the side with the discs `player` may move.
pub(crate) const fn legal_moves(player: u64, opponent: u64) -> u64 {
    let inner = opponent & INNER_FILES;
    let found = moves_along(player, inner, 1)
        | moves_along(player, opponent, 8)
        | moves_along(player, inner, 7)
        | moves_along(player, inner, 9);
    found & !(player | opponent)
}

/// Squares one step behind a run of `through` discs that starts beside a `player` disc, both ways along one axis.
///
/// A run has at most six discs: one step, then a doubling fill of the rest (1, 2, then 2 + 2 more).
const fn moves_along(player: u64, through: u64, shift: u32) -> u64 {
    let mut up = through & (player << shift);
    let mut down = through & (player >> shift);
    up |= through & (up << shift);
    down |= through & (down >> shift);
    let through_up = through & (through << shift);
    let through_down = through & (through >> shift);
    up |= through_up & (up << (2 * shift));
    down |= through_down & (down >> (2 * shift));
    up |= through_up & (up << (2 * shift));
    down |= through_down & (down >> (2 * shift));
    (up << shift) | (down >> shift)
}

/// The opponent's discs that turn when the side with `player` moves to the square `index` (0–63); 0 where none does.
/// The square itself must be empty.
pub(crate) const fn flips(player: u64, opponent: u64, index: u32) -> u64 {
    let square = 1u64 << index;
    let inner = opponent & INNER_FILES;
    flips_along(player, inner, square, 1)
        | flips_along(player, opponent, square, 8)
        | flips_along(player, inner, square, 7)
        | flips_along(player, inner, square, 9)
}

/// The flipped runs along one axis: those between `square` and a disc of `player`.
const fn flips_along(player: u64, through: u64, square: u64, shift: u32) -> u64 {
    let mut up = through & (square << shift);
    let mut down = through & (square >> shift);
    up |= through & (up << shift);
    down |= through & (down >> shift);
    let through_up = through & (through << shift);
    let through_down = through & (through >> shift);
    up |= through_up & (up << (2 * shift));
    down |= through_down & (down >> (2 * shift));
    up |= through_up & (up << (2 * shift));
    down |= through_down & (down >> (2 * shift));
    // A run counts only where a disc of the player closes it.
    let up_closed = (up << shift) & player != 0;
    let down_closed = (down >> shift) & player != 0;
    (if up_closed { up } else { 0 }) | (if down_closed { down } else { 0 })
}

/// The board upside down: rank 1 becomes rank 8.
pub(crate) const fn flip_ranks(bits: u64) -> u64 {
    bits.swap_bytes()
}

/// The board mirrored: file a becomes file h.
pub(crate) const fn flip_files(bits: u64) -> u64 {
    bits.reverse_bits().swap_bytes()
}

/// The board mirrored along the diagonal a1–h8: b1 becomes a2.
pub(crate) const fn transpose(bits: u64) -> u64 {
    let mut x = bits;
    let mut t = (x ^ (x >> 7)) & 0x00aa_00aa_00aa_00aa;
    x ^= t ^ (t << 7);
    t = (x ^ (x >> 14)) & 0x0000_cccc_0000_cccc;
    x ^= t ^ (t << 14);
    t = (x ^ (x >> 28)) & 0x0000_0000_f0f0_f0f0;
    x ^ t ^ (t << 28)
}
