//! A position as rows of the three tables.

use super::bulk::Cell;
use obook_converters::{Link, Position};
use obook_othello::{CanonicalBoard, Move};

/// `INSERT` into `positions` up to the word `VALUES`; [`position`] gives the columns in this order.
pub(super) const INSERT_POSITION: &str = "INSERT INTO positions (board, empties, value, lower, upper, level, engine, wins, draws, losses, lines)";
/// As [`INSERT_POSITION`], for [`links`].
pub(super) const INSERT_LINK: &str = "INSERT INTO links (board, move, score)";
/// As [`INSERT_POSITION`], for [`leaf`].
pub(super) const INSERT_LEAF: &str = "INSERT INTO leaves (board, move, score, level, engine)";

pub(super) fn position(position: &Position) -> [Cell; 11] {
    let bounds = position.bounds;
    let outcomes = position.outcomes;
    [
        position.board.into(),
        Cell::Integer(position.board.board().empties().into()),
        position.value.into(),
        bounds.map(|bounds| bounds.lower).into(),
        bounds.map(|bounds| bounds.upper).into(),
        position.level.into(),
        Cell::Integer(position.engine as i64),
        outcomes.map(|outcomes| outcomes.wins).into(),
        outcomes.map(|outcomes| outcomes.draws).into(),
        outcomes.map(|outcomes| outcomes.losses).into(),
        position.lines.into(),
    ]
}

/// By move, which is their order in the table.
pub(super) fn links(position: &Position) -> impl Iterator<Item = [Cell; 3]> + use<> {
    let board = position.board;
    let mut links = position.links.clone();
    links.sort_unstable_by_key(|link| link.mv);
    links.into_iter().map(move |found| link(board, found))
}

pub(super) fn link(board: CanonicalBoard, link: Link) -> [Cell; 3] {
    [
        board.into(),
        Cell::Integer(link.mv.code().into()),
        link.score.into(),
    ]
}

pub(super) fn leaf(position: &Position) -> Option<[Cell; 5]> {
    let leaf = position.leaf?;
    Some([
        position.board.into(),
        leaf.mv.map(Move::code).into(),
        Cell::Integer(leaf.score.into()),
        leaf.level.into(),
        Cell::Integer(leaf.engine as i64),
    ])
}
