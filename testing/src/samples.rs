//! The same random values on every machine: a law that speaks of something that random values may lack has a test beside
//! it that counts how many of these have it.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

pub fn samples<S: Strategy>(strategy: &S, count: usize) -> Vec<S::Value> {
    let mut runner = TestRunner::deterministic();
    (0..count)
        .map(|_| strategy.new_tree(&mut runner).unwrap().current())
        .collect()
}
