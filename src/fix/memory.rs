//! How much memory a book needs, and how much there is.

use crate::{Result, Store};

/// Bytes that it takes to link and compute a whole book in memory, by the size of its file: measured on books of one link
/// and one leaf a position, of which each takes 100 bytes there and 125 here.
pub(super) fn needed(store: &Store) -> Result<u64> {
    Ok(store.bytes()? / 4 * 5)
}

/// Bytes that may be taken: what is free, but for a part that others may want meanwhile. Without an answer of the machine
/// there is no limit.
pub(super) fn available() -> u64 {
    let system = sysinfo::System::new().map(|mut system| {
        system.refresh_memory();
        system.available_memory() / 4 * 3
    });
    system.unwrap_or(u64::MAX)
}
