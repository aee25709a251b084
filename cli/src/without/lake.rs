//! Takes the place of the module `lake` in builds without the feature of that name.

use crate::commands::{export, import};
use crate::failure::Failure;
use crate::without::missing;
use std::path::Path;

pub(crate) fn write(_arguments: &export::Arguments) -> Result<(), Failure> {
    Err(Failure::file(
        Path::new("--format parquet"),
        missing("lake"),
    ))
}

pub(crate) fn restore(
    lake: &Path,
    _database: &Path,
    _arguments: &import::Arguments,
) -> Result<(), Failure> {
    Err(Failure::file(lake, missing("lake")))
}
