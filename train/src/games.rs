//! Tournament games out of WTHOR files, replayed.

use obook_othello::{Board, Move, Side, Square};
use std::fs;
use std::io;
use std::path::Path;

const HEADER: usize = 16;
const RECORD: usize = 68;
const MOVES: usize = 8;

/// The boards of a game with the side to move, from the start to the end; those of a pass are left out.
pub(crate) type Game = Vec<(Board, Side)>;

/// The games of all `.wtb` files of a folder, in the order of their names, with the year of each.
pub(crate) fn read(folder: &Path) -> io::Result<Vec<(u16, Game)>> {
    let mut files: Vec<_> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|path| {
        path.extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("wtb"))
    });
    files.sort();
    let mut games = Vec::new();
    for file in files {
        let bytes = fs::read(&file)?;
        if bytes.len() < HEADER {
            continue;
        }
        let year = u16::from_le_bytes([bytes[10], bytes[11]]);
        for record in bytes[HEADER..].chunks_exact(RECORD) {
            games.push((year, replay(&record[MOVES..])));
        }
    }
    Ok(games)
}

/// The boards that the moves lead through, as far as they are legal.
fn replay(moves: &[u8]) -> Game {
    let mut board = Board::START;
    let mut side = Side::Black;
    let mut boards = vec![(board, side)];
    for code in moves.iter().take_while(|code| **code != 0) {
        if board.must_pass() {
            (board, side) = (board.passed(), side.other());
            if let Some(last) = boards.last_mut() {
                *last = (board, side);
            }
        }
        let (row, column) = (code / 10, code % 10);
        if !(1..=8).contains(&row) || !(1..=8).contains(&column) {
            break;
        }
        let square = Square::new((row - 1) * 8 + column - 1);
        match square.and_then(|square| board.play(Move::Place(square))) {
            Some(next) => (board, side) = (next, side.other()),
            None => break,
        }
        boards.push((board, side));
    }
    boards
}
