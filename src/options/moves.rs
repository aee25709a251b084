//! Moves as people type them: in one word or several.

use obook_book::Error;
use obook_othello::Line;
use std::path::Path;

/// The line that the moves make from the start position.
pub(crate) fn line(moves: &[String]) -> Result<Line, Error> {
    moves.concat().parse().map_err(|error| {
        let file = moves.iter().map(Path::new).find(|word| word.is_file());
        file.map_or(Error::Line(error), |file| {
            Error::unfit(
                file,
                "a file where moves are expected; the book comes first, then the moves",
            )
        })
    })
}
