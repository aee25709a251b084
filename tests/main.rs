//! All tests of the workspace's root package, one binary: linking one for each file took longer than running them.
//!
//! `cargo test --test all fix` runs those with `fix` in their path, such as `book::write::fix_loops`.

mod book;
mod checkout;
#[cfg(unix)]
mod engine;
mod fuzzed;
mod laws;
mod program;
mod support;
mod unsafe_code;
