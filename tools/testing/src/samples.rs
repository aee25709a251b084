//! Random values that are the same on every machine. If a law is about something that random values may lack, a test beside it
//! counts how many samples have it.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

/// Takes `count` samples.
pub fn samples<S: Strategy>(strategy: &S, count: usize) -> Vec<S::Value> {
    let mut runner = TestRunner::deterministic();
    (0..count)
        .map(|_| strategy.new_tree(&mut runner).unwrap().current())
        .collect()
}
