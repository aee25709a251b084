//! All integration tests of the crate, one binary.

mod extract;
mod recorded;
mod salvage;
