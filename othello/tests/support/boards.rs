//! Boards for property tests: positions of random games, and discs thrown anywhere.

use super::playout::playout;
use obook_othello::Board;
use proptest::prelude::*;
use proptest::sample::Index;

/// A position that a game can reach, its end included.
pub(crate) fn reachable() -> impl Strategy<Value = Board> {
    (any::<u64>(), any::<Index>()).prop_map(|(seed, ply)| {
        let game = playout(seed);
        let end = game.last().and_then(|&(board, mv)| board.play(mv));
        let boards: Vec<Board> = game
            .into_iter()
            .map(|(board, _)| board)
            .chain(end)
            .collect();
        *ply.get(&boards)
    })
}

/// Any two sets that do not overlap: a quarter of the board, half of it, or all of it empty or taken.
pub(crate) fn scattered() -> impl Strategy<Value = Board> {
    let taken = prop_oneof![
        any::<u64>(),
        (any::<u64>(), any::<u64>()).prop_map(|(a, b)| a & b),
        (any::<u64>(), any::<u64>()).prop_map(|(a, b)| a | b),
        Just(u64::MAX),
    ];
    (any::<u64>(), taken)
        .prop_map(|(mine, taken)| Board::new(mine & taken, !mine & taken).expect("disjoint"))
}

/// Both kinds.
pub(crate) fn any_board() -> impl Strategy<Value = Board> {
    prop_oneof![reachable(), scattered()]
}
