//! Boards to search.

use obook_othello::{Board, Move};

/// A position of a random game with this many empty squares, in which the game isn't over.
pub(crate) fn random(empties: u32, seed: u64) -> Board {
    let mut random = fastrand::Rng::with_seed(seed);
    loop {
        let mut board = Board::START;
        while board.empties() > empties && !board.is_over() {
            let moves: Vec<Move> = board.moves().collect();
            board = board
                .play(moves[random.usize(..moves.len())])
                .expect("legal");
        }
        if board.empties() == empties && !board.is_over() {
            return board;
        }
    }
}
