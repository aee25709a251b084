//! Perft: counting the leaves of the game tree, the standard check of a move generator.

use crate::Board;

/// How many sequences of `depth` moves there are from `board`; a pass counts as a move, and a game that ends earlier
/// counts once.
///
/// ```
/// use obook_othello::{Board, perft};
/// assert_eq!(perft(Board::START, 5), 1396);
/// ```
#[must_use]
pub fn perft(board: Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = board.legal_moves();
    if moves.is_empty() {
        return if board.is_over() {
            1
        } else {
            perft(board.passed(), depth - 1)
        };
    }
    if depth == 1 {
        return moves.len() as u64;
    }
    moves
        .iter()
        .map(|square| perft(board.after(square), depth - 1))
        .sum()
}
