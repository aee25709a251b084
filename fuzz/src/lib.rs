//! The checks that `cargo test` replays, for the fuzzer: each takes any bytes, and panics where a law is broken.

#[path = "../../tests/fuzzed/mod.rs"]
mod fuzzed;

/// A check by the name of its target.
///
/// # Panics
/// Where `bytes` break a law, or no check has this name.
pub fn check(target: &str, bytes: &[u8]) {
    fuzzed::check(target, bytes);
}
