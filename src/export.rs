//! Writing a book for an engine.

use crate::{AtomicFile, Book, Error, IfExists, Progress, Result};
use obook_converters::{BookWriter, Compression, Format, Header};
use serde::Serialize;
use std::path::Path;

/// What an export wrote.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Exported {
    /// The format.
    pub format: String,
    /// Positions in the file.
    pub positions: u64,
}

/// Writes `book` to `file`, compressed where the name ends in `.zst`. The file appears only when it is complete.
///
/// # Errors
/// Where the book can't be read, lacks what the format demands, or the file can't be written; the file is then as
/// before.
pub fn export(
    book: &Book,
    file: &Path,
    format: Format,
    if_exists: IfExists,
    progress: &Progress,
) -> Result<Exported> {
    let mut output = AtomicFile::create(file, if_exists)?;
    let count = count(book)?;
    let header = Header {
        count: i64::try_from(count).ok(),
        ..book.header()?.header
    };
    let compression = file.extension().is_some_and(|extension| extension == "zst");
    let compression = compression.then(Compression::default);
    let handle = output
        .file()
        .try_clone()
        .map_err(Error::io(file, "write"))?;
    let name = file.display().to_string();
    let mut writer = BookWriter::new(handle, format, &header, compression)?.named(&name);
    progress.step("writing", Some(count));
    for position in book.positions()? {
        progress.advance(1);
        writer.write(&position?)?;
    }
    let positions = writer.positions();
    writer.finish()?;
    output.commit()?;
    Ok(Exported {
        format: format.name().to_owned(),
        positions,
    })
}

/// How many positions a walk over the book will give.
fn count(book: &Book) -> Result<u64> {
    match book {
        Book::Database(store) => store.count(),
        Book::File(_) => book
            .positions()?
            .try_fold(0, |count, position| position.map(|_| count + 1)),
    }
}
