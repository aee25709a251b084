//! Files of SQL.

use obook_converters::open_file;
use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Opens a file of SQL, which may also be a pipe, unlike other files.
pub(crate) fn open_script(path: &Path) -> io::Result<File> {
    match fs::metadata(path)?.is_file() {
        true => open_file(path),
        false => File::open(path),
    }
}
