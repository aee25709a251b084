//! The checks that `cargo test` replays, for the fuzzer. Each takes any bytes, and panics if a law is broken.

#[path = "../../tests/fuzzed/mod.rs"]
mod fuzzed;

/// Runs the check of a target.
///
/// # Panics
/// Panics if `bytes` break a law, or no check has this name.
pub fn check(target: &str, bytes: &[u8]) {
    fuzzed::check(target, bytes);
}
