//! The rules against a plain square-by-square implementation.

use crate::support::boards::any_board;
use obook_othello::{Board, Line, Move, Square, SquareSet};
use proptest::prelude::*;

/// The discs that a disc on `square` flips: in each of the eight directions, the opponent's discs up to the first disc of the
/// player, if nothing else comes first.
fn plain_flips(board: Board, square: Square) -> SquareSet {
    const DIRECTIONS: [(i8, i8); 8] = [
        (-1, -1),
        (0, -1),
        (1, -1),
        (-1, 0),
        (1, 0),
        (-1, 1),
        (0, 1),
        (1, 1),
    ];
    let holds = |set: u64, at: Square| set >> at.index() & 1 == 1;
    if holds(board.player() | board.opponent(), square) {
        return SquareSet(0);
    }
    let mut turned = Vec::new();
    for (files, ranks) in DIRECTIONS {
        let mut run = Vec::new();
        let (mut file, mut rank) = (square.file() as i8, square.rank() as i8);
        loop {
            (file, rank) = (file + files, rank + ranks);
            if !(0..8).contains(&file) || !(0..8).contains(&rank) {
                break;
            }
            let at = Square::new((rank * 8 + file) as u8).unwrap();
            if holds(board.opponent(), at) {
                run.push(at);
            } else {
                if holds(board.player(), at) {
                    turned.append(&mut run);
                }
                break;
            }
        }
    }
    turned.into_iter().collect()
}

fn check_rules(board: Board) -> Result<(), TestCaseError> {
    let mut legal = Vec::new();
    for square in Square::all() {
        let turned = plain_flips(board, square);
        prop_assert_eq!(
            board.flips(square),
            turned,
            "{}\n{}",
            square,
            board.diagram()
        );
        let child = board.place(square);
        prop_assert_eq!(child, board.play(Move::Place(square)));
        prop_assert_eq!(child.is_some(), !turned.is_empty());
        if let Some(child) = child {
            legal.push(square);
            prop_assert_eq!(child.opponent(), board.player() | turned.0 | square.bit());
            prop_assert_eq!(child.player(), board.opponent() & !turned.0);
            prop_assert_eq!(child, board.after(square));
            prop_assert_eq!(child.empties(), board.empties() - 1);
        }
    }
    prop_assert_eq!(board.legal_moves().iter().collect::<Vec<_>>(), legal);
    Ok(())
}

proptest! {
    /// Law (Boards and moves): Moves and flips equal a plain walk over the squares; perft counts are the published ones.
    /// Also: `every_filling_of_the_edges` `crates/othello/tests/perft.rs` `start_position`
    #[test]
    fn moves_and_flips_are_the_plain_ones(board in any_board()) {
        check_rules(board)?;
    }

    /// Law (Boards and moves): A pass is legal exactly if only the other side has a move.
    /// Also: `a_pass_is_legal_only_if_forced`
    #[test]
    fn a_side_that_can_move_must(board in any_board()) {
        let (mine, theirs) = (board.legal_moves(), board.passed().legal_moves());
        prop_assert_eq!(board.must_pass(), mine.is_empty() && !theirs.is_empty());
        prop_assert_eq!(board.is_over(), mine.is_empty() && theirs.is_empty());
        prop_assert_eq!(board.play(Move::Pass), board.must_pass().then(|| board.passed()));
        prop_assert_eq!(board.passed().passed(), board);

        let expected: Vec<Move> = if board.must_pass() {
            vec![Move::Pass]
        } else {
            mine.iter().map(Move::from).collect()
        };
        prop_assert_eq!(board.moves().collect::<Vec<_>>(), expected.clone());
        let children: Vec<_> = expected.iter().map(|&mv| (mv, board.play(mv).unwrap())).collect();
        prop_assert_eq!(board.children().collect::<Vec<_>>(), children);
    }

    /// Law (Boards and moves): A board's parents are exactly the boards with a move to it.
    #[test]
    fn parents_are_all_the_positions_before(board in any_board()) {
        let mut met = std::collections::HashSet::new();
        for (mv, parent) in board.parents() {
            prop_assert_eq!(parent.play(mv), Some(board), "{}\n{}", mv, parent.diagram());
            prop_assert!(met.insert((mv, parent)));
        }
        for (mv, child) in board.children() {
            prop_assert!(child.parents().any(|found| found == (mv, board)), "{mv}");
        }
    }

    #[test]
    fn the_winner_gets_the_empty_squares(board in any_board()) {
        let (mine, theirs) = (board.player().count_ones() as i8, board.opponent().count_ones() as i8);
        let score = board.final_score();
        prop_assert_eq!(score.signum(), (mine - theirs).signum());
        // All 64 squares count for someone, unless it's a draw.
        prop_assert_eq!(score.abs(), if mine == theirs { 0 } else { 64 - 2 * mine.min(theirs) });
        prop_assert_eq!(board.passed().final_score(), -score);
    }

    #[test]
    fn sets_hold_their_squares(bits in any::<u64>()) {
        let set = SquareSet(bits);
        let squares: Vec<Square> = Square::all().filter(|&square| set.contains(square)).collect();
        prop_assert_eq!(set.iter().collect::<Vec<_>>(), squares.clone());
        prop_assert_eq!(set.len(), squares.len());
        prop_assert_eq!(set.iter().len(), squares.len());
        prop_assert_eq!(set.is_empty(), squares.is_empty());
        prop_assert_eq!(set.iter().rev().collect::<Vec<_>>(), squares.iter().rev().copied().collect::<Vec<_>>());
        prop_assert_eq!(squares.into_iter().collect::<SquareSet>(), set);
    }

    #[test]
    fn overlapping_sides_are_refused(player in any::<u64>(), opponent in any::<u64>()) {
        match Board::new(player, opponent) {
            Ok(board) => {
                prop_assert_eq!(player & opponent, 0);
                prop_assert_eq!((board.player(), board.opponent()), (player, opponent));
                prop_assert_eq!(board.empties(), 64 - player.count_ones() - opponent.count_ones());
            }
            Err(error) => {
                prop_assert_ne!(error.0.0, 0);
                prop_assert_eq!(error.0.0, player & opponent);
            }
        }
    }
}

