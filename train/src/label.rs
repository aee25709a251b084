//! Which positions the evaluator learns from, and what their scores are.

use crate::games::Game;
use crate::sample::Sample;
use obook_engine::{Evaluator, Inside, Request};
use obook_othello::{Board, Move};
use rayon::prelude::*;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Games from this year on are kept apart, for tests.
const HELD_OUT_FROM: u16 = 2016;

/// Positions with scores that games alone give.
pub(crate) struct Labels {
    pub(crate) exact: Vec<Sample>,
    pub(crate) outcomes: Vec<Sample>,
    pub(crate) held_out: Vec<Sample>,
}

/// The positions of games: solved from `exact` empty squares on; before that with the score of the first one that was
/// solved, as if both sides had played well up to there.
pub(crate) fn outcomes(
    games: &[(u16, Game)],
    evaluator: &Arc<Evaluator>,
    exact: u32,
    limit: Option<usize>,
    seed: u64,
) -> Labels {
    let mut order: Vec<&(u16, Game)> = games.iter().collect();
    fastrand::Rng::with_seed(seed).shuffle(&mut order);
    order.truncate(limit.unwrap_or(usize::MAX));
    let solved: Vec<(bool, Vec<Sample>, Vec<Sample>)> = order
        .par_iter()
        .map_init(
            || Inside::with(Arc::clone(evaluator)),
            |inside, (year, game)| {
                let (mut solved, mut before) = (Vec::new(), Vec::new());
                let mut outcome = None;
                for (board, side) in game {
                    if board.empties() <= exact
                        && !board.is_over()
                        && let Some(score) = solve(inside, *board)
                    {
                        solved.push(Sample {
                            board: *board,
                            score,
                        });
                        outcome = outcome.or(Some((board.empties(), *side, score)));
                    }
                }
                if let Some((empties, winner, score)) = outcome {
                    for (board, side) in game.iter().filter(|(b, _)| b.empties() > empties) {
                        let score = if *side == winner { score } else { -score };
                        before.push(Sample {
                            board: *board,
                            score,
                        });
                    }
                }
                (*year >= HELD_OUT_FROM, solved, before)
            },
        )
        .collect();
    let mut labels = Labels {
        exact: Vec::new(),
        outcomes: Vec::new(),
        held_out: Vec::new(),
    };
    for (held_out, solved, before) in solved {
        if held_out {
            labels.held_out.extend(solved);
        } else {
            labels.exact.extend(solved);
            labels.outcomes.extend(before);
        }
    }
    labels
}

/// Different positions of the games and, for half of them, after one or two random moves: a search meets bad moves too.
pub(crate) fn choose(games: &[(u16, Game)], held_out: bool, count: usize, seed: u64) -> Vec<Board> {
    let mut random = fastrand::Rng::with_seed(seed);
    let games: Vec<&Game> = games
        .iter()
        .filter(|(year, _)| (*year >= HELD_OUT_FROM) == held_out)
        .map(|(_, game)| game)
        .collect();
    let mut known = HashSet::new();
    let mut chosen = Vec::new();
    let mut tries = 0;
    while chosen.len() < count && tries < 20 * count && !games.is_empty() {
        tries += 1;
        let game = games[random.usize(..games.len())];
        let (mut board, _) = game[random.usize(..game.len())];
        let strays = [0, 0, 1, 1, 2][random.usize(..5)];
        for _ in 0..strays {
            let moves: Vec<Move> = board.moves().collect();
            if moves.is_empty() {
                break;
            }
            board = board
                .play(moves[random.usize(..moves.len())])
                .unwrap_or(board);
        }
        if board.must_pass() {
            board = board.passed();
        }
        if !board.is_over() && known.insert(board.canonical()) {
            chosen.push(board);
        }
    }
    chosen
}

/// The boards with the score of a search to `depth`, or exact up to `exact` empty squares.
pub(crate) fn search(
    boards: &[Board],
    evaluator: &Arc<Evaluator>,
    depth: u8,
    probability: u8,
    exact: u32,
) -> Vec<Sample> {
    let done = AtomicUsize::new(0);
    boards
        .par_iter()
        .with_max_len(64)
        .map_init(
            || Inside::with(Arc::clone(evaluator)),
            |inside, board| {
                let count = done.fetch_add(1, Ordering::Relaxed);
                if count % 50_000 == 49_999 {
                    eprintln!("{} of {} positions searched", count + 1, boards.len());
                }
                let score = if board.empties() <= exact {
                    solve(inside, *board)
                } else {
                    let request = Request::new(*board, 60).ok()?;
                    inside
                        .search_to(&request, depth, probability)
                        .ok()
                        .map(|a| a.score)
                };
                score.map(|score| Sample {
                    board: *board,
                    score,
                })
            },
        )
        .flatten_iter()
        .collect()
}

fn solve(inside: &mut Inside, board: Board) -> Option<i8> {
    let request = Request::new(board, 60).ok()?;
    inside
        .search_to(&request, 60, 100)
        .ok()
        .map(|answer| answer.score)
}
