//! Texts and bits of positions and moves: round trips, published vectors, and hostile input.

use crate::positions::{START, any_board, board};
use obook_shogi::{Board, Move, Packed, PackedError, Sfen};
use proptest::prelude::*;

fn packed(hex: &str) -> Packed {
    let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    Packed(std::array::from_fn(|index| byte(2 * index)))
}

#[test]
fn packed_positions_are_as_yaneuraou_packs_them() {
    for (sfen, hex) in [
        (
            START,
            "58a451220ceb67227e9653221caf447824c22b119e53221ceb6f223e9651220c",
        ),
        (
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2",
            "59a451220ceb67227e9653221caf447824c22b119e53121ceb6f223e9651220c",
        ),
        (
            "8k/6+R2/9/9/4g4/9/9/9/K8 b -",
            "a0000000fe0000e005000000004892244992244929a5d45a6b6badb5f77ebd7e",
        ),
        (
            "ln1g5/1r2S1k2/p2pppn2/2ps2p2/1p7/2P6/PPSPPPPLP/2G2K1pr/LN4G1b w BGSLPnp 62",
            "4513207e3f81215993f090088e44f0ca9300298ec7fa4b0acb28110684711eac",
        ),
    ] {
        assert_eq!(board(sfen).packed(), packed(hex), "{sfen}");
    }
}

#[test]
fn moves_have_the_bits_of_yaneuraou() {
    for (text, bits) in [
        ("7g7f", 0x1e3b),
        ("2b8h+", 0x8546),
        ("P*5e", 0x40a8),
        ("R*1a", 0x4300),
        ("3h2h", 0x0c90),
    ] {
        let mv: Move = text.parse().unwrap();
        assert_eq!(mv.bits(), bits, "{text}");
        assert_eq!(mv.to_string(), text);
    }
    // None, null, resignation, and a win.
    for bits in [0, 129, 258, 387] {
        assert_eq!(Move::from_bits(bits), None, "{bits}");
    }
}

#[test]
fn positions_that_no_game_has_are_refused_with_the_reason() {
    for (sfen, error) in [
        (
            "",
            "there is no board; expected a board, b or w, hands, and perhaps a ply",
        ),
        ("ln1g1gsn1/1", "the board has 2 ranks; expected 9"),
        (
            "k8/9/9/9/9/9/9/9/K8",
            "there is no side to move; expected a board, b or w, hands, and perhaps a ply",
        ),
        (
            "k8/9/9/9/9/9/9/9/K8 x -",
            "the side to move is “x”; expected b or w",
        ),
        (
            "k8/9/9/9/9/9/9/9/K8 b",
            "there is no part with the hands; expected a board, b or w, hands, and perhaps a ply",
        ),
        ("9/9/9/9/9/9/9/9/9 b - 0", "Black has 0 kings; expected one"),
        (
            "k8/9/9/9/9/9/9/9/KK7 b -",
            "Black has 2 kings; expected one",
        ),
        (
            "k8/9/9/9/9/9/9/k8/K8 b -",
            "White has 2 kings; expected one",
        ),
        (
            "k8/9/9/9/9/9/9/9/K8 b 19P",
            "the hands are “19P”; expected -, or letters with their counts, such as RB2g3p",
        ),
        (
            "k8/9/9/9/9/9/9/9/K8 b 18Pp",
            "19 pieces of kind Pawn, promoted ones and those in hand included; a game has 18",
        ),
        (
            "k8/9/9/9/9/9/+R8/9/K8 b 2r",
            "3 pieces of kind Rook, promoted ones and those in hand included; a game has 2",
        ),
        (
            "k8/9/9/9/9/9/9/9/R1K6 b -",
            "White is in check, but it's the other side's turn",
        ),
        (
            "k9/9/9/9/9/9/9/9/K8 b -",
            "rank 1 of the board has 10 squares; expected 9",
        ),
        (
            "k7/9/9/9/9/9/9/9/K8 b -",
            "rank 1 of the board has 8 squares; expected 9",
        ),
        (
            "k8/9/9/9/4x4/9/9/9/K8 b -",
            "“x” in the board is not a piece",
        ),
        (
            "k8/9/9/9/4+G4/9/9/9/K8 b -",
            "“+G” in the board is not a piece",
        ),
        (
            "k8/9/9/9/9/9/9/9/K7+ b -",
            "“+” in the board is not a piece",
        ),
        (
            "k8/9/9/9/9/9/9/9/K8 b K",
            "the hands are “K”; expected -, or letters with their counts, such as RB2g3p",
        ),
        (
            "k8/9/9/9/9/9/9/9/K8 b 2",
            "the hands are “2”; expected -, or letters with their counts, such as RB2g3p",
        ),
        (
            "k8/9/9/9/9/9/9/9/K8 b - x",
            "the ply is “x”; expected a whole number from 0 to 4294967295",
        ),
        (
            "k8/9/9/9/9/9/9/9/K8 b - 4294967296",
            "the ply is “4294967296”; expected a whole number from 0 to 4294967295",
        ),
        ("k8/9/9/9/9/9/9/9/K8 b - 1 1", "“1” follows the ply"),
    ] {
        assert_eq!(
            sfen.parse::<Sfen>().unwrap_err().to_string(),
            error,
            "{sfen}"
        );
    }
}