/// Shifts, carries and borrows go wrong at the edges and corners: try every line along them with every filling.
#[test]
fn every_filling_of_the_edges() {
    let rank = |discs: u64| discs;
    let file = |discs: u64| (0..8).fold(0, |bits, i| bits | (discs >> i & 1) << (8 * i));
    let diagonal = |discs: u64| (0..8).fold(0, |bits, i| bits | (discs >> i & 1) << (9 * i));
    let antidiagonal =
        |discs: u64| (0..8).fold(0, |bits, i| bits | (discs >> i & 1) << (7 * i + 7));
    for mine in 0..=255u64 {
        for theirs in (0..=255u64).filter(|theirs| theirs & mine == 0) {
            for line in [
                Board::new(rank(mine), rank(theirs)),
                Board::new(rank(mine) << 56, rank(theirs) << 56),
                Board::new(file(mine), file(theirs)),
                Board::new(file(mine) << 7, file(theirs) << 7),
                Board::new(diagonal(mine), diagonal(theirs)),
                Board::new(antidiagonal(mine), antidiagonal(theirs)),
            ] {
                check_rules(line.unwrap()).unwrap();
            }
        }
    }
}

#[test]
fn a_pass_is_legal_only_if_forced() {
    assert_eq!(Board::START.play(Move::Pass), None);
    let passing = "f5f6d3g5h5h4f7h6".parse::<Line>().unwrap().board();
    assert!(passing.must_pass() && !passing.is_over());
    assert_eq!(passing.play(Move::Pass), Some(passing.passed()));
    let over = "e6f4e3f6g5d6e7f5c5".parse::<Line>().unwrap().board();
    assert!(over.is_over() && !over.must_pass());
    assert_eq!(over.play(Move::Pass), None);
    assert_eq!(over.moves().next(), None);
    assert_eq!(over.final_score(), -64, "white has lost every disc");
}

#[test]
fn a_score_counts_the_empty_squares_for_the_winner() {
    let score = |player, opponent| Board::new(player, opponent).unwrap().final_score();
    assert_eq!(score(0, 0), 0);
    assert_eq!(score(1, 0), 64);
    assert_eq!(score(0b1, 0b110), -62);
    assert_eq!(score(u32::MAX.into(), !u64::from(u32::MAX)), 0);
    assert_eq!(score(u64::MAX >> 31, !(u64::MAX >> 31)), 2);
    assert_eq!(score(u64::MAX, 0), 64);
}

#[test]
fn an_overlap_is_named() {
    let error = Board::new(0b111, 0b1101).unwrap_err();
    assert_eq!(error.to_string(), "both sides hold a1 c1");
}
