//! Random games, so that tests and benches see boards of every stage.

use obook_othello::{Board, Move};

/// The boards of one game, from the start position to its end, each with the move that was made there. `choose` is
/// asked with the number of legal moves, and its answer taken modulo that number.
pub(crate) fn playout(mut choose: impl FnMut(usize) -> usize) -> Vec<(Board, Move)> {
    let mut board = Board::START;
    let mut game = Vec::with_capacity(64);
    loop {
        let moves: Vec<Move> = board.moves().collect();
        if moves.is_empty() {
            return game;
        }
        let mv = moves[choose(moves.len()) % moves.len()];
        game.push((board, mv));
        board = board.play(mv).expect("moves() gives legal moves");
    }
}

/// A small generator of numbers (xorshift64*) for [`playout`], the same on every machine.
pub(crate) fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed | 1;
    move |_| {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize
    }
}
