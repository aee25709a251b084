//! The interface of all formats.

use rusqlite::types::ValueRef;
use std::io;

/// A writer for the rows of one answer.
pub(crate) trait Rows {
    fn row(&mut self, row: &[ValueRef<'_>]) -> io::Result<()>;

    /// After the last row.
    fn end(self: Box<Self>) -> io::Result<()>;
}
