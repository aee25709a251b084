//! Takes the place of the module `png` in builds without the feature of that name.

use crate::without::missing;

pub(crate) fn encode(_svg: &str) -> Result<Vec<u8>, String> {
    Err(missing("png"))
}
