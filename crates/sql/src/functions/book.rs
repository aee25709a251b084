//! Look-ups by key in a book, wherever its rows are.

use obook_base::sql::Result;
use obook_othello::{CanonicalBoard, Position};

/// A book in which positions are looked up by key.
pub trait Book {
    /// A position with its links and its leaf, if it's in the book.
    ///
    /// # Errors
    /// If the book can't be read.
    fn position(&self, board: CanonicalBoard) -> Result<Option<Position>>;

    /// A position's numbers, which may come quicker than all of it.
    ///
    /// # Errors
    /// If the book can't be read.
    fn numbers(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        self.position(board)
    }

    /// Announces all positions that are looked up next, so that a book far away can fetch them together. There may be none;
    /// some may not be in the book, and some may come twice. The tables of this crate look up nothing that they haven't announced.
    ///
    /// # Errors
    /// If the book can't be read.
    fn expect(&self, _boards: &[CanonicalBoard]) -> Result<()> {
        Ok(())
    }
}
