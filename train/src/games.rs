//! Tournament games out of WTHOR files, as the boards that they lead through.

use obook_games::{Error, Format, Reader};
use obook_othello::{Board, Line, Move, Side};
use std::fs;
use std::path::Path;

/// The boards of a game with the side to move, from the start to the end; those of a pass are left out.
pub(crate) type Game = Vec<(Board, Side)>;

/// The games of all `.wtb` files of a folder, in the order of their names, with the year of each; 0 where it is not known.
pub(crate) fn read(folder: &Path) -> Result<Vec<(u16, Game)>, Error> {
    let mut files: Vec<_> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|path| Format::from_extension(path) == Some(Format::Wthor));
    files.sort();
    let mut games = Vec::new();
    for file in files {
        for entry in Reader::open(&file)? {
            let game = entry?.game;
            let year = game.date.year().unwrap_or(0);
            games.push((year, boards(game.line())));
        }
    }
    Ok(games)
}

/// The boards that a game's moves lead through.
fn boards(line: &Line) -> Game {
    let mut board = line.start();
    let mut side = line.prefix(0).side();
    let mut boards = vec![(board, side)];
    for mv in line.moves() {
        (board, side) = (
            board.play(*mv).expect("a line's moves are legal"),
            side.other(),
        );
        if *mv == Move::Pass {
            boards.pop();
        }
        boards.push((board, side));
    }
    boards
}
