//! Exhaustive search, to compare exact scores with.

use obook_othello::{Board, Move};

/// The score for the side to move if both sides play perfectly.
pub fn exhaustive(board: Board) -> i8 {
    within(board, -64, 64)
}

fn within(board: Board, mut alpha: i8, beta: i8) -> i8 {
    if board.is_over() {
        return board.final_score();
    }
    let mut best = -64;
    for (_, child) in board.children() {
        best = best.max(-within(child, -beta, -alpha));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

/// The score of each legal move, passes included.
pub fn exhaustive_moves(board: Board) -> Vec<(Move, i8)> {
    let scored = |(mv, child)| (mv, -exhaustive(child));
    board.children().map(scored).collect()
}
