//! Legal moves are those of another generator, and don't depend on which side is called Black.

use crate::positions::{START, any_board, board, game};
use obook_shogi::{Board, Colour, Move, PieceType};
use proptest::prelude::*;
use rsshogi::board::{LegalAll, MoveList, generate_moves, position_from_sfen};
use std::collections::BTreeSet;

fn texts(moves: &[Move]) -> BTreeSet<String> {
    moves.iter().map(ToString::to_string).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law (Shogi): Legal moves equal another generator's; perft counts are the published ones.
    /// Also: `a_pawn_may_be_dropped_for_check_but_not_for_mate` `crates/shogi/tests/perft.rs` `published_positions`
    #[test]
    fn legal_moves_are_those_of_another_generator(choices in prop::collection::vec(any::<u16>(), 150)) {
        for (board, _) in game(Board::start(), &choices) {
            let other = position_from_sfen(&format!("{board} 1")).unwrap();
            let mut list = MoveList::new();
            generate_moves::<LegalAll>(&other, &mut list);
            let moves: BTreeSet<String> = list.iter().map(|mv| mv.to_usi()).collect();
            prop_assert_eq!(texts(&board.legal_moves()), moves, "{}", board);
            prop_assert_eq!(board.is_check(), other.is_in_check(), "{}", board);
        }
    }

    /// Law (Shogi): Turning the board and swapping colours changes no rule and no key.
    #[test]
    fn the_turned_position_has_the_turned_moves(board in any_board()) {
        let turned = board.turned();
        prop_assert_eq!(turned.turned(), board);
        prop_assert_ne!(turned, board);
        let moves: BTreeSet<Move> = board.legal_moves().into_iter().map(Move::turned).collect();
        prop_assert_eq!(turned.legal_moves().into_iter().collect::<BTreeSet<_>>(), moves);
        for (mv, child) in board.children() {
            prop_assert_eq!(board.play(mv), Some(child));
            prop_assert_eq!(turned.play(mv.turned()), Some(child.turned()));
        }
        prop_assert_eq!(board.canonical(), turned.canonical());
        prop_assert_eq!(board.canonical().turn(), Colour::Black);
        prop_assert_eq!(board.key(), turned.key());
    }

    #[test]
    fn what_is_not_legal_is_not_played(board in any_board(), bits in any::<u16>()) {
        if let Some(mv) = Move::from_bits(bits) {
            prop_assert_eq!(board.play(mv).is_some(), board.legal_moves().contains(&mv));
        }
    }
}

#[test]
fn a_pawn_may_be_dropped_for_check_but_not_for_mate() {
    let pawn: Move = "P*1b".parse().unwrap();
    // The king can take the pawn; or the gold protects it, and the king has nowhere to go.
    let check = board("7nk/9/9/9/9/9/9/9/K8 b P");
    assert!(check.legal_moves().contains(&pawn));
    let mate = board("6bnk/9/8G/9/9/9/9/9/K8 b P");
    assert!(!mate.legal_moves().contains(&pawn));
    let drops = |board: Board| {
        let moves = board.legal_moves();
        moves
            .iter()
            .filter(|mv| {
                matches!(
                    mv,
                    Move::Drop {
                        kind: PieceType::Pawn,
                        ..
                    }
                )
            })
            .count()
    };
    // A pawn can leave 72 squares; Black's king is on one of them, the gold on another, and one would be mate.
    assert_eq!((drops(check), drops(mate)), (71, 69));
}

#[test]
fn a_game_ends_where_there_is_no_move() {
    assert!(!board(START).is_lost());
    assert!(board("8k/8G/8P/9/9/9/9/9/K8 w -").is_lost());
}
