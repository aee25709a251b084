//! Texts in TOML that people write: engines and recipes.

use obook_base::open_file;
use std::io::{self, Read};
use std::path::Path;

/// The maximum size of a file, in bytes.
const LARGEST: u64 = 1 << 20;

/// Reads a file that should be `what`.
pub(crate) fn read(path: &Path, what: &str) -> io::Result<String> {
    let mut bytes = Vec::new();
    let file = open_file(path)?;
    file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        let problem = format!("larger than {LARGEST} bytes, which is too much for {what}");
        return Err(io::Error::other(problem));
    }
    io::read_to_string(&bytes[..])
}

/// The number of the line with this byte, from 1.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_file_is_refused_wherever_it_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engines.toml");
        for before in ["", "a"] {
            let text = before.to_owned() + &"é".repeat(LARGEST as usize);
            std::fs::write(&path, text).unwrap();
            let error = read(&path, "engines").unwrap_err().to_string();
            assert!(error.starts_with("larger than"), "{error}");
        }
    }
}
