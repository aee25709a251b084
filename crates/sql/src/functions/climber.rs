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
        parents: impl FnMut(CanonicalBoard) -> Result<Vec<CanonicalBoard>, E>,
    ) -> Result<Option<Line>, E> {
        if !self.reach(board, parents)? {
            return Ok(None);
        }
        // The start has no predecessor.
        let up = |board: &CanonicalBoard| *self.before.get(board)?;
        let mut boards: Vec<_> = std::iter::successors(Some(board), up).collect();
        boards.reverse();
        Ok(Line::through(boards))
    }

    /// Whether a line leads to a position. Searches upwards, depth first, until it meets the start or a known line.
    fn reach<E>(
        &mut self,
        board: CanonicalBoard,
        mut parents: impl FnMut(CanonicalBoard) -> Result<Vec<CanonicalBoard>, E>,
    ) -> Result<bool, E> {
        // From the position upwards: each board with its untried parents.
        let mut path: Vec<(CanonicalBoard, Vec<CanonicalBoard>)> = Vec::new();
        let mut next = Some(board);
        loop {
            match next {
                Some(board) if self.has_line(board) => {
                    let mut before = board;
                    while let Some((child, _)) = path.pop() {
                        self.before.insert(child, Some(before));
                        before = child;
                    }
                    return Ok(true);
                }
                Some(board) if self.before.contains_key(&board) => {}
                Some(board) => {
                    self.before.insert(board, None);
                    path.push((board, parents(board)?));
                }
                None => drop(path.pop()),
            }
            let Some((_, untried)) = path.last_mut() else {
                return Ok(false);
            };
            next = untried.pop();
        }
    }

    /// Whether a line to the board is known.
    fn has_line(&self, board: CanonicalBoard) -> bool {
        board == Board::START.canonical() || self.before.get(&board).is_some_and(Option::is_some)
    }
}
