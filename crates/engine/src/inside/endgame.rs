//! The search of the last squares to the end of the game, without the evaluator.
//!
//! Moves that leave the other side few replies come first (fastest first), then moves into regions with an odd number of empty
//! squares (parity). The last four squares have functions of their own.

use super::cpu::Recursive;
use super::node::{CORNERS, Candidates, Discs, QUADRANTS, squares};
use super::probcut::Grade;
use super::search::{Search, cutoff, look_ahead, stable_bound};
use super::table::{Effort, NO_MOVE};

/// Up to this many empty squares, moves are ordered by parity alone and the table isn't used.
const BY_PARITY: u32 = 6;

/// The neighbours of each square.
static AROUND: [u64; 64] = around();

const fn around() -> [u64; 64] {
    let mut all = [0; 64];
    let mut square = 0;
    while square < 64 {
        let bit = 1u64 << square;
        let row = bit | (bit & 0x7f7f_7f7f_7f7f_7f7f) << 1 | (bit & 0xfefe_fefe_fefe_fefe) >> 1;
        all[square] = (row | row << 8 | row >> 8) & !bit;
        square += 1;
    }
    all
}

/// Quadrants with an odd number of empty squares.
#[inline(always)]
fn odd_regions(empty: u64) -> u64 {
    let mut odd = 0;
    for quadrant in QUADRANTS {
        odd |= quadrant * u64::from((empty & quadrant).count_ones() & 1 == 1);
    }
    odd
}

/// Finds out whether the score is greater than `alpha`, with `empties` empty squares.
#[inline(always)]
pub(crate) fn null_window<C: Recursive>(
    search: &mut Search<C>,
    discs: Discs,
    alpha: i32,
    empties: u32,
) -> i32 {
    if empties <= BY_PARITY {
        return C::by_parity(search, discs, alpha, empties);
    }
    search.nodes += 1;
    if search.must_stop() {
        return alpha;
    }
    if let Some(bound) = stable_bound(search, discs, alpha) {
        return bound;
    }
    let moves = search.cpu.moves(discs);
    if moves == 0 {
        let passed = discs.passed();
        if search.cpu.moves(passed) == 0 {
            return discs.final_score();
        }
        return -C::endgame(search, passed, -alpha - 1, empties);
    }
    let effort = Effort {
        depth: empties,
        grade: Grade::FULL,
    };
    let known = search.table.get(discs);
    if let Some(entry) = known
        && let Some(score) = cutoff(&entry, effort, alpha)
    {
        return score;
    }
    let best_known = known.map_or([NO_MOVE; 2], |entry| entry.moves);
    let odd = odd_regions(discs.empty());
    let mut candidates = Candidates::new();
    for square in squares(moves) {
        let flips = search.cpu.flips(discs, square);
        let child = discs.after(square, flips);
        let promise = if square == usize::from(best_known[0]) {
            1 << 20
        } else if square == usize::from(best_known[1]) {
            1 << 19
        } else if flips == discs.opponent {
            1 << 21
        } else {
            let replies = search.cpu.moves(child);
            let corners = replies & CORNERS;
            let mobility = (replies.count_ones() + corners.count_ones()) as i32;
            -32 * mobility
                + 8 * i32::from(1 << square & CORNERS != 0)
                + 12 * i32::from(1 << square & odd != 0)
        };
        candidates.push(square, flips, promise);
    }
    if empties > 9
        && let Some(score) = look_ahead(search, discs, &candidates, effort, alpha)
    {
        return score;
    }
    let (mut best, mut best_move) = (-64, NO_MOVE);
    while let Some(candidate) = candidates.next() {
        let child = discs.after(usize::from(candidate.square), candidate.flips);
        let score = if empties - 1 <= BY_PARITY {
            -C::by_parity(search, child, -alpha - 1, empties - 1)
        } else {
            -C::endgame(search, child, -alpha - 1, empties - 1)
        };
        if search.stopped {
            return alpha;
        }
        if score > best || best_move == NO_MOVE {
            (best, best_move) = (score, candidate.square);
            if best > alpha {
                break;
            }
        }
    }
    let window = [alpha, alpha + 1];
    search.table.put(discs, effort, window, best, best_move);
    best
}

/// Searches up to [`BY_PARITY`] empty squares.
#[inline(always)]
pub(crate) fn by_parity<C: Recursive>(
    search: &mut Search<C>,
    discs: Discs,
    alpha: i32,
    empties: u32,
) -> i32 {
    let empty = discs.empty();
    match empties {
        0 => return discs.final_score(),
        1 => return one(search, discs, empty.trailing_zeros() as u8),
        2 => return two(search, discs, alpha, first(squares(empty))),
        3 => return three(search, discs, alpha, first(squares(empty))),
        4 => return four(search, discs, alpha, in_order(empty)),
        _ => {}
    }
    search.nodes += 1;
    if let Some(bound) = stable_bound(search, discs, alpha) {
        return bound;
    }
    let moves = search.cpu.moves(discs);
    if moves == 0 {
        let passed = discs.passed();
        if search.cpu.moves(passed) == 0 {
            return discs.final_score();
        }
        return -C::by_parity(search, passed, -alpha - 1, empties);
    }
    let odd = odd_regions(empty);
    let mut best = -64;
    for set in [moves & odd, moves & !odd] {
        for square in squares(set) {
            let flips = search.cpu.flips(discs, square);
            let child = discs.after(square, flips);
            let score = -C::by_parity(search, child, -alpha - 1, empties - 1);
            if score > best {
                best = score;
                if best > alpha {
                    return best;
                }
            }
        }
    }
    best
}

