//! Texts in TOML that people write: engines and recipes.

use obook_base::open_file;
use std::io::{self, Read};
use std::path::Path;

/// The maximum size of a file, in bytes.
const LARGEST: u64 = 1 << 20;

/// Reads a file that should be `what`.
pub(crate) fn read(path: &Path, what: &str) -> io::Result<String> {
    let mut text = String::new();
    let file = open_file(path)?;
    file.take(LARGEST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LARGEST {
        let problem = format!("larger than {LARGEST} bytes, which is too much for {what}");
        return Err(io::Error::other(problem));
    }
    Ok(text)
}

/// The number of the line with this byte, from 1.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count()
}
