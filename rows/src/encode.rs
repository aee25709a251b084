//! Turns a position into rows of the three tables, in the order of their [columns](crate::Table::columns).

use crate::Cell;
use obook_model::{Link, NoLeaf, Position};
use obook_othello::{CanonicalBoard, Move};

/// The position's row in `positions`.
#[must_use]
pub fn position(position: &Position) -> [Cell; 15] {
    let numbers = numbers(position).map(Cell::from);
    let [value, lower, upper, wins, draws, losses, lines, proof @ ..] = numbers;
    let [proven_lower, proven_upper, prover] = proof;
    [
        position.board.into(),
        Cell::Integer(position.board.board().empties().into()),
        value,
        lower,
        upper,
        position.level.into(),
        Cell::Integer(position.engine.code().into()),
        wins,
        draws,
        losses,
        lines,
        unsearched(position.no_leaf),
        proven_lower,
        proven_upper,
        prover,
    ]
}

/// The reason for a missing leaf.
fn unsearched(no_leaf: Option<NoLeaf>) -> Cell {
    let unsearched = no_leaf.map(|no_leaf| no_leaf == NoLeaf::Undefined);
    unsearched.map(i64::from).into()
}

/// The derived numbers of that row: value, lower, upper, wins, draws, losses, lines, proven_lower, proven_upper, prover.
#[must_use]
pub fn numbers(position: &Position) -> [Option<i64>; 10] {
    let bounds = position.bounds;
    let outcomes = position.outcomes;
    let proof = position.proof;
    [
        position.value.map(i64::from),
        bounds.map(|bounds| bounds.lower.into()),
        bounds.map(|bounds| bounds.upper.into()),
        outcomes.map(|outcomes| outcomes.wins.into()),
        outcomes.map(|outcomes| outcomes.draws.into()),
        outcomes.map(|outcomes| outcomes.losses.into()),
        position.lines.map(i64::from),
        proof.map(|proof| proof.lower().into()),
        proof.map(|proof| proof.upper().into()),
        proof.map(|proof| proof.prover().code().into()),
    ]
}

/// The position's rows in `links`, by move, as they are sorted in the table.
pub fn links(position: &Position) -> impl Iterator<Item = [Cell; 3]> + use<> {
    let board = position.board;
    let mut links = position.links.clone();
    links.sort_unstable_by_key(|link| link.mv);
    links.into_iter().map(move |found| link(board, found))
}

/// The row of one link.
#[must_use]
pub fn link(board: CanonicalBoard, link: Link) -> [Cell; 3] {
    [
        board.into(),
        Cell::Integer(link.mv.code().into()),
        link.score.into(),
    ]
}

/// The position's row in `leaves`, if it has a leaf.
#[must_use]
pub fn leaf(position: &Position) -> Option<[Cell; 5]> {
    let leaf = position.leaf?;
    Some([
        position.board.into(),
        leaf.mv.map(Move::code).into(),
        Cell::Integer(leaf.score.into()),
        leaf.level.into(),
        Cell::Integer(leaf.engine.code().into()),
    ])
}
