//! `obook restore`: a database from a snapshot.

use super::output::Failure;
use super::snapshot::describe;
use crate::{IfExists, Progress, restore};
use std::path::Path;

pub(super) fn run(
    file: &Path,
    book: &Path,
    if_exists: IfExists,
    json: bool,
) -> Result<(), Failure> {
    let restored = restore(file, book, if_exists, &Progress::on_terminal())?;
    describe(&restored, json)
}
