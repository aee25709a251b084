//! What is asked of an engine to give a position its leaf.

use obook_converters::Position;
use obook_engine::{NothingToSearch, Request};
use obook_othello::CanonicalBoard;

/// A position, and the request for its best move that leads out of the book.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// The position.
    pub board: CanonicalBoard,
    /// What is asked: its [board](Request::board) is that of the position, the moves that are left out lead into the book.
    pub request: Request,
}

/// What it takes to complete a position.
#[derive(Clone, Debug)]
pub(crate) enum Task<T> {
    /// A search.
    Search(Question),
    /// Nothing that an engine knows.
    Done(T),
}

/// What has to be asked of an engine at this level to find the leaf of a position.
///
/// # Errors
/// Where there is nothing to search: the game is over, or every move is a link.
pub(crate) fn question_of(position: &Position, level: u8) -> Result<Question, NothingToSearch> {
    let board = position.board;
    let mut request = Request::new(board.board(), level)?;
    for link in &position.links {
        request = request.without(link.mv)?;
    }
    Ok(Question { board, request })
}
