//! Boards for property tests: positions of random games, and discs scattered anywhere.

use super::playout::playout;
use obook_othello::Board;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// A position that a game can reach, including its end.
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

/// A position of a game in which the side to move must pass. Few games have more than one or two.
pub(crate) fn passing() -> impl Strategy<Value = Board> {
    any::<u64>().prop_map(|seed| {
        let games = (0..).map(|further| playout(seed.wrapping_add(further)));
        let mut boards = games.flatten().map(|(board, _)| board);
        boards.find(|board| board.must_pass()).unwrap()
    })
}

/// Any two sets that don't overlap: a quarter, half, three quarters or all of the board is occupied.
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

/// Boards of all kinds.
pub(crate) fn any_board() -> impl Strategy<Value = Board> {
    prop_oneof![4 => reachable(), 4 => scattered(), 1 => passing()]
}

/// The boards include every case that the laws speak of.
#[test]
fn the_boards_are_worth_testing() {
    let mut runner = TestRunner::deterministic();
    let boards = any_board();
    let [mut passes, mut over, mut parents, mut moves] = [0; 4];
    for _ in 0..500 {
        let board = boards.new_tree(&mut runner).unwrap().current();
        passes += u32::from(board.must_pass());
        over += u32::from(board.is_over());
        parents += u32::from(board.parents().next().is_some());
        moves += u32::from(!board.legal_moves().is_empty());
    }
    let counts = [passes, over, parents, moves];
    assert!(counts.iter().all(|count| *count > 10), "{counts:?}");
}
