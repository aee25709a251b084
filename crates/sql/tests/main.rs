//! All integration tests of the crate, one binary.

mod announced;
