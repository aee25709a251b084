//! Times problems, one line each: 64 squares, the side, then what is not read.

use obook_engine::{Evaluator, Inside, Request, Searcher};
use obook_othello::Board;
use std::sync::Arc;

pub(crate) fn run(text: &str, evaluator: Arc<Evaluator>, level: u8, from: usize, to: usize) {
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
