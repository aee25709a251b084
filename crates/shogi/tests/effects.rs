//! The evaluation by effects, integer by integer that of the article's author, and its symmetry.

use crate::positions::{MOST_MOVES, START, any_board, board};
use obook_shogi::effects::{Evaluation, count};
use obook_shogi::{Colour, Square};
use proptest::prelude::*;

/// Law (Shogi): The evaluation by effects equals the published one, for both sides.
/// Also: `a_square_with_effects_is_an_attacked_one` `turning_the_board_turns_the_evaluation`
#[test]
fn scores_are_those_of_the_article() {
    for (score, sfen) in [
        (0, START),
        (
            -145,
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2",
        ),
        (
            0,
            "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3",
        ),
        (
            -982,
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
        ),
        (
            -478,
            "ln1g5/1r2S1k2/p2pppn2/2ps2p2/1p7/2P6/PPSPPPPLP/2G2K1pr/LN4G1b w BGSLPnp 62",
        ),
        (5838, MOST_MOVES),
        (1261, "8k/6+R2/9/9/4g4/9/9/9/K8 b - 1"),
    ] {
        assert_eq!(Evaluation::new(&board(sfen)).score(), score, "{sfen}");
    }
}

#[test]
fn the_parts_of_an_evaluation_are_named() {
    let evaluation = Evaluation::new(&board("8k/6+R2/9/9/4g4/9/9/9/K8 b - 1"));
    // A dragon against a gold; a tenth less, since both are on the board.
    assert_eq!(
        (evaluation.material, evaluation.on_board),
        (1395 - 540, 141 - 54)
    );
    assert_eq!(evaluation.squares.iter().sum::<i32>(), 1261 - 855 + 87);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_square_with_effects_is_an_attacked_one(board in any_board()) {
        let counts = count(&board);
        for square in Square::all() {
            for colour in Colour::ALL {
                let attacked = counts[colour as usize][square.index()] > 0;
                prop_assert_eq!(attacked, board.is_attacked(square, colour), "{} {}", board, square);
            }
        }
    }

    #[test]
    fn turning_the_board_turns_the_evaluation(board in any_board()) {
        let [evaluation, turned] = [board, board.turned()].map(|board| Evaluation::new(&board));
        prop_assert_eq!(turned.score(), evaluation.score());
        for square in Square::all() {
            let [here, there] = [evaluation.squares[square.index()], turned.squares[square.turned().index()]];
            prop_assert_eq!(here, -there);
        }
    }
}
