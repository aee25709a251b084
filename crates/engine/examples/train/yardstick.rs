//! Measures of the evaluator: its agreement with deeper searches and later results.

use crate::samples::searched;
use obook_engine::{Answer, Evaluator, Inside, Request, Searcher};
use obook_othello::Board;
use rayon::prelude::*;
use std::sync::Arc;

/// The agreement of scores with the truth.
#[derive(Debug, PartialEq)]
pub(crate) struct Agreement {
    pub(crate) correlation: f64,
    /// The mean of score − truth, in discs.
    pub(crate) bias: f64,
    /// The standard deviation of score − truth, in discs.
    pub(crate) spread: f64,
}

impl Agreement {
    pub(crate) fn of(scores: &[f64], truth: &[f64]) -> Agreement {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let (a, b) = (mean(scores), mean(truth));
        let product = |f: fn(f64, f64) -> f64| {
            let pairs = scores.iter().zip(truth);
            pairs.map(|(x, y)| f(x - a, y - b)).sum::<f64>() / scores.len() as f64
        };
        let xx = product(|x, _| x * x);
        let yy = product(|_, y| y * y);
        let xy = product(|x, y| x * y);
        Agreement {
            correlation: xy / (xx * yy).sqrt(),
            bias: a - b,
            spread: product(|x, y| (x - y) * (x - y)).sqrt(),
        }
    }
}

/// The answer at a level. The game must not be over.
fn answer(inside: &mut Inside, board: Board, level: u8) -> Answer {
    let request = Request::new(board, level).expect("a move is left");
    inside.search(&request).expect("no limit")
}

/// The scores at a level.
pub(crate) fn at_level(boards: &[Board], evaluator: &Arc<Evaluator>, level: u8) -> Vec<f64> {
    let boards = boards.par_iter().with_max_len(16);
    searched(boards, evaluator, |inside, board| {
        f64::from(answer(inside, *board, level).score)
    })
}

/// The number of empty squares from which games are solved.
const END: u32 = 20;

/// The exact scores after best play at `level`.
pub(crate) fn later(boards: &[Board], evaluator: &Arc<Evaluator>, level: u8) -> Vec<f64> {
    let boards = boards.par_iter().with_max_len(4);
    searched(boards, evaluator, |inside, start| {
        let (mut board, mut sign) = (*start, 1.0);
        while board.empties() > END && !board.is_over() {
            let mv = answer(inside, board, level).mv;
            board = board.play(mv).expect("a legal move");
            sign = -sign;
        }
        if board.is_over() {
            return sign * f64::from(board.final_score());
        }
        sign * f64::from(answer(inside, board, 60).score)
    })
}
