//! Takes the place of the module `explorer` in builds without the feature of that name.

use crate::failure::Failure;
use crate::without::missing;
use std::path::Path;

pub(crate) fn serve<A>(_arguments: &A) -> Result<(), Failure> {
    Err(Failure::file(Path::new("serve"), missing("explorer")))
}

pub(crate) fn site<A>(_arguments: &A) -> Result<(), Failure> {
    Err(Failure::file(Path::new("site"), missing("explorer")))
}
