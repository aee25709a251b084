//! `obook show`: a position with its moves and scores.

use super::output::{Failure, answer};
use crate::lookup::{left_the_book, positions_on};
use crate::loops::on_path;
use crate::{Book, Error, View};
use obook_othello::{CanonicalBoard, Line, Move};
use std::path::Path;

pub(super) fn run(path: &Path, moves: &str, json: bool) -> Result<(), Failure> {
    let line: Line = moves.parse().map_err(Error::Line)?;
    let book = Book::open(path)?;
    // The positions on the way are asked for too, to say where the line left the book.
    let way: Vec<CanonicalBoard> = positions_on(&line).collect();
    let mut found = book.find(&way)?;
    let Some(position) = found.remove(&line.board().canonical()) else {
        let known = way.iter().take_while(|board| found.contains_key(board));
        return Err(left_the_book(path, &line, known.count()).into());
    };
    let came_by_pass = line.moves().last() == Some(&Move::Pass);
    let mut view = View::new(line, &position);
    if let Book::Database(store) = &book {
        view.set_on_path(on_path(
            |board| store.position(board),
            &position,
            came_by_pass,
            || store.repetition(),
        )?);
    }
    answer(&view, json, |view, out| Ok(write!(out, "{view}")?))
}
