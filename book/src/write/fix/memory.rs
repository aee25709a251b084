//! How much memory a book needs.

use crate::{Result, Store};

/// Bytes that it takes to link and compute a whole book in memory, by the size of its tables: measured on books of one link
/// and one leaf a position, of which each takes 100 bytes there and 125 here.
pub(super) fn needed(store: &Store) -> Result<u64> {
    Ok(store.book_bytes()? / 4 * 5)
}
