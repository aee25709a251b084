//! Text that people type: squares, moves, lines, boards, keys. The first sixteen bytes are also the discs of a board. Both the rest
//! and the whole are used as text.

use super::books::said;
use obook_othello::{Board, CanonicalBoard, Line, Move, Side, Square, Symmetry};
use std::str::FromStr;

pub(crate) fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    texts(&text);
    // Names are short, so try the beginning of the text.
    for part in text.split([' ', ',', '\n']).take(8) {
        texts(part);
    }
    if let Some((key, _)) = bytes.split_first_chunk::<16>() {
        discs(*key);
    }
}

fn texts(text: &str) {
    comes_back::<Square>(text);
    comes_back::<Move>(text);
    match text.parse::<Board>() {
        Ok(board) => assert_eq!(board.to_text().parse(), Ok(board)),
        Err(error) => said(&error.to_string()),
    }
    match text.parse::<Line>() {
        Ok(line) => {
            assert_eq!(line.to_string().parse(), Ok(line.clone()));
            assert_eq!(line.prefix(usize::MAX), line);
            let discs = line.moves().iter().filter(|mv| **mv != Move::Pass);
            assert_eq!(line.ply(), line.start().ply() + discs.count());
            if line.is_from_start() {
                let played = Line::from_moves(line.moves().iter().copied());
                assert_eq!(played, Ok(line.clone()));
                let black = line.moves().len() % 2 == 0;
                assert_eq!(line.side() == Side::Black, black);
            }
        }
        Err(error) => said(&error.to_string()),
    }
}

fn comes_back<T>(text: &str)
where
    T: FromStr<Err: ToString> + ToString + PartialEq,
{
    match text.parse::<T>() {
        Ok(it) => assert!(it.to_string().parse().ok() == Some(it)),
        Err(error) => said(&error.to_string()),
    }
}

/// A key, and the board of these discs, with squares held by both sides given to one.
fn discs(key: [u8; 16]) {
    match CanonicalBoard::from_key(key) {
        Ok(Some(board)) => assert_eq!(board.to_key(), key),
        Ok(None) => {}
        Err(error) => said(&error.to_string()),
    }
    let [player, opponent] = [0, 8].map(|at| u64::from_be_bytes(*key[at..].first_chunk().unwrap()));
    assert_eq!(
        Board::new(player, opponent).is_err(),
        player & opponent != 0
    );
    let board = Board::new(player, opponent & !player).unwrap();
    let (canonical, symmetry) = board.canonicalize();
    assert_eq!(symmetry.board(board), canonical.board());
    assert_eq!(CanonicalBoard::new(canonical.board()), Some(canonical));
    assert_eq!(
        CanonicalBoard::from_key(canonical.to_key()),
        Ok(Some(canonical))
    );
    assert_eq!(board.to_text().parse(), Ok(board));
    said(&board.diagram().to_string());
    let moves: Vec<Move> = board.moves().collect();
    assert_eq!(moves.is_empty(), board.is_over());
    assert_eq!(moves == [Move::Pass], board.must_pass());
    for (mv, child) in board.children() {
        assert_eq!(board.play(mv), Some(child));
        assert_eq!(Move::from_code(mv.code()), Some(mv));
        let placed = u32::from(mv != Move::Pass);
        assert_eq!(child.empties() + placed, board.empties());
        assert!(child.parents().any(|parent| parent == (mv, board)));
        for symmetry in Symmetry::ALL {
            let turned = symmetry.board(board).play(symmetry.play(mv));
            assert_eq!(turned, Some(symmetry.board(child)));
        }
    }
    if board.is_over() {
        assert_eq!(board.final_score(), -board.passed().final_score());
    }
}
