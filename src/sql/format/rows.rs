//! What all forms of an answer have in common.

use rusqlite::types::ValueRef;
use std::io;

/// Takes the rows of one answer.
pub(crate) trait Rows {
    fn row(&mut self, row: &[ValueRef<'_>]) -> io::Result<()>;

    /// After the last row.
    fn end(self: Box<Self>) -> io::Result<()>;
}
