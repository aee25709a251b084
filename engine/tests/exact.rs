//! Solved positions have the score that trying everything finds.

use crate::boards::{exhaustive, random};
use obook_engine::{Inside, Request, Searcher};

#[test]
fn up_to_eight_empties_equal_trying_everything() {
    let mut inside = Inside::new();
    let mut portable = Inside::new().portable();
    for seed in 0..400 {
        let board = random(1 + seed as u32 % 8, seed);
        let request = Request::new(board, 60).unwrap();
        let answer = inside.search(&request).unwrap();
        assert_eq!(answer.score, exhaustive(board), "{}", board.diagram());
        assert!(answer.proven && answer.complete);
        let child = board.play(answer.mv).expect("a legal move");
        assert_eq!(answer.score, -exhaustive(child), "{}", board.diagram());
        let other = portable.search(&request).unwrap();
        assert_eq!((other.score, other.nodes), (answer.score, answer.nodes));
    }
}
