//! Takes the place of the module `png` in builds without the feature of that name.

use crate::without::missing;

pub(crate) fn check() -> Result<(), String> {
    Err(format!("{}; or write an .svg", missing("png")))
}

pub(crate) fn encode(_svg: &str) -> Result<Vec<u8>, String> {
    check().map(|()| Vec::new())
}
