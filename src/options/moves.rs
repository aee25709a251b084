//! Moves as people type them: in one word or several.

use obook_book::Error;
use obook_othello::Line;

/// The line that the moves make from the start position.
pub(crate) fn line(moves: &[String]) -> Result<Line, Error> {
    moves.concat().parse().map_err(Error::Line)
}
