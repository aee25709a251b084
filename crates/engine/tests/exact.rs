//! Solved positions have the score found by exhaustive search.

use obook_engine::{Inside, Request, Searcher};
use obook_othello::{Board, Move};
use obook_testing::engines::positions;

/// The score with best play, by exhaustive search.
fn exhaustive(board: Board) -> i8 {
    if board.is_over() {
        return board.final_score();
    }
    board
        .children()
        .map(|(_, child)| -exhaustive(child))
        .max()
        .unwrap_or_else(|| board.final_score())
}

/// Law (Searches): A solved position has the score of exhaustive search; its move and line achieve it.
/// Also: `ten_empties_equal_trying_everything` `a_variation_is_played_out_to_the_score`
/// `a_forced_pass_is_answered_with_a_pass` `cli/tests/program/solve.rs` `published_problems_have_their_published_scores`
#[test]
fn up_to_eight_empties_equal_trying_everything() {
    let mut inside = Inside::new();
    for seed in 0..400 {
        let board = positions(seed, 1 + seed as u32 % 8, 1)[0];
        let request = Request::new(board, 60).unwrap();
        let answer = inside.search(&request).unwrap();
        assert_eq!(answer.score, exhaustive(board), "{}", board.diagram());
        assert!(answer.proven && answer.complete);
        assert_eq!(
            (u32::from(answer.depth), answer.probability),
            (board.empties(), Some(100))
        );
        let child = board.play(answer.mv).expect("a legal move");
        assert_eq!(answer.score, -exhaustive(child), "{}", board.diagram());
    }
}

/// A few positions with ten empty squares, each of which takes exhaustive search up to a second.
#[test]
fn ten_empties_equal_trying_everything() {
    let mut inside = Inside::new();
    for seed in 0..4 {
        let board = positions(seed, 10, 1)[0];
        let answer = inside.search(&Request::new(board, 10).unwrap()).unwrap();
        assert_eq!(answer.score, exhaustive(board), "{}", board.diagram());
        assert!(answer.proven);
    }
}

#[test]
fn a_variation_is_played_out_to_the_score() {
    let mut inside = Inside::new();
    for seed in 0..50 {
        let board = positions(seed, 12, 1)[0];
        let answer = inside.search(&Request::new(board, 60).unwrap()).unwrap();
        assert_eq!(answer.variation[0], answer.mv);
        let (mut end, mut sign) = (board, 1);
        for mv in &answer.variation {
            end = end.play(*mv).expect("a legal move");
            sign = -sign;
        }
        // The table may lack the last moves. What it has leads to a position with the same score.
        let rest = Request::new(end, 60).map_or_else(
            |_| end.final_score(),
            |request| inside.search(&request).unwrap().score,
        );
        assert_eq!(sign * rest, answer.score, "{}", board.diagram());
    }
}

#[test]
fn a_forced_pass_is_answered_with_a_pass() {
    let mut inside = Inside::new();
    let mut found = 0;
    for seed in 0..3000 {
        let board = positions(seed, 6, 1)[0];
        if board.must_pass() {
            let answer = inside.search(&Request::new(board, 60).unwrap()).unwrap();
            assert_eq!(answer.mv, Move::Pass);
            assert_eq!(answer.score, exhaustive(board));
            found += 1;
        }
    }
    assert!(found >= 10, "only {found} positions had to pass");
}
