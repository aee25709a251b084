//! Takes the place of the module `starter` in builds without the feature of that name.

use crate::failure::Failure;
use crate::without::missing;
use std::path::{Path, PathBuf};

pub(crate) fn path() -> Result<PathBuf, Failure> {
    Err(Failure::file(Path::new("starter"), missing("starter")))
}

pub(crate) fn instead() -> Result<PathBuf, Failure> {
    path()
}

pub(crate) fn unpacked() -> Option<PathBuf> {
    None
}

pub(crate) fn remove() {}
