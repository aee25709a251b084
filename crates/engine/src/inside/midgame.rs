//! The search far from the end of the game. It orders moves by the evaluator's estimates.

use super::cpu::Recursive;
use super::node::{CORNERS, Candidates, Node, squares};
use super::probcut::{self, Grade};
use super::search::{Search, cutoff, look_ahead, stable_bound};
use super::table::{Effort, Entry, NO_MOVE};

/// Up to this many empty squares, a search to the end continues without the evaluator.
pub(crate) const LAST_EMPTIES: u32 = 13;

/// From this depth on, the table is checked for every child first.
const LOOK_AHEAD: u32 = 4;

/// Finds out whether the score is greater than `alpha`. A result above it is a lower bound, any other an upper bound.
#[inline(always)]
pub(crate) fn null_window<C: Recursive>(
    search: &mut Search<C>,
    node: &Node,
    alpha: i32,
    depth: u32,
) -> i32 {
    let depth = depth.min(node.empties);
    let to_the_end = depth == node.empties;
    if to_the_end && depth <= LAST_EMPTIES {
        return C::endgame(search, node.discs, alpha, depth);
    }
    if depth <= 2 {
        return shallow(search, node, alpha, alpha + 1, depth);
    }
    search.nodes += 1;
    if search.must_stop() {
        return alpha;
    }
    if let Some(bound) = stable_bound(search, node.discs, alpha) {
        return bound;
    }
    let moves = search.cpu.moves(node.discs);
    if moves == 0 {
        let passed = node.passed();
        if search.cpu.moves(passed.discs) == 0 {
            return node.discs.final_score();
        }
        return -C::midgame(search, &passed, -alpha - 1, depth);
    }
    let grade = search.grade;
    let effort = Effort { depth, grade };
    let known = search.table.get(node.discs);
    if let Some(entry) = known
        && let Some(score) = cutoff(&entry, effort, alpha)
    {
        return score;
    }
    if let Some(score) = probable_cut(search, node, alpha, depth) {
        return score;
    }
    let mut candidates = order(search, node, moves, depth, known);
    if depth >= LOOK_AHEAD
        && let Some(score) = look_ahead(search, node.discs, &candidates, effort, alpha)
    {
        return score;
    }
    let (mut best, mut best_move) = (-64, NO_MOVE);
    while let Some(candidate) = candidates.next() {
        let child = node.after(search, usize::from(candidate.square), candidate.flips);
        let score = -C::midgame(search, &child, -alpha - 1, depth - 1);
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
    search
        .table
        .put(node.discs, effort, window, best, best_move);
    best
}

/// Finds the score if it lies within the window, otherwise a bound.
#[inline(always)]
pub(crate) fn principal_variation<C: Recursive>(
    search: &mut Search<C>,
    node: &Node,
    alpha: i32,
    beta: i32,
    depth: u32,
) -> i32 {
    let depth = depth.min(node.empties);
    if node.empties == 0 {
        return node.discs.final_score();
    }
    if depth <= 2 && depth < node.empties {
        return shallow(search, node, alpha, beta, depth);
    }
    search.nodes += 1;
    if search.must_stop() {
        return alpha;
    }
    let moves = search.cpu.moves(node.discs);
    if moves == 0 {
        let passed = node.passed();
        if search.cpu.moves(passed.discs) == 0 {
            return node.discs.final_score();
        }
        return -C::principal_variation(search, &passed, -beta, -alpha, depth);
    }
    let known = search.table.get(node.discs);
    let mut candidates = order(search, node, moves, depth, known);
    let (mut best, mut best_move, mut lower) = (-64, NO_MOVE, alpha);
    while let Some(candidate) = candidates.next() {
        let child = node.after(search, usize::from(candidate.square), candidate.flips);
        let mut score = 0;
        if best_move != NO_MOVE {
            score = -C::midgame(search, &child, -lower - 1, depth - 1);
        }
        if best_move == NO_MOVE || (lower < score && score < beta) {
            score = -C::principal_variation(search, &child, -beta, -lower, depth - 1);
        }
        if search.stopped {
            return alpha;
        }
        if score > best || best_move == NO_MOVE {
            (best, best_move) = (score, candidate.square);
            lower = lower.max(score);
            if score >= beta {
                break;
            }
        }
    }
    let grade = search.grade;
    let effort = Effort { depth, grade };
    let window = [alpha, beta];
    search
        .table
        .put(node.discs, effort, window, best, best_move);
    best
}

/// Searches at most two plies that don't reach the end, without table or sorting.
#[inline(always)]
fn shallow<C: Recursive>(
    search: &mut Search<C>,
    node: &Node,
    alpha: i32,
    beta: i32,
    depth: u32,
) -> i32 {
    match depth {
        0 => {
            search.nodes += 1;
            node.estimate(search.cpu, &search.evaluator)
        }
        1 => one_ply(search, node, alpha, beta),
        _ => {
            search.nodes += 1;
            let moves = search.cpu.moves(node.discs);
            if moves == 0 {
                let passed = node.passed();
                if search.cpu.moves(passed.discs) == 0 {
                    return node.discs.final_score();
                }
                // The pass isn't a ply, but another two plies aren't worth it.
                return -one_ply(search, &passed, -beta, -alpha);
            }
            let (mut best, mut lower) = (-64, alpha);
            for square in by_place(moves) {
                let flips = search.cpu.flips(node.discs, square);
                let child = node.after(search, square, flips);
                let score = -one_ply(search, &child, -beta, -lower);
                if score > best {
                    best = score;
                    lower = lower.max(score);
                    if lower >= beta {
                        break;
                    }
                }
            }
            best
        }
    }
}

#[inline(always)]
fn one_ply<C: Recursive>(search: &mut Search<C>, node: &Node, alpha: i32, beta: i32) -> i32 {
    search.nodes += 1;
    if node.empties == 0 {
        return node.discs.final_score();
    }
    let moves = search.cpu.moves(node.discs);
    if moves == 0 {
        let passed = node.passed();
        if search.cpu.moves(passed.discs) == 0 {
            return node.discs.final_score();
        }
        return -passed.estimate(search.cpu, &search.evaluator);
    }
    let (mut best, mut lower) = (-64, alpha);
    for square in by_place(moves) {
        let flips = search.cpu.flips(node.discs, square);
        let child = node.after(search, square, flips);
        search.nodes += 1;
        let score = -child.estimate(search.cpu, &search.evaluator);
        if score > best {
            best = score;
            lower = lower.max(score);
            if lower >= beta {
                break;
            }
        }
    }
    best
}

/// Orders moves: corners, then edges and the middle, then squares beside corners.
#[inline(always)]
fn by_place(moves: u64) -> impl Iterator<Item = usize> {
    const BESIDE: u64 = 0x42c3_0000_0000_c342;
    squares(moves & CORNERS)
        .chain(squares(moves & !CORNERS & !BESIDE))
        .chain(squares(moves & BESIDE))
}

/// Replaces this search with a shallow one if its score lies far enough beyond `alpha`.
#[inline(always)]
fn probable_cut<C: Recursive>(
    search: &mut Search<C>,
    node: &Node,
    alpha: i32,
    depth: u32,
) -> Option<i32> {
    if search.grade == Grade::FULL || depth < probcut::LEAST_DEPTH || search.inner >= 2 {
        return None;
    }
    let shallow = probcut::shallow_depth(depth);
    let deviation = probcut::deviation(node.empties, depth, shallow);
    let margin = (search.grade.deviations() * deviation).ceil() as i32;
    let static_margin = {
        let deviation = probcut::deviation(node.empties, depth, 0);
        (search.grade.deviations() * deviation * 0.6).ceil() as i32
    };
    let estimate = node.estimate(search.cpu, &search.evaluator);
    search.inner += 1;
    let mut found = None;
    let above = alpha + 1 + margin;
    if above <= 62 && estimate >= alpha + 1 - static_margin {
        let score = C::midgame(search, node, above - 1, shallow);
        if score >= above {
            found = Some(alpha + 1);
        }
    }
    let below = alpha - margin;
    if found.is_none() && below >= -62 && estimate <= alpha + static_margin {
        let score = C::midgame(search, node, below, shallow);
        if score <= below {
            found = Some(alpha);
        }
    }
    search.inner -= 1;
    if search.stopped { Some(alpha) } else { found }
}

/// Rates the moves: those in the table first, then by the score of a shallow search and by few replies for the other side.
#[inline(always)]
fn order<C: Recursive>(
    search: &mut Search<C>,
    node: &Node,
    moves: u64,
    depth: u32,
    known: Option<Entry>,
) -> Candidates {
    let mut candidates = Candidates::new();
    let best = known.map_or([NO_MOVE; 2], |entry| entry.moves);
    let to_the_end = depth >= node.empties;
    let sorting = match depth {
        0..=6 => 0,
        7..=11 => 1,
        _ => 2,
    };
    for square in squares(moves) {
        let flips = search.cpu.flips(node.discs, square);
        let promise = if square == usize::from(best[0]) {
            1 << 20
        } else if square == usize::from(best[1]) {
            1 << 19
        } else if flips == node.discs.opponent {
            1 << 21
        } else {
            let child = node.after(search, square, flips);
            let score = if node.empties <= sorting + 1 {
                -child.discs.final_score()
            } else {
                -shallow(search, &child, -64, 64, sorting)
            };
            let replies = search.cpu.moves(child.discs).count_ones() as i32;
            let weight = if to_the_end { 12 } else { 2 };
            16 * score - weight * replies
        };
        candidates.push(square, flips, promise);
    }
    candidates
}