/// Orders the last four empty squares: those in odd quadrants first.
#[inline(always)]
fn in_order(empty: u64) -> [u8; 4] {
    let odd = odd_regions(empty);
    first(squares(empty & odd).chain(squares(empty & !odd)))
}

/// The first `N` of these squares.
#[inline(always)]
fn first<const N: usize>(mut of: impl Iterator<Item = usize>) -> [u8; N] {
    std::array::from_fn(
        #[inline(always)]
        |_| of.next().unwrap_or_default() as u8,
    )
}

#[inline(always)]
fn turned<C: Recursive>(search: &Search<C>, discs: Discs, square: u8) -> u64 {
    if AROUND[usize::from(square & 63)] & discs.opponent == 0 {
        return 0;
    }
    search.cpu.flips(discs, usize::from(square))
}

#[inline(always)]
fn four<C: Recursive>(search: &mut Search<C>, discs: Discs, alpha: i32, left: [u8; 4]) -> i32 {
    search.nodes += 1;
    if let Some(bound) = stable_bound(search, discs, alpha) {
        return bound;
    }
    let [a, b, c, d] = left;
    let tries = [
        (a, [b, c, d]),
        (b, [a, c, d]),
        (c, [a, b, d]),
        (d, [a, b, c]),
    ];
    side_that_can_move(search, discs, alpha, tries, three)
}

#[inline(always)]
fn three<C: Recursive>(search: &mut Search<C>, discs: Discs, alpha: i32, left: [u8; 3]) -> i32 {
    search.nodes += 1;
    let [a, b, c] = left;
    let tries = [(a, [b, c]), (b, [a, c]), (c, [a, b])];
    side_that_can_move(search, discs, alpha, tries, two)
}

#[inline(always)]
fn two<C: Recursive>(search: &mut Search<C>, discs: Discs, alpha: i32, left: [u8; 2]) -> i32 {
    search.nodes += 1;
    let [a, b] = left;
    side_that_can_move(
        search,
        discs,
        alpha,
        [(a, b), (b, a)],
        #[inline(always)]
        |search, child, _, left| one(search, child, left),
    )
}

/// A square to play on, and the squares left after that.
type Try<L> = (u8, L);

/// The score of the side to move; if it can't move, of the other side; if neither can, of the finished game.
#[inline(always)]
fn side_that_can_move<C: Recursive, L: Copy, const N: usize>(
    search: &mut Search<C>,
    discs: Discs,
    alpha: i32,
    tries: [Try<L>; N],
    rest: impl Fn(&mut Search<C>, Discs, i32, L) -> i32,
) -> i32 {
    if let Some(score) = best(search, discs, alpha, tries, &rest) {
        return score;
    }
    best(search, discs.passed(), -alpha - 1, tries, &rest)
        .map_or_else(|| discs.final_score(), |score| -score)
}

/// The best score of the side to move, or the first above `alpha`; `None` if it can't move.
#[inline(always)]
fn best<C: Recursive, L: Copy, const N: usize>(
    search: &mut Search<C>,
    discs: Discs,
    alpha: i32,
    tries: [Try<L>; N],
    rest: &impl Fn(&mut Search<C>, Discs, i32, L) -> i32,
) -> Option<i32> {
    let mut best = None;
    for (square, left) in tries {
        let flips = turned(search, discs, square);
        if flips != 0 {
            let child = discs.after(usize::from(square), flips);
            let score = -rest(search, child, -alpha - 1, left);
            if score > alpha {
                return Some(score);
            }
            best = best.max(Some(score));
        }
    }
    best
}

/// One empty square: the exact score.
#[inline(always)]
fn one<C: Recursive>(search: &mut Search<C>, discs: Discs, square: u8) -> i32 {
    search.nodes += 1;
    let own = 2 * discs.player.count_ones() as i32;
    let flips = search.cpu.flips(discs, usize::from(square)).count_ones() as i32;
    if flips != 0 {
        return own - 62 + 2 * flips;
    }
    let flips = search
        .cpu
        .flips(discs.passed(), usize::from(square))
        .count_ones() as i32;
    if flips != 0 {
        return own - 64 - 2 * flips;
    }
    if own > 63 { own - 62 } else { own - 64 }
}
