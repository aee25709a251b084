//! The root of a search: iterative deepening over the moves that aren't left out.

use super::cpu::Recursive;
use super::midgame::LAST_EMPTIES;
use super::node::{Discs, Node};
use super::probcut::Grade;
use super::search::Search;
use super::table::{Effort, NO_MOVE};
use obook_othello::{Move, Square};

/// The result of the last completed step. A step is one pass over the root's moves.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) score: i32,
    pub(crate) variation: Vec<Move>,
    pub(crate) step: Effort,
    pub(crate) complete: bool,
}

/// A move at the root.
struct RootMove {
    square: usize,
    child: Node,
}

/// The half-width of a step's window around the score of the step before.
const WINDOW: i32 = 2;

/// The steps that lead to `last`. Each makes the next one cheaper by filling the table with good moves.
pub(crate) fn steps(last: Effort, empties: u32) -> Vec<Effort> {
    let to_the_end = last.depth >= empties;
    let deepest = match to_the_end {
        true => empties.saturating_sub(LAST_EMPTIES - 4).min(18),
        false => last.depth.saturating_sub(1),
    };
    let first = 2 - (deepest & 1);
    let is_hard = to_the_end && empties > LAST_EMPTIES + 2 && last.grade != Grade::RISKIEST;
    let depths = (first..=deepest).step_by(2);
    let depths = depths.chain(is_hard.then_some(empties));
    let grade = Grade::RISKIEST;
    let steps = depths.map(|depth| Effort { depth, grade });
    steps.chain([last]).collect()
}

/// Searches the moves on `squares` (at least one) from `discs`, step by step. Returns `None` if a limit ended the first step.
pub(crate) fn deepen<C: Recursive>(
    search: &mut Search<C>,
    discs: Discs,
    squares: &[Square],
    steps: &[Effort],
) -> Option<Outcome> {
    let root = Node::new(discs);
    let mut moves: Vec<RootMove> = squares
        .iter()
        .map(|square| {
            let square = usize::from(square.index());
            let flips = search.cpu.flips(discs, square);
            let child = root.after(search, square, flips);
            RootMove { square, child }
        })
        .collect();
    moves.sort_by_cached_key(|mv| mv.child.estimate(search.cpu, &search.evaluator));
    let mut outcome: Option<Outcome> = None;
    for step in steps {
        search.grade = step.grade;
        let expected = outcome.as_ref().map(|before| before.score);
        let Some((score, best)) = aspire(search, &moves, step.depth, expected) else {
            return outcome;
        };
        moves[..=best].rotate_right(1);
        outcome = Some(Outcome {
            score,
            variation: variation(search, &moves[0], step.depth),
            step: *step,
            complete: Some(step) == steps.last(),
        });
        search.limit();
    }
    outcome
}

/// Searches one step with a window around the expected score, which is widened if the score lies outside.
fn aspire<C: Recursive>(
    search: &mut Search<C>,
    moves: &[RootMove],
    depth: u32,
    expected: Option<i32>,
) -> Option<(i32, usize)> {
    let mut width = WINDOW;
    let (mut alpha, mut beta) = match expected {
        Some(score) => ((score - width).max(-65), (score + width).min(65)),
        None => (-65, 65),
    };
    loop {
        let (score, best) = all_moves(search, moves, alpha, beta, depth)?;
        width *= 3;
        if score <= alpha && alpha > -65 {
            alpha = (score - width).max(-65);
        } else if score >= beta && beta < 65 {
            beta = (score + width).min(65);
        } else {
            return Some((score, best));
        }
    }
}

/// Searches every move of the root. Returns `None` if a limit was reached.
fn all_moves<C: Recursive>(
    search: &mut Search<C>,
    moves: &[RootMove],
    alpha: i32,
    beta: i32,
    depth: u32,
) -> Option<(i32, usize)> {
    search.nodes += 1;
    let rest = depth.saturating_sub(1);
    let (mut best, mut best_at, mut lower) = (-65, 0, alpha);
    for (at, mv) in moves.iter().enumerate() {
        let mut score = 0;
        if at > 0 {
            score = -C::midgame(search, &mv.child, -lower - 1, rest);
        }
        if at == 0 || (lower < score && score < beta) {
            score = -C::principal_variation(search, &mv.child, -beta, -lower, rest);
        }
        if search.must_stop() {
            return None;
        }
        if score > best {
            (best, best_at) = (score, at);
            lower = lower.max(score);
            if score >= beta {
                break;
            }
        }
    }
    Some((best, best_at))
}

/// The best line, as far as it's in the table.
fn variation<C: Recursive>(search: &Search<C>, first: &RootMove, depth: u32) -> Vec<Move> {
    let square = |number: usize| Square::new(number as u8).map(Move::Place);
    let mut line: Vec<Move> = square(first.square).into_iter().collect();
    let mut discs = first.child.discs;
    while (line.len() as u32) < depth {
        if search.cpu.moves(discs) == 0 {
            discs = discs.passed();
            if search.cpu.moves(discs) == 0 {
                break;
            }
            line.push(Move::Pass);
            continue;
        }
        let Some(entry) = search.table.get(discs) else {
            break;
        };
        let number = usize::from(entry.moves[0]);
        if entry.moves[0] == NO_MOVE || search.cpu.moves(discs) >> number & 1 == 0 {
            break;
        }
        line.extend(square(number));
        discs = discs.after(number, search.cpu.flips(discs, number));
    }
    line
}
