//! All tests of the workspace's root package, one binary: linking one for each file took longer than running them.
//!
//! `cargo test --test all fix` runs those with `fix` in their path, such as `program::fix_loops`.

mod checkout;
mod fuzzed;
mod laws;
mod layers;
mod opened;
mod program;
mod results;
mod support;
mod unsafe_code;
