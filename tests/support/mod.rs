//! What the tests share that run the program.

pub(crate) mod program;
pub(crate) mod report;
