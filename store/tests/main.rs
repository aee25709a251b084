//! Tests of the crate, in one binary.

mod changes;
mod compact;
mod contexts;
mod support;
mod wal;
