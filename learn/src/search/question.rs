//! What is asked of an engine to give a position its leaf.

use obook_engine::{NothingToSearch, Request};
use obook_model::Position;
use obook_othello::{CanonicalBoard, Move};

/// A position, and the request for its best move that leads out of the book.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// The position.
    pub board: CanonicalBoard,
    /// What is asked: its [board](Request::board) is that of the position, the moves that are left out lead into the book.
    pub request: Request,
}

impl Question {
    /// What is asked of a board at this level, with these moves left out.
    ///
    /// # Errors
    /// Where there is nothing to search: the game is over, or every move is left out.
    pub(crate) fn new(
        board: CanonicalBoard,
        level: u8,
        without: impl IntoIterator<Item = Move>,
    ) -> Result<Question, NothingToSearch> {
        let whole = Request::new(board.board(), level)?;
        let request = without.into_iter().try_fold(whole, Request::without)?;
        Ok(Question { board, request })
    }
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
    let links = position.links.iter().map(|link| link.mv);
    Question::new(position.board, level, links)
}
