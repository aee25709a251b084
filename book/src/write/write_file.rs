//! Writing a book in memory to a file as it is: nothing is brought into another engine's form.

use crate::{AtomicFile, Error, Progress, Result};
use obook_converters::{BookWriter, Compression, Format, Header};
use obook_model::Position;
use std::path::Path;

/// Writes a book file, compressed where its name ends in `.zst`, and lets it appear.
///
/// # Errors
/// Where it can't be written, or a position lacks what the format needs.
pub(crate) fn write_file(
    mut output: AtomicFile,
    path: &Path,
    format: Format,
    header: &Header,
    positions: impl ExactSizeIterator<Item = Position>,
    progress: &Progress,
) -> Result<()> {
    progress.step("writing", Some(positions.len() as u64));
    let header = Header {
        count: i64::try_from(positions.len()).ok(),
        ..header.clone()
    };
    let compression = path.extension().is_some_and(|extension| extension == "zst");
    let handle = output.file().try_clone();
    let handle = handle.map_err(Error::io(path, "write"))?;
    let compression = compression.then(Compression::default);
    let name = path.display().to_string();
    let mut writer = BookWriter::new(handle, format, &header, compression)?.named(&name);
    for position in positions {
        progress.advance(1);
        writer.write(&position)?;
    }
    writer.finish()?;
    output.commit()
}
