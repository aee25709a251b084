//! The tests of the crate in one binary, except for those that need a process of their own: `memory.rs` and `one_worker.rs`.

mod detection;
mod golden;
mod holds;
mod hostile;
mod ntest;
mod ranges;
mod round_trip;
mod sensei;
mod support;
mod takizawa;
mod zebra;
