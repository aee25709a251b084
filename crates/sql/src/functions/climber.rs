//! Lines from the start to a position, found by taking back moves.

use obook_othello::{Board, CanonicalBoard, Line};
use std::collections::HashMap;

/// Traces positions back to the start by taking back moves, and remembers visited positions.
#[derive(Clone, Debug, Default)]
pub struct Climber {
    /// The predecessor of each visited position on a line from the start; `None` if no line is known.
    before: HashMap<CanonicalBoard, Option<CanonicalBoard>>,
}

impl Climber {
    /// A line from the start to a position of a book along its links, if there is one. `parents` returns the positions with a link to one.
    ///
    /// # Errors
    /// Returns the first error of `parents`.
    pub fn line_to<E>(
        &mut self,
        board: CanonicalBoard,
        mut parents: impl FnMut(CanonicalBoard) -> Result<Vec<CanonicalBoard>, E>,
    ) -> Result<Option<Line>, E> {
        if !self.reach(board, &mut parents)? {
            return Ok(None);
        }
        // The start has no predecessor.
        let up = |board: &CanonicalBoard| *self.before.get(board)?;
        let mut boards: Vec<_> = std::iter::successors(Some(board), up).collect();
        boards.reverse();
        Ok(Line::through(boards))
    }

    /// Whether a line leads to a position. Searches upwards, depth first, until it meets the start or a known line.
    /// At least every second step takes away a disc, so it doesn't go deep.
    fn reach<E>(
        &mut self,
        board: CanonicalBoard,
        parents: &mut impl FnMut(CanonicalBoard) -> Result<Vec<CanonicalBoard>, E>,
    ) -> Result<bool, E> {
        if board == Board::START.canonical() {
            return Ok(true);
        }
        if let Some(before) = self.before.get(&board) {
            return Ok(before.is_some());
        }
        self.before.insert(board, None);
        for parent in parents(board)?.into_iter().rev() {
            if self.reach(parent, parents)? {
                self.before.insert(board, Some(parent));
                return Ok(true);
            }
        }
        Ok(false)
    }
}
