//! Takes the place of the module `lake` in builds without the feature of that name.

use crate::failure::Failure;
use crate::without::missing;
use std::path::Path;

pub(crate) fn write<A>(_arguments: &A) -> Result<(), Failure> {
    Err(Failure::file(
        Path::new("--format parquet"),
        missing("lake"),
    ))
}

pub(crate) fn restore<A>(lake: &Path, _database: &Path, _arguments: &A) -> Result<(), Failure> {
    Err(Failure::file(lake, missing("lake")))
}
