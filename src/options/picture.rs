//! Pictures as files.

use obook_book::{AtomicFile, Error, FileKind, IfExists};
use std::io::Write;
use std::path::Path;

/// Refuses a file name whose extension doesn't match the contents.
///
/// # Errors
///
/// Returns [`Error::Unfit`] if the extension is another one.
pub(crate) fn suits(output: &Path, json: bool) -> Result<(), Error> {
    let (what, expected) = match json {
        true => ("JSON", "json"),
        false => ("SVG", "svg"),
    };
    match output.extension() {
        Some(found) if !found.eq_ignore_ascii_case(expected) => {
            let name = output.with_extension(expected);
            let problem = format!("the contents will be {what}; name it {}", name.display());
            Err(Error::unfit(output, problem))
        }
        _ => Ok(()),
    }
}

/// Writes a picture, or its data, completely or not at all.
pub(crate) fn write(
    path: &Path,
    kind: FileKind,
    contents: &[u8],
    if_exists: IfExists,
) -> Result<(), Error> {
    let mut file = AtomicFile::create(path, kind, if_exists)?;
    let written = file.file().write_all(contents);
    written.map_err(Error::io(path, "write"))?;
    file.commit()
}
