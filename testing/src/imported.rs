//! Databases made of book files.

use obook_book::write::import::{Imported, import};
use obook_book::{Book, Context, IfExists, NewBook, Result};
use std::path::Path;

/// Makes a database of a book file, in place of any other.
pub fn import_file(file: &Path, database: &Path, context: &Context) -> Result<Imported> {
    let new = NewBook::create(database, IfExists::Replace, context)?;
    import(Book::open(file, context)?, new)
}
