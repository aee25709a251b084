//! Tests of the crate, in one binary.

mod change_in_parts;
mod changes;
mod compact;
mod contexts;
mod extension;
#[cfg(feature = "lake")]
mod lake;
mod reading;
mod support;
mod undo;
mod wal;
