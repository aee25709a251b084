//! `obook restore`: a database from a snapshot.

use super::snapshot::describe;
use crate::output::Failure;
use crate::progress;
use obook_book::{IfExists, restore};
use std::path::Path;

pub(crate) fn run(
    file: &Path,
    book: &Path,
    if_exists: IfExists,
    json: bool,
) -> Result<(), Failure> {
    let restored = restore(file, book, if_exists, &progress::on_terminal())?;
    describe(&restored, json)
}
