//! A position as rows of the three tables.

use super::bulk::Cell;
use super::overwrite::{Columns, Overwritten};
use obook_converters::{Link, NoLeaf, Position};
use obook_othello::{CanonicalBoard, Move};

/// `INSERT` into `positions` up to the word `VALUES`; [`position`] gives the columns in this order.
pub(super) const INSERT_POSITION: &str = "INSERT INTO positions (board, empties, value, lower, upper, level, engine, wins, draws, losses, lines, unsearched)";
/// As [`INSERT_POSITION`], for [`links`].
pub(super) const INSERT_LINK: &str = "INSERT INTO links (board, move, score)";
/// As [`INSERT_POSITION`], for [`leaf`].
pub(super) const INSERT_LEAF: &str = "INSERT INTO leaves (board, move, score, level, engine)";

/// What is derived of a position; [`numbers`] gives it.
pub(super) const NUMBERS: Columns<1, 7> = Columns {
    table: "positions",
    key: ["board"],
    cells: [
        "value", "lower", "upper", "wins", "draws", "losses", "lines",
    ],
};
/// What is derived of a link; [`scores`] gives it.
pub(super) const SCORES: Columns<2, 1> = Columns {
    table: "links",
    key: ["board", "move"],
    cells: ["score"],
};

pub(super) fn position(position: &Position) -> [Cell; 12] {
    let (board, numbers) = numbers(position);
    let [value, lower, upper, wins, draws, losses, lines] = numbers.map(Cell::from);
    [
        board[0],
        Cell::Integer(position.board.board().empties().into()),
        value,
        lower,
        upper,
        position.level.into(),
        Cell::Integer(position.engine as i64),
        wins,
        draws,
        losses,
        lines,
        unsearched(position.no_leaf),
    ]
}

/// What is said of a missing leaf.
fn unsearched(no_leaf: Option<NoLeaf>) -> Cell {
    no_leaf
        .map(|no_leaf| i64::from(no_leaf == NoLeaf::Undefined))
        .into()
}

pub(super) fn numbers(position: &Position) -> Overwritten<1, 7> {
    let bounds = position.bounds;
    let outcomes = position.outcomes;
    (
        [position.board.into()],
        [
            position.value.map(i64::from),
            bounds.map(|bounds| bounds.lower.into()),
            bounds.map(|bounds| bounds.upper.into()),
            outcomes.map(|outcomes| outcomes.wins.into()),
            outcomes.map(|outcomes| outcomes.draws.into()),
            outcomes.map(|outcomes| outcomes.losses.into()),
            position.lines.map(i64::from),
        ],
    )
}

/// As [`links`].
pub(super) fn scores(position: &Position) -> impl Iterator<Item = Overwritten<2, 1>> + use<> {
    let board = position.board;
    by_move(position).map(move |link| {
        let mv = Cell::Integer(link.mv.code().into());
        ([board.into(), mv], [link.score.map(i64::from)])
    })
}

/// By move, which is their order in the table.
pub(super) fn links(position: &Position) -> impl Iterator<Item = [Cell; 3]> + use<> {
    let board = position.board;
    by_move(position).map(move |found| link(board, found))
}

fn by_move(position: &Position) -> impl Iterator<Item = Link> + use<> {
    let mut links = position.links.clone();
    links.sort_unstable_by_key(|link| link.mv);
    links.into_iter()
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
