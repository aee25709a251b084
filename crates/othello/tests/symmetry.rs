//! The laws of the eight symmetries and of the canonical board.

use crate::support::boards::any_board;
use obook_othello::{Board, CanonicalBoard, Line, Move, Square, SquareSet, Symmetry};
use proptest::prelude::*;
use std::collections::HashSet;

const ALL: [Symmetry; 8] = Symmetry::ALL;

/// Law (Boards and moves): The eight symmetries form a group, and no rule depends on them.
/// Also: `rules_do_not_depend_on_orientation`
#[test]
fn symmetries_form_a_group() {
    for a in ALL {
        assert_eq!(a.then(Symmetry::IDENTITY), a);
        assert_eq!(Symmetry::IDENTITY.then(a), a);
        assert_eq!(a.then(a.inverse()), Symmetry::IDENTITY);
        assert_eq!(a.inverse().then(a), Symmetry::IDENTITY);
        let products: HashSet<Symmetry> = ALL.into_iter().map(|b| a.then(b)).collect();
        assert_eq!(
            products,
            HashSet::from(ALL),
            "closed, and each product once"
        );
        for b in ALL {
            for c in ALL {
                assert_eq!(a.then(b).then(c), a.then(b.then(c)));
            }
        }
    }
}

#[test]
fn they_are_the_eight_ways_to_turn_a_board() {
    let square = |name: &str| name.parse::<Square>().unwrap();
    let images: HashSet<[Square; 2]> = ALL
        .into_iter()
        .map(|s| [s.square(square("a1")), s.square(square("b1"))])
        .collect();
    let expected = [
        "a1b1", "a1a2", "h1g1", "h1h2", "a8b8", "a8a7", "h8g8", "h8h7",
    ]
    .map(|pair| [square(&pair[..2]), square(&pair[2..])]);
    assert_eq!(images, HashSet::from(expected));
    assert_eq!(ALL[0], Symmetry::IDENTITY);
    assert_eq!(Symmetry::default(), Symmetry::IDENTITY);
}

#[test]
fn then_is_one_after_the_other_on_squares() {
    for a in ALL {
        for b in ALL {
            for square in Square::all() {
                assert_eq!(a.then(b).square(square), b.square(a.square(square)));
                let mv = Move::Place(square);
                assert_eq!(a.play(mv), Move::Place(a.square(square)));
            }
        }
        assert_eq!(a.play(Move::Pass), Move::Pass);
    }
}

