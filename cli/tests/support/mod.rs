//! Code that tests of the program share.

use std::path::Path;

pub(crate) mod program;
pub(crate) mod raw_book;
pub(crate) mod report;
#[cfg(unix)]
pub(crate) mod terminal;

/// The folder of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}
