//! The tests of the crate in one binary, except for `memory.rs`, which needs a process of its own.

mod detection;
mod golden;
mod holds;
mod hostile;
mod ntest;
mod one_worker;
mod ranges;
mod round_trip;
mod sensei;
mod support;
mod takizawa;
mod zebra;