proptest! {
    #[test]
    fn then_is_one_after_the_other_on_bits_and_boards(board in any_board()) {
        for a in ALL {
            let bits = board.player();
            let by_square: SquareSet = SquareSet(bits).iter().map(|s| a.square(s)).collect();
            prop_assert_eq!(a.bits(bits), by_square.0);
            prop_assert_eq!(a.inverse().board(a.board(board)), board);
            for b in ALL {
                prop_assert_eq!(a.then(b).bits(bits), b.bits(a.bits(bits)));
                prop_assert_eq!(a.then(b).board(board), b.board(a.board(board)));
            }
        }
    }

    #[test]
    fn rules_do_not_depend_on_orientation(board in any_board()) {
        for symmetry in ALL {
            let turned = symmetry.board(board);
            prop_assert_eq!(turned.legal_moves().0, symmetry.bits(board.legal_moves().0));
            prop_assert_eq!(turned.must_pass(), board.must_pass());
            prop_assert_eq!(turned.is_over(), board.is_over());
            prop_assert_eq!(turned.empties(), board.empties());
            prop_assert_eq!(turned.final_score(), board.final_score());
            for mv in Square::all().map(Move::Place).chain([Move::Pass]) {
                let then_turned = board.play(mv).map(|child| symmetry.board(child));
                prop_assert_eq!(turned.play(symmetry.play(mv)), then_turned);
            }
        }
    }

    /// Law (Boards and moves): The canonical board is the smallest of the eight; keys sort as boards do.
    /// Also: `keys_sort_as_boards_do`
    #[test]
    fn canonical_is_the_smallest_image(board in any_board()) {
        let (canonical, symmetry) = board.canonicalize();
        prop_assert_eq!(board.canonical(), canonical);
        let images = ALL.map(|s| s.board(board));
        let smallest = images.into_iter().min_by_key(|image| (image.player(), image.opponent()));
        prop_assert_eq!(Some(canonical.board()), smallest);
        let first = ALL.into_iter().find(|s| s.board(board) == canonical.board());
        prop_assert_eq!(Some(symmetry), first);
        prop_assert_eq!(canonical.board().canonicalize(), (canonical, Symmetry::IDENTITY));
        for image in images {
            prop_assert_eq!(image.canonical(), canonical);
            let is_canonical = image == canonical.board();
            prop_assert_eq!(CanonicalBoard::new(image), is_canonical.then_some(canonical));
        }
    }

    #[test]
    fn keys_sort_as_boards_do(a in any_board(), b in any_board()) {
        let (a, b) = (a.canonical(), b.canonical());
        prop_assert_eq!(a.to_key().cmp(&b.to_key()), a.cmp(&b));
        prop_assert_eq!(a.cmp(&b), a.board().cmp(&b.board()));
        let numbers = |c: CanonicalBoard| (c.board().player(), c.board().opponent());
        prop_assert_eq!(a.cmp(&b), numbers(a).cmp(&numbers(b)));
    }

    #[test]
    fn keys_survive_a_round_trip(board in any_board()) {
        let canonical = board.canonical();
        prop_assert_eq!(CanonicalBoard::from_key(canonical.to_key()), Ok(Some(canonical)));
        prop_assert_eq!(CanonicalBoard::from_trusted_key(canonical.to_key()), canonical);
        let key = |board: Board| {
            let mut key = [0; 16];
            key[..8].copy_from_slice(&board.player().to_be_bytes());
            key[8..].copy_from_slice(&board.opponent().to_be_bytes());
            key
        };
        for image in ALL.map(|s| s.board(board)) {
            let expected = (image == canonical.board()).then_some(canonical);
            prop_assert_eq!(CanonicalBoard::from_key(key(image)), Ok(expected));
        }
    }

    #[test]
    fn keys_whose_sides_overlap_are_refused(key in any::<[u8; 16]>(), shared in 0u32..64) {
        let both = u128::from_be_bytes(key) | 1 << shared | 1 << (64 + shared);
        let error = CanonicalBoard::from_key(both.to_be_bytes()).unwrap_err();
        prop_assert!(error.0.0 >> shared & 1 == 1);
    }
}

#[test]
fn a_position_symmetric_to_itself_has_several_ways_home() {
    let images: HashSet<Board> = ALL.into_iter().map(|s| s.board(Board::START)).collect();
    assert_eq!(images.len(), 2, "four symmetries keep the start position");
    let (canonical, symmetry) = Board::START.canonicalize();
    let ways = ALL
        .into_iter()
        .filter(|s| s.board(Board::START) == canonical.board());
    assert_eq!(ways.clone().count(), 4);
    assert_eq!(ways.min(), Some(symmetry), "the first of them is given");
    assert_eq!(
        canonical.to_key(),
        *b"\0\0\0\x08\x10\0\0\0\0\0\0\x10\x08\0\0\0"
    );
}

#[test]
fn boards_of_one_colour_or_none() {
    for (player, opponent) in [(0, 0), (u64::MAX, 0), (0, u64::MAX)] {
        let board = Board::new(player, opponent).unwrap();
        assert_eq!(
            board.canonicalize(),
            (board.canonical(), Symmetry::IDENTITY)
        );
        assert_eq!(board.canonical().board(), board);
    }
}

#[test]
fn turned_games_are_one_game() {
    let canonical = |text: &str| text.parse::<Line>().unwrap().board().canonical();
    for game in ["e6f6f5d6", "c4c3d3c5", "d3c3c4e3"] {
        assert_eq!(canonical(game), canonical("f5f6e6f4"), "{game}");
    }
    assert_ne!(canonical("f5d6"), canonical("f5f6"));
}
