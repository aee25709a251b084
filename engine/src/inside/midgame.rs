//! The search while the end of the game is out of reach, or still far: it orders moves by what the evaluator says.

use super::cpu::Cpu;
use super::discs::{Discs, squares};
use super::patterns::Contents;
use super::probcut::{self, Grade};
use super::search::Search;
use super::table::{Effort, Entry, Found, NO_MOVE};
use arrayvec::ArrayVec;

/// Up to so many empty squares a search to the end goes on without the evaluator.
pub(crate) const LAST_EMPTIES: u32 = 13;

/// No position has more moves: four squares are taken where there is one at all.
const MOST_MOVES: usize = 64;

/// From this depth on the table is asked for every child first.
const LOOK_AHEAD: u32 = 4;

/// A position in the search, with the contents of its patterns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) discs: Discs,
    contents: Contents,
    /// Whether the side to move is the one whose discs have the digit 2.
    second: bool,
    pub(crate) empties: u32,
}

/// A move, what it turns, and how good it looks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Choice {
    pub(crate) square: u8,
    pub(crate) flips: u64,
    pub(crate) promise: i32,
}

/// The moves of a position; the most promising is taken first.
pub(crate) struct Choices(ArrayVec<Choice, MOST_MOVES>);

impl Node {
    pub(crate) fn new(discs: Discs) -> Node {
        Node {
            discs,
            contents: Contents::new(discs.player, discs.opponent),
            second: false,
            empties: discs.empty().count_ones(),
        }
    }

    #[inline(always)]
    pub(crate) fn after<C: Cpu>(&self, search: &Search<C>, square: usize, flips: u64) -> Node {
        Node {
            discs: self.discs.after(square, flips),
            contents: self
                .contents
                .after(search.evaluator.layout, square, flips, self.second),
            second: !self.second,
            empties: self.empties - 1,
        }
    }

    #[inline(always)]
    pub(crate) fn passed(&self) -> Node {
        Node {
            discs: self.discs.passed(),
            second: !self.second,
            ..*self
        }
    }

    /// What the evaluator says, or the score where the game is over.
    #[inline(always)]
    pub(crate) fn estimate<C: Cpu>(&self, search: &Search<C>) -> i32 {
        let own = search.cpu.moves(self.discs);
        let theirs = search.cpu.moves(self.discs.passed());
        if own == 0 {
            if theirs == 0 {
                return self.discs.final_score();
            }
            let passed = self.discs.passed();
            return -search
                .evaluator
                .score(passed, &self.contents, !self.second, theirs, own);
        }
        search
            .evaluator
            .score(self.discs, &self.contents, self.second, own, theirs)
    }
}

impl Choices {
    #[inline(always)]
    pub(crate) fn new() -> Choices {
        Choices(ArrayVec::new())
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, choice: Choice) {
        self.0.push(choice);
    }

    /// The most promising of those that are left; of equals the one that was put in first.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<Choice> {
        let mut best = 0;
        for (at, choice) in self.0.iter().enumerate() {
            if choice.promise > self.0[best].promise {
                best = at;
            }
        }
        let choice = self.0.get_mut(best)?;
        let taken = *choice;
        choice.promise = i32::MIN;
        (taken.promise != i32::MIN).then_some(taken)
    }
}

/// Whether the score is greater than `alpha`: a value above it is a lower bound, another one an upper bound.
#[inline(always)]
pub(crate) fn null_window<C: Cpu>(
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
    let effort = Effort {
        depth: depth as u8,
        grade: search.grade.number(),
    };
    let known = search.table.get(node.discs);
    if let Some(entry) = known
        && let Some(score) = cutoff(&entry, effort, alpha)
    {
        return score;
    }
    if let Some(score) = probable_cut(search, node, alpha, depth) {
        return score;
    }
    let mut choices = order(search, node, moves, depth, known);
    if depth >= LOOK_AHEAD
        && let Some(score) = look_ahead(search, node.discs, &choices, effort, alpha)
    {
        return score;
    }
    let (mut best, mut best_move) = (-64, NO_MOVE);
    while let Some(choice) = choices.next() {
        let child = node.after(search, usize::from(choice.square), choice.flips);
        let score = -C::midgame(search, &child, -alpha - 1, depth - 1);
        if search.stopped {
            return alpha;
        }
        if score > best || best_move == NO_MOVE {
            (best, best_move) = (score, choice.square);
            if best > alpha {
                break;
            }
        }
    }
    search.table.put(
        node.discs,
        effort,
        Found {
            alpha,
            beta: alpha + 1,
            score: best,
            best: best_move,
        },
    );
    best
}

