//! `.edx`, written by Edax's `save`: any number of its records of a game, 160 bytes each, as they lie in memory.
//!
//! First comes the start position: the discs of the side to move, then those of the other side. Names and times follow, which Edax
//! leaves undefined. The 60 moves begin at byte 88 (a1 = 0, 65 = none, passes left out). Byte 148 is the side to move: 1 for White.

use crate::replay::Replay;
use crate::{Fault, Game};
use obook_othello::{Board, Line, Move, Side, Square};

/// The size of a game in bytes.
const GAME: usize = 160;
const MOVES: std::ops::Range<usize> = 88..148;
const SIDE: usize = 148;
/// The code that ends the moves.
const NONE: u8 = 65;

/// Whether a file with this head is an Edax record.
pub(crate) fn is_games(head: &[u8]) -> bool {
    let Some((game, _)) = head.split_first_chunk::<GAME>() else {
        return false;
    };
    let moves = &game[MOVES];
    let len = moves.iter().take_while(|code| **code < 64).count();
    let is_board = start(game).is_ok_and(|start| {
        let board = start.board();
        (board.player() | board.opponent()) & Board::CENTRE == Board::CENTRE
    });
    is_board && game[SIDE] <= 1 && moves[len..].iter().all(|code| *code == NONE)
}

/// Reads the game in a record.
pub(crate) fn read(record: &[u8; GAME]) -> (Game, Vec<Fault>) {
    let mut replay = Replay::begin(start(record));
    for code in record[MOVES].iter().take_while(|code| **code != NONE) {
        match Square::new(*code) {
            Some(square) => replay.play(Move::Place(square)),
            None => replay.no_move(&code.to_string(), "0 to 63, or 65 for none"),
        }
    }
    replay.finish(Game::default())
}

fn start(record: &[u8; GAME]) -> Result<Line, Fault> {
    let discs = |at: usize| {
        let bytes = record[at..].first_chunk().expect("160 bytes");
        u64::from_le_bytes(*bytes)
    };
    let board = Board::new(discs(0), discs(8));
    let board = board.map_err(|error| Fault::board(&error.to_string()))?;
    let side = match record[SIDE] {
        1 => Side::White,
        _ => Side::Black,
    };
    Ok(Line::at(board, side))
}
