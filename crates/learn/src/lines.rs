//! Lines in files, which come from machines without a network.

use crate::{Error, Result};
use obook_engine::wire::MAX_LINE;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Reads the lines of a file, using no more memory than a line may take.
///
/// ```
/// use obook_learn::Lines;
/// let mut lines = Lines::new("tasks", &b"one\n\ntwo"[..]);
/// assert_eq!(lines.next_line()?.as_deref(), Some(&b"one\n"[..]));
/// assert_eq!(lines.next_line()?.as_deref(), Some(&b"two"[..]));
/// assert_eq!(lines.bad("no task").to_string(), "tasks: byte 5: no task");
/// assert_eq!(lines.next_line()?, None);
/// # Ok::<(), obook_learn::Error>(())
/// ```
pub struct Lines {
    path: PathBuf,
    text: BufReader<Box<dyn Read>>,
    /// The offset at which the last line begins.
    at: u64,
    /// The offset at which it ends.
    end: u64,
}

impl Lines {
    /// Reads the lines of this text, which is that of the file at `path`.
    pub fn new(path: impl AsRef<Path>, text: impl Read + 'static) -> Lines {
        Lines {
            path: path.as_ref().to_owned(),
            text: BufReader::new(Box::new(text)),
            at: 0,
            end: 0,
        }
    }

    /// Returns the next line that isn't blank, with its end, cut off slightly above the maximum length; `None` if there are no more.
    ///
    /// # Errors
    /// Fails if the file can't be read.
    pub fn next_line(&mut self) -> Result<Option<Vec<u8>>> {
        loop {
            let mut line = Vec::new();
            let mut bounded = (&mut self.text).take(MAX_LINE as u64 + 2);
            let read = bounded.read_until(b'\n', &mut line);
            let read = read.map_err(obook::Error::io(&self.path, "read"))?;
            if read == 0 {
                return Ok(None);
            }
            (self.at, self.end) = (self.end, self.end + read as u64);
            if !line.trim_ascii().is_empty() {
                return Ok(Some(line));
            }
        }
    }

    /// The error that the last line has this problem.
    #[must_use]
    pub fn bad(&self, problem: impl Into<String>) -> Error {
        Error::At {
            place: format!("{}: byte {}", self.path.display(), self.at),
            problem: problem.into(),
        }
    }
}
