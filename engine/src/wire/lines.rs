//! Files of lines.

use super::MAX_LINE;
use std::io::{self, BufRead, Read};

/// The lines of a file, none of which takes more memory than a line may have, and where each of them begins.
///
/// ```
/// use obook_engine::wire::Lines;
/// let mut lines = Lines::new(&b"one\ntwo"[..]);
/// assert_eq!(lines.next_line()?.as_deref(), Some(&b"one\n"[..]));
/// assert_eq!(lines.next_line()?.as_deref(), Some(&b"two"[..]));
/// assert_eq!((lines.at(), lines.next_line()?), (4, None));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Lines<R> {
    reader: R,
    at: u64,
    end: u64,
}

impl<R: BufRead> Lines<R> {
    /// The lines that come from there.
    pub fn new(reader: R) -> Lines<R> {
        Lines {
            reader,
            at: 0,
            end: 0,
        }
    }

    /// A line with its end, or a little more of it than a line may have; `None`: there are no more.
    ///
    /// # Errors
    /// Where the file can't be read.
    pub fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        let mut bounded = (&mut self.reader).take(MAX_LINE as u64 + 2);
        let read = bounded.read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(None);
        }
        (self.at, self.end) = (self.end, self.end + read as u64);
        Ok(Some(line))
    }

    /// The byte at which the line that was read last begins.
    pub fn at(&self) -> u64 {
        self.at
    }
}
