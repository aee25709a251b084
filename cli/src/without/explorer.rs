//! Takes the place of the module `explorer` in builds without the feature of that name.

use crate::commands::{serve, site};
use crate::failure::Failure;
use crate::without::missing;
use std::path::Path;

pub(crate) fn serve(_arguments: &serve::Arguments) -> Result<(), Failure> {
    Err(Failure::file(Path::new("serve"), missing("explorer")))
}

pub(crate) fn site(_arguments: &site::Arguments) -> Result<(), Failure> {
    Err(Failure::file(Path::new("site"), missing("explorer")))
}
