//! Openings as a book has them: from the start position by moves that are not much worse than the best.

use obook_engine::{Evaluator, Inside, Request, Searcher};
use obook_othello::{Board, Move};
use rayon::prelude::*;
use std::collections::HashSet;
use std::sync::Arc;

/// Each walk goes on to a random number of empty squares in here.
const EMPTIES: std::ops::Range<u32> = 34..57;

/// Different positions at the ends of `count` walks, in which each move loses at most `loss` discs at `level`.
pub(crate) fn ends(
    count: usize,
    evaluator: &Arc<Evaluator>,
    loss: i8,
    level: u8,
    seed: u64,
) -> Vec<Board> {
    let ends: Vec<Board> = (0..count)
        .into_par_iter()
        .with_max_len(256)
        .map_init(
            || Inside::with(Arc::clone(evaluator)),
            |inside, number| {
                walk(
                    inside,
                    loss,
                    level,
                    seed.wrapping_mul(1 << 32).wrapping_add(number as u64),
                )
            },
        )
        .collect();
    let mut known = HashSet::new();
    ends.into_iter()
        .filter(|board| !board.is_over() && known.insert(board.canonical()))
        .collect()
}

/// Positions that a book may have: moves lose at most two discs at level 7.
pub(crate) fn book_like(count: usize, evaluator: &Arc<Evaluator>, seed: u64) -> Vec<Board> {
    ends(count, evaluator, 2, 7, seed)
}

fn walk(inside: &mut Inside, loss: i8, level: u8, seed: u64) -> Board {
    let mut random = fastrand::Rng::with_seed(seed);
    let empties = random.u32(EMPTIES);
    let mut board = Board::START;
    while board.empties() > empties && !board.is_over() {
        let moves: Vec<(Move, i8)> = board
            .children()
            .map(|(mv, child)| {
                let score = Request::new(child, level)
                    .ok()
                    .and_then(|request| inside.search(&request).ok())
                    .map_or_else(|| child.final_score(), |answer| answer.score);
                (mv, -score)
            })
            .collect();
        let best = moves.iter().map(|(_, score)| *score).max().unwrap_or(0);
        let near: Vec<Move> = moves
            .iter()
            .filter(|(_, score)| *score >= best - loss)
            .map(|(mv, _)| *mv)
            .collect();
        board = board
            .play(near[random.usize(..near.len())])
            .unwrap_or(board);
    }
    if board.must_pass() {
        board.passed()
    } else {
        board
    }
}
