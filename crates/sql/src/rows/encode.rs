//! Turns a position into rows of the three tables, in the order of their [columns](crate::rows::Table::columns).

use crate::rows::Cell;
use obook_othello::{CanonicalBoard, Link, Move, NUMBERS, NoLeaf, Position};

/// A column of table `positions`, and the value of a position in it.
pub type Column = (&'static str, fn(&Position) -> Cell);

/// The columns of table `positions`.
pub const POSITION: [Column; 15] = [
    ("board", |position| position.board.into()),
    ("empties", |position| {
        Cell::Integer(position.board.board().empties().into())
    }),
    number::<0>(),
    number::<1>(),
    number::<2>(),
    ("level", |position| position.level.into()),
    ("engine", |position| Cell::Integer(position.engine.number())),
    number::<3>(),
    number::<4>(),
    number::<5>(),
    number::<6>(),
    // The reason for a missing leaf.
    ("unsearched", |position| {
        let unsearched = (position.no_leaf).map(|no_leaf| no_leaf == NoLeaf::Undefined);
        unsearched.map(i64::from).into()
    }),
    number::<7>(),
    number::<8>(),
    number::<9>(),
];

/// The column of a number, by its place among [`NUMBERS`].
const fn number<const PLACE: usize>() -> Column {
    (NUMBERS[PLACE].name, |position| {
        (NUMBERS[PLACE].of)(position).into()
    })
}

/// The position's row in `positions`.
#[must_use]
pub fn position(position: &Position) -> [Cell; 15] {
    POSITION.map(|(_, cell)| cell(position))
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
        Cell::Integer(leaf.engine.number()),
    ])
}