#[test]
fn hands_in_any_order_are_the_same_position() {
    let usual = board("lnsgkgsnl/1r7/pppppppp1/9/9/9/PPPPPPPP1/7R1/LNSGKGSNL b BPbp 1");
    assert_eq!(
        board("lnsgkgsnl/1r7/pppppppp1/9/9/9/PPPPPPPP1/7R1/LNSGKGSNL b pPbB 1"),
        usual
    );
    assert!(usual.to_string().ends_with(" b BPbp"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law (Shogi): Positions and moves survive text and YaneuraOu's bits; any other text or bytes are refused with the reason.
    /// Also: `moves_survive_round_trips` `packed_positions_are_as_yaneuraou_packs_them` `moves_have_the_bits_of_yaneuraou`
    /// `any_bytes_are_one_position_or_none` `random_bytes_are_read_or_refused` `any_bits_are_one_move_or_none`
    /// `any_text_is_read_or_refused` `damaged_positions_are_read_or_refused`
    /// `positions_that_no_game_has_are_refused_with_the_reason`
    #[test]
    fn positions_survive_round_trips(board in any_board(), ply in proptest::option::of(1..=u32::MAX)) {
        let sfen = Sfen { board, ply };
        prop_assert_eq!(sfen.to_string().parse(), Ok(sfen));
        prop_assert_eq!(board.packed().board(), Ok(board));
        prop_assert_eq!(board.key().board(), Ok(board.canonical()));
    }

    #[test]
    fn moves_survive_round_trips(board in any_board()) {
        for mv in board.legal_moves() {
            prop_assert_eq!(mv.to_string().parse(), Ok(mv));
            prop_assert_eq!(Move::from_bits(mv.bits()), Some(mv));
        }
    }

    #[test]
    fn any_bits_are_one_move_or_none(bits in any::<u16>()) {
        if let Some(mv) = Move::from_bits(bits) {
            prop_assert_eq!(mv.bits(), bits);
            prop_assert_eq!(mv.to_string().parse(), Ok(mv));
        }
    }

    #[test]
    fn any_bytes_are_one_position_or_none(board in any_board(), changes in proptest::collection::vec((0..256usize, any::<u8>()), 0..4)) {
        let mut bytes = board.packed();
        for (at, change) in changes {
            bytes.0[at / 8] ^= change & 1 << (at % 8);
        }
        if let Ok(board) = bytes.board() {
            prop_assert_eq!(board.packed(), bytes);
        }
    }

    #[test]
    fn random_bytes_are_read_or_refused(bytes in any::<[u8; 32]>()) {
        if let Ok(board) = Packed(bytes).board() {
            prop_assert_eq!(board.packed(), Packed(bytes));
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[-+0-9a-zA-Z/* ]{0,120}|\\PC{0,40}") {
        if let Ok(sfen) = text.parse::<Sfen>() {
            prop_assert_eq!(sfen.to_string().parse(), Ok(sfen));
        }
        if let Ok(mv) = text.parse::<Move>() {
            prop_assert_eq!(mv.to_string(), text);
        }
    }

    #[test]
    fn damaged_positions_are_read_or_refused(board in any_board(), at in any::<prop::sample::Index>(), with in any::<char>()) {
        let mut text: Vec<char> = board.to_string().chars().collect();
        let at = at.index(text.len());
        text[at] = with;
        let text: String = text.into_iter().collect();
        if let Ok(sfen) = text.parse::<Sfen>() {
            prop_assert_eq!(sfen.to_string().parse(), Ok(sfen));
        }
    }
}

#[test]
fn hands_of_a_box_are_not_counted_twice() {
    // All but the kings are missing.
    let bare = board("k8/9/9/9/9/9/9/9/K8 b -");
    assert_eq!(bare.packed().board(), Ok(bare));
    // A piece of the box before the hands: the same position, but not as YaneuraOu packs it.
    assert_eq!(Board::start().packed().board(), Ok(Board::start()));
    assert_eq!(Packed([0xff; 32]).board(), Err(PackedError::Bits));
}
