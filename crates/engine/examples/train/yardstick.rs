//! Measures of the evaluator: its agreement with deeper searches and later results, and its speed.

use crate::samples::searched;
use obook_engine::{Evaluator, Inside, Request, Searcher};
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
        let product = |f: &dyn Fn(f64, f64) -> f64| {
            scores
                .iter()
                .zip(truth)
                .map(|(x, y)| f(x - a, y - b))
                .sum::<f64>()
                / scores.len() as f64
        };
        let (xx, yy, xy) = (
            product(&|x, _| x * x),
            product(&|_, y| y * y),
            product(&|x, y| x * y),
        );
        Agreement {
            correlation: xy / (xx * yy).sqrt(),
            bias: a - b,
            spread: product(&|x, y| (x - y) * (x - y)).sqrt(),
        }
    }
}

/// The scores at a level.
pub(crate) fn at_level(boards: &[Board], evaluator: &Arc<Evaluator>, level: u8) -> Vec<f64> {
    let boards = boards.par_iter().with_max_len(16);
    searched(boards, evaluator, |inside, board| {
        let request = Request::new(*board, level).expect("a move is left");
        f64::from(inside.search(&request).expect("no limit").score)
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
            let request = Request::new(board, level).expect("a move is left");
            let answer = inside.search(&request).expect("no limit");
            board = board.play(answer.mv).expect("a legal move");
            sign = -sign;
        }
        if board.is_over() {
            return sign * f64::from(board.final_score());
        }
        let request = Request::new(board, 60).expect("a move is left");
        sign * f64::from(inside.search(&request).expect("no limit").score)
    })
}

/// Times a search of each problem. A line has 64 squares, the side to move, and anything after a semicolon.
pub(crate) fn time(text: &str, evaluator: Arc<Evaluator>, level: u8, from: usize, to: usize) {
    let mut inside = Inside::with(evaluator);
    let (mut nodes, mut time) = (0, 0.0);
    for (number, line) in text.lines().enumerate().skip(from).take(to - from) {
        let position = line.split(';').next().unwrap_or_default().trim();
        let (board, _) = Board::read_with_side(position).expect("a board");
        let request = Request::new(board, level).expect("moves");
        let answer = inside.search(&request).expect("an answer");
        let n = answer.nodes.unwrap_or(0);
        let s = answer.time.as_secs_f64();
        println!(
            "{number:3} {:2} empties  {:+3} {:?}  {:12} nodes {:8.3} s {:6.2} Mn/s | {}",
            board.empties(),
            answer.score,
            answer.variation.first().map(ToString::to_string),
            n,
            s,
            n as f64 / s / 1e6,
            line[66..].trim()
        );
        nodes += n;
        time += s;
    }
    println!("{nodes} nodes, {time:.3} s");
}
