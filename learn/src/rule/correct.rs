//! Edax's `book correct`.

use super::Place;
use crate::{Chosen, Want};
use obook_model::levels::{is_solved, of_leaf};
use rayon::prelude::*;

/// All leaves with proven scores are searched again, each at its own level: once, for nothing that a book says tells those that
/// were from those that were not. What a person entered is not searched.
pub(crate) fn choose(place: &Place<'_>) -> Vec<Chosen> {
    if place.turn > 0 {
        return Vec::new();
    }
    let book = place.book;
    let chosen = |at: usize| {
        let id = book.id(at);
        let leaf = book.leaf(id).filter(|leaf| leaf.mv.is_some())?;
        let level = place.level_of(id, leaf)?;
        let own = of_leaf(leaf, book.level(id), book.engine(id))?;
        let board = book.board(id);
        let is_proven = is_solved(leaf.engine, own, board.board().empties() as u8);
        is_proven.then(|| place.chosen(board, Want::Leaf, Some(level)))
    };
    (0..book.len()).into_par_iter().filter_map(chosen).collect()
}
