//! Perft against the well-known numbers for Othello, which count a pass as a move.

use obook_othello::{Board, Line, perft};

#[test]
fn start_position() {
    let expected = [
        1, 4, 12, 56, 244, 1396, 8200, 55092, 390_216, 3_005_288, 24_571_284,
    ];
    for (depth, &leaves) in (0..).zip(&expected) {
        assert_eq!(perft(Board::START, depth), leaves, "depth {depth}");
    }
}

#[test]
fn a_pass_is_a_move() {
    let board = "f5f6d3g5h5h4f7h6".parse::<Line>().unwrap().board();
    assert_eq!(perft(board, 1), 1);
    assert_eq!(perft(board, 2), 2);
}

#[test]
fn a_finished_game_counts_once_at_any_depth() {
    let board = "e6f4e3f6g5d6e7f5c5".parse::<Line>().unwrap().board();
    for depth in 0..4 {
        assert_eq!(perft(board, depth), 1);
    }
}
