//! The checks that `cargo test` replays, for the fuzzer. Each takes any bytes, and panics if a law is broken.

#[path = "../../cli/tests/fuzzed/mod.rs"]
mod fuzzed;

use std::sync::Once;

/// Runs the check of a target. What rayon does in parallel elsewhere, it does on this thread, because inputs are small: on a busy
/// machine it takes longer to hand work over than to do it. Its one other worker has what other threads give it.
///
/// # Panics
/// Panics if `bytes` break a law, or no check has this name.
pub fn check(target: &str, bytes: &[u8]) {
    static ON_THIS_THREAD: Once = Once::new();
    ON_THIS_THREAD.call_once(|| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2);
        pool.use_current_thread().build_global().unwrap();
    });
    fuzzed::check(target, bytes);
}
