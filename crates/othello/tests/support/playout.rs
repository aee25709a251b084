//! Random games, so that tests and benchmarks see boards of every stage.

use obook_othello::{Board, Move};

/// The boards of one game from the start position to its end, each with the move played. The same seed gives the same game on
/// every machine.
pub(crate) fn playout(seed: u64) -> Vec<(Board, Move)> {
    let mut state = seed;
    let mut board = Board::START;
    let mut game = Vec::with_capacity(64);
    loop {
        let moves: Vec<Move> = board.moves().collect();
        if moves.is_empty() {
            return game;
        }
        let mv = moves[splitmix(&mut state) as usize % moves.len()];
        game.push((board, mv));
        board = board.play(mv).expect("moves() gives legal moves");
    }
}

/// The splitmix64 generator (Steele, Lea, Flood 2014): any seed will do.
fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) >> 32
}
