//! Look-ups by key in a book, wherever its rows are.

use obook_base::sql::Result;
use obook_othello::{CanonicalBoard, Leaf, Links, Position};

/// A book in which positions are looked up by key.
pub trait Book {
    /// A position's numbers, without links and leaf, if it's in the book.
    ///
    /// # Errors
    /// If the book can't be read, as for the other look-ups.
    fn numbers(&self, board: CanonicalBoard) -> Result<Option<Position>>;

    /// A position's links in the order of their moves.
    ///
    /// # Errors
    /// If the book can't be read.
    fn links(&self, board: CanonicalBoard) -> Result<Links>;

    /// A position's leaf.
    ///
    /// # Errors
    /// If the book can't be read.
    fn leaf(&self, board: CanonicalBoard) -> Result<Option<Leaf>>;

    /// A position with its links, best first, and its leaf, if it's in the book.
    ///
    /// # Errors
    /// If the book can't be read.
    fn position(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        let Some(mut position) = self.numbers(board)? else {
            return Ok(None);
        };
        position.links = self.links(board)?;
        position.sort_links();
        if let Some(leaf) = self.leaf(board)? {
            position.set_leaf(leaf);
        }
        Ok(Some(position))
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

impl<B: Book + ?Sized> Book for &B {
    fn numbers(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        (**self).numbers(board)
    }

    fn links(&self, board: CanonicalBoard) -> Result<Links> {
        (**self).links(board)
    }

    fn leaf(&self, board: CanonicalBoard) -> Result<Option<Leaf>> {
        (**self).leaf(board)
    }

    fn position(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        (**self).position(board)
    }

    fn expect(&self, boards: &[CanonicalBoard]) -> Result<()> {
        (**self).expect(boards)
    }
}
