//! Turns a position into rows of the three tables, in the order of their [columns](crate::rows::Table::columns).

use obook_base::sql::ColumnType::{Integer, Key};
use obook_base::sql::{Answer, ColumnType};
use obook_othello::{CanonicalBoard, Link, Move, NUMBERS, NoLeaf, Position};

/// A column of table `positions`, its type, and the value of a position in it.
pub type Column = (&'static str, ColumnType, fn(&Position) -> Answer<'static>);

/// The columns of table `positions`.
pub const POSITION: [Column; 15] = *WITH_LEAF.first_chunk().expect("there are more columns");

/// The same columns, then those that only tables of book files have.
pub(crate) const WITH_LEAF: [Column; 19] = [
    ("board", Key, |position| position.board.to_key().into()),
    ("empties", Integer, |position| {
        position.board.board().empties().into()
    }),
    number::<0>(),
    number::<1>(),
    number::<2>(),
    ("level", Integer, |position| position.level.into()),
    ("engine", Integer, |position| {
        position.engine.number().into()
    }),
    number::<3>(),
    number::<4>(),
    number::<5>(),
    number::<6>(),
    // The reason for a missing leaf.
    ("unsearched", Integer, |position| {
        let is_undefined = |no_leaf| no_leaf == NoLeaf::Undefined;
        position.no_leaf.map(is_undefined).into()
    }),
    number::<7>(),
    number::<8>(),
    number::<9>(),
    ("links", Integer, |position| {
        Answer::Integer(position.links.len() as i64)
    }),
    ("leaf_move", Integer, |position| {
        let mv = position.leaf.and_then(|leaf| leaf.mv);
        mv.map(Move::code).into()
    }),
    ("leaf_score", Integer, |position| {
        position.leaf.map(|leaf| leaf.score).into()
    }),
    ("leaf_level", Integer, |position| {
        position.leaf.and_then(|leaf| leaf.level).into()
    }),
];

/// The column of a number, by its place among [`NUMBERS`].
const fn number<const PLACE: usize>() -> Column {
    (NUMBERS[PLACE].name, Integer, |position| {
        (NUMBERS[PLACE].of)(position).into()
    })
}

/// The position's row in `positions`.
#[must_use]
pub fn position(position: &Position) -> [Answer<'static>; 15] {
    POSITION.map(|(_, _, value)| value(position))
}

/// The position's rows in `links`, by move, as they are sorted in the table.
pub fn links(position: &Position) -> impl Iterator<Item = [Answer<'static>; 3]> + use<> {
    let board = position.board;
    let mut links = position.links.clone();
    links.sort_unstable_by_key(|link| link.mv);
    links.into_iter().map(move |found| link(board, found))
}

/// The row of one link.
#[must_use]
pub fn link(board: CanonicalBoard, link: Link) -> [Answer<'static>; 3] {
    [
        board.to_key().into(),
        link.mv.code().into(),
        link.score.into(),
    ]
}

/// The position's row in `leaves`, if it has a leaf.
#[must_use]
pub fn leaf(position: &Position) -> Option<[Answer<'static>; 5]> {
    let leaf = position.leaf?;
    Some([
        position.board.to_key().into(),
        leaf.mv.map(Move::code).into(),
        leaf.score.into(),
        leaf.level.into(),
        leaf.engine.number().into(),
    ])
}
