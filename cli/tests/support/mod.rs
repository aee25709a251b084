//! Code that tests of the program share.

pub(crate) mod program;
pub(crate) mod report;
