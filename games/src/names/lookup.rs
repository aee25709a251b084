//! From positions to names.

use crate::names::table::{Opening, openings};
use obook_othello::{CanonicalBoard, Line};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The openings by their positions.
static BY_BOARD: LazyLock<HashMap<CanonicalBoard, &Opening>> = LazyLock::new(|| {
    let by_board = |opening: &'static Opening| (opening.line().board().canonical(), opening);
    openings().iter().map(by_board).collect()
});

/// The opening whose position this is, in any orientation.
///
/// ```
/// use obook_games::names::of_board;
/// use obook_othello::{Board, Line};
///
/// let mirrored: Line = "d3c3".parse()?;
/// assert_eq!(of_board(mirrored.board().canonical()).unwrap().name(), "Diagonal");
/// assert_eq!(of_board(Board::START.canonical()), None);
/// # Ok::<(), obook_othello::LineError>(())
/// ```
#[must_use]
pub fn of_board(board: CanonicalBoard) -> Option<&'static Opening> {
    BY_BOARD.get(&board).copied()
}

/// The opening that a line belongs to: the one that it reached last, by any order of moves and in any orientation.
#[must_use]
pub fn of_line(line: &Line) -> Option<&'static Opening> {
    let mut board = line.start();
    let mut found = of_board(board.canonical());
    for mv in line.moves() {
        board = board.play(*mv).expect("a line's moves are legal");
        found = of_board(board.canonical()).or(found);
    }
    found
}