/// The score, if it lies within the window; else a bound.
#[inline(always)]
pub(crate) fn principal_variation<C: Cpu>(
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
    let mut choices = order(search, node, moves, depth, known);
    let (mut best, mut best_move, mut lower) = (-64, NO_MOVE, alpha);
    while let Some(choice) = choices.next() {
        let child = node.after(search, usize::from(choice.square), choice.flips);
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
            (best, best_move) = (score, choice.square);
            lower = lower.max(score);
            if score >= beta {
                break;
            }
        }
    }
    let effort = Effort {
        depth: depth as u8,
        grade: search.grade.number(),
    };
    search.table.put(
        node.discs,
        effort,
        Found {
            alpha,
            beta,
            score: best,
            best: best_move,
        },
    );
    best
}

/// At most two plies that don't reach the end: nothing is remembered or sorted.
#[inline(always)]
fn shallow<C: Cpu>(search: &mut Search<C>, node: &Node, alpha: i32, beta: i32, depth: u32) -> i32 {
    match depth {
        0 => {
            search.nodes += 1;
            node.estimate(search)
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
                // The pass is no ply, but to go on to depth 2 again is not worth it.
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
fn one_ply<C: Cpu>(search: &mut Search<C>, node: &Node, alpha: i32, beta: i32) -> i32 {
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
        return -passed.estimate(search);
    }
    let (mut best, mut lower) = (-64, alpha);
    for square in by_place(moves) {
        let flips = search.cpu.flips(node.discs, square);
        let child = node.after(search, square, flips);
        search.nodes += 1;
        let score = -child.estimate(search);
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

/// Corners first, then edges and the middle, then the squares beside corners.
#[inline(always)]
fn by_place(moves: u64) -> impl Iterator<Item = usize> {
    const CORNERS: u64 = 0x8100_0000_0000_0081;
    const BESIDE: u64 = 0x42c3_0000_0000_c342;
    squares(moves & CORNERS)
        .chain(squares(moves & !CORNERS & !BESIDE))
        .chain(squares(moves & BESIDE))
}

/// An upper bound that is not above `alpha`, if the other side's stable discs give one.
#[inline(always)]
pub(crate) fn stable_bound<C: Cpu>(search: &Search<C>, discs: Discs, alpha: i32) -> Option<i32> {
    if alpha < STABILITY_FROM {
        return None;
    }
    let bound = 64 - 2 * search.stability.count(discs.passed()) as i32;
    (bound <= alpha).then_some(bound)
}

/// Below this the other side's stable discs hardly ever decide.
const STABILITY_FROM: i32 = 8;

/// What the table says, if that settles whether the score is above `alpha`.
#[inline(always)]
pub(crate) fn cutoff(entry: &Entry, effort: Effort, alpha: i32) -> Option<i32> {
    if entry.depth < effort.depth || entry.grade < effort.grade {
        return None;
    }
    let (lower, upper) = (i32::from(entry.lower), i32::from(entry.upper));
    if lower > alpha {
        return Some(lower);
    }
    (upper <= alpha).then_some(upper)
}

/// Enhanced transposition cutoff: a child that is known to be bad enough for the other side.
#[inline(always)]
pub(crate) fn look_ahead<C: Cpu>(
    search: &Search<C>,
    discs: Discs,
    choices: &Choices,
    effort: Effort,
    alpha: i32,
) -> Option<i32> {
    for choice in &choices.0 {
        let child = discs.after(usize::from(choice.square), choice.flips);
        if let Some(entry) = search.table.get(child)
            && entry.depth + 1 >= effort.depth
            && entry.grade >= effort.grade
            && -i32::from(entry.upper) > alpha
        {
            return Some(-i32::from(entry.upper));
        }
    }
    None
}

/// A shallow search in place of this one, where it lies far enough beyond `alpha`.
#[inline(always)]
fn probable_cut<C: Cpu>(
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
    let estimate = node.estimate(search);
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

/// The moves with what they promise: what the table knows first, then what the evaluator says after a shallow search, and
/// few replies for the other side.
#[inline(always)]
fn order<C: Cpu>(
    search: &mut Search<C>,
    node: &Node,
    moves: u64,
    depth: u32,
    known: Option<Entry>,
) -> Choices {
    let mut choices = Choices::new();
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
        choices.push(Choice {
            square: square as u8,
            flips,
            promise,
        });
    }
    choices
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inside::cpu::Portable;
    use crate::inside::evaluator::Evaluator;
    use crate::inside::search::Ends;
    use crate::inside::table::Table;
    use obook_othello::{Board, Symmetry};
    use proptest::prelude::*;
    use std::sync::Arc;

    /// An evaluator in which every weight counts, and no two alike.
    fn evaluator() -> Arc<Evaluator> {
        let mut random = fastrand::Rng::with_seed(1);
        let mut weights = |count: usize| (0..count).map(|_| random.i16(-60..60)).collect();
        let knots = (0..Evaluator::knots())
            .map(|_| weights(Evaluator::weights_of_a_knot()))
            .collect();
        Arc::new(Evaluator::new(knots, weights(61)))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// What is kept up from move to move is what the board itself gives, for both sides and through passes; all eight
        /// images of a board are worth the same; and the estimate is the sum of the weights that training is told of.
        #[test]
        fn contents_are_kept_up(seed: u64) {
            let evaluator = evaluator();
            let search = Search::new(Portable, Arc::clone(&evaluator), Table::default(), Ends::default());
            let mut random = fastrand::Rng::with_seed(seed);
            let mut board = Board::START;
            let mut node = Node::new(Discs::new(board));
            while !board.is_over() {
                if board.must_pass() {
                    board = board.passed();
                    node = node.passed();
                } else {
                    let moves: Vec<_> = board.legal_moves().iter().collect();
                    let square = moves[random.usize(..moves.len())];
                    let flips = board.flips(square).0;
                    board = board.after(square);
                    node = node.after(&search, usize::from(square.index()), flips);
                }
                prop_assert_eq!(node.discs, Discs::new(board));
                prop_assert_eq!(node.empties, board.empties());
                let estimate = node.estimate(&search);
                prop_assert_eq!(estimate, i32::from(evaluator.estimate(board)));
                for symmetry in Symmetry::ALL {
                    prop_assert_eq!(estimate, i32::from(evaluator.estimate(symmetry.board(board))));
                }
                if !board.legal_moves().is_empty() {
                    prop_assert!((sum(&evaluator, board) - estimate as f32).abs() < 1.0);
                }
            }
        }
    }

    /// In discs, of the parts that training learns.
    fn sum(evaluator: &Evaluator, board: Board) -> f32 {
        let own = board.legal_moves().len();
        let theirs = board.passed().legal_moves().len();
        let parts = Evaluator::parts(board.player(), board.opponent(), own, theirs);
        let (knots, constant) = evaluator.weights();
        let at = |knot: usize| -> f32 {
            let weights = parts.weights.iter();
            weights
                .map(|w| f32::from(knots[parts.knots[knot]][*w as usize]))
                .sum()
        };
        let between = (1.0 - parts.share) * at(0) + parts.share * at(1);
        ((between + f32::from(constant[parts.ply])) / 128.0).clamp(-62.0, 62.0)
    }
}
