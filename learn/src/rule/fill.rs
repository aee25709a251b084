//! Edax's `book fill`.

use super::{Place, Plies};
use crate::{Chosen, Want};
use obook_graph::Graph;
use obook_othello::{Board, CanonicalBoard};
use rayon::prelude::*;

/// From every position from which lines go on, all lines of so many plies are tried, a pass counted as one. Where one ends at a
/// position of the book, the boards between are wanted that the book does not hold.
pub(crate) fn choose(place: &Place<'_>, plies: Plies) -> Vec<Chosen> {
    let book = place.book;
    let between = |at: usize| {
        let board = book.board(book.id(at)).board();
        let mut found = Vec::new();
        if place.goes_on(board) {
            fill(book, board, plies.get(), &mut found);
        }
        found
    };
    let mut boards: Vec<CanonicalBoard> = (0..book.len())
        .into_par_iter()
        .flat_map_iter(between)
        .collect();
    boards.par_sort_unstable();
    boards.dedup();
    let chosen = boards
        .into_iter()
        .filter(|board| place.has_room_for(board.board()));
    chosen
        .map(|board| place.chosen(board, Want::Position, None))
        .collect()
}

/// Whether a line of so many plies leads from a board to a position of the book; finds the boards between that are none.
fn fill(book: &Graph, board: Board, plies: u8, found: &mut Vec<CanonicalBoard>) -> bool {
    let mut any = false;
    for (_, child) in board.children() {
        let board = child.canonical();
        let is_position = || book.find(board).is_some();
        let leads_there = match plies {
            1 => is_position(),
            _ => fill(book, child, plies - 1, found),
        };
        if leads_there && plies > 1 && !is_position() {
            found.push(board);
        }
        any |= leads_there;
    }
    any
}
