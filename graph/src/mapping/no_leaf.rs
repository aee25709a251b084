//! What is to be said of a missing leaf.

use crate::passes::views;
use obook_model::{NoLeaf, Position};
use obook_othello::CanonicalBoard;

/// Where a position has no leaf and the book does not say why, lets its moves tell: `.egbk3` files say it of every
/// position, and Egaroucid never searches one of which it is said that no move leads out of the book.
pub fn decide_no_leaf(position: &mut Position, is_in_book: impl Fn(CanonicalBoard) -> bool + Copy) {
    if position.leaf.is_some() || position.no_leaf.is_some() {
        return;
    }
    let mut children = position.board.board().children();
    let all_in_book = children.all(|(_, child)| views(child).any(is_in_book));
    position.no_leaf = Some(if all_in_book {
        NoLeaf::AllMovesInBook
    } else {
        NoLeaf::Undefined
    });
}
