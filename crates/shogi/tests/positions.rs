//! Positions for tests.

use obook_shogi::{Board, Move, Sfen};
use proptest::prelude::*;

pub(crate) const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
pub(crate) const MATSURI: &str =
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
pub(crate) const MOST_MOVES: &str = "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1";

pub(crate) fn board(sfen: &str) -> Board {
    sfen.parse::<Sfen>()
        .unwrap_or_else(|error| panic!("{sfen}: {error}"))
        .board
}

/// Plays a random game, and returns its positions and moves.
pub(crate) fn game(start: Board, choices: &[u16]) -> Vec<(Board, Option<Move>)> {
    let mut board = start;
    let mut game = Vec::new();
    for &choice in choices {
        let moves = board.legal_moves();
        if moves.is_empty() {
            break;
        }
        let mv = moves[usize::from(choice) % moves.len()];
        game.push((board, Some(mv)));
        board = board.play(mv).expect("legal");
    }
    game.push((board, None));
    game
}

/// A position from a random game.
pub(crate) fn any_board() -> impl Strategy<Value = Board> {
    let start = prop_oneof![6 => Just(START), 1 => Just(MATSURI), 1 => Just(MOST_MOVES)];
    let choices = proptest::collection::vec(any::<u16>(), 0..150);
    (start, choices).prop_map(|(start, choices)| {
        let game = game(board(start), &choices);
        game[game.len() - 1].0
    })
}
