//! `obook show`: a position with its moves and scores.

use super::output::{Failure, stdout, write_json};
use crate::{Book, Error, View};
use obook_othello::{CanonicalBoard, Line};
use std::io::Write;
use std::path::Path;

pub(super) fn run(path: &Path, moves: &str, json: bool) -> Result<(), Failure> {
    let line: Line = moves.parse().map_err(Error::Line)?;
    let book = Book::open(path)?;
    // The positions on the way are asked for too, to say where the line left the book.
    let way = positions_on(&line);
    let mut found = book.find(&way)?;
    let Some(position) = found.remove(&line.board().canonical()) else {
        let known = way
            .iter()
            .take_while(|board| found.contains_key(board))
            .count();
        let problem = match known {
            0 => String::from("the start position is not in the book"),
            known => {
                let left: String = line.moves()[..known]
                    .iter()
                    .map(ToString::to_string)
                    .collect();
                format!("the book ends before {left}: that position is not in it")
            }
        };
        return Err(Error::unfit(path, problem).into());
    };
    let view = View::new(line, &position);
    let out = &mut stdout();
    if json {
        write_json(out, &view)?;
    } else {
        write!(out, "{view}")?;
    }
    Ok(out.flush()?)
}

/// The positions from the start to the end of a line.
fn positions_on(line: &Line) -> Vec<CanonicalBoard> {
    let mut board = obook_othello::Board::START;
    let mut way = vec![board.canonical()];
    for mv in line.moves() {
        board = board.play(*mv).expect("a line's moves are legal");
        way.push(board.canonical());
    }
    way
}
