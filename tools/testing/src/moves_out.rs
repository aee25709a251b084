//! The moves that lead out of a book without pass positions.

use obook_othello::{Board, CanonicalBoard, Move};
use std::collections::BTreeSet;

/// The moves of a board that lead to none of `boards`, which may have a pass or a finished game from the other side's view.
pub fn moves_out(board: Board, boards: &BTreeSet<CanonicalBoard>) -> impl Iterator<Item = Move> {
    let is_in = |child: Board| boards.contains(&child.canonical());
    let children = board.children();
    children
        .filter(move |(_, child)| !is_in(*child))
        .filter(move |(_, child)| !child.legal_moves().is_empty() || !is_in(child.passed()))
        .map(|(mv, _)| mv)
}
