//! `book store`: games that were played.

use super::Place;
use crate::Chosen;

/// All positions of the games are wanted that the book does not hold, each with its leaf; as Egaroucid has it (`best`), what the
/// best move of each leads to is wanted next, where that is its leaf.
pub(crate) fn choose(place: &Place<'_>, best: bool) -> Vec<Chosen> {
    let book = place.book;
    let of = |board| match book.find(board) {
        None => place.missing(board),
        Some(id) if best && place.has_best_leaf(id) && place.goes_on(board.board()) => {
            place.expansion(id)
        }
        Some(_) => None,
    };
    place
        .played
        .boards()
        .filter_map(|(board, _)| of(board))
        .collect()
}
