//! A window on an input that always shows enough contiguous bytes to parse a record from a slice.

use std::io::{self, Read};

/// How much is read at once.
const CHUNK: usize = 256 * 1024;

/// An input, buffered so that [`Source::ahead`] shows the next bytes as one slice, and its offset.
#[derive(Debug)]
pub(crate) struct Source<R> {
    input: R,
    buffer: Vec<u8>,
    /// The bytes not yet consumed are `buffer[start..end]`.
    start: usize,
    end: usize,
    at_end: bool,
    /// Offset of `start` in the input.
    offset: u64,
}

impl<R: Read> Source<R> {
    pub(crate) fn new(input: R) -> Source<R> {
        Source {
            input,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            at_end: false,
            offset: 0,
        }
    }

    /// The bytes ahead: at least `wanted`, unless the input has fewer.
    #[inline]
    pub(crate) fn ahead(&mut self, wanted: usize) -> io::Result<&[u8]> {
        if self.end - self.start < wanted && !self.at_end {
            self.fill(wanted)?;
        }
        Ok(&self.buffer[self.start..self.end])
    }

    /// Moves on by `len` bytes of those that [`Source::ahead`] showed.
    #[inline]
    pub(crate) fn consume(&mut self, len: usize) {
        debug_assert!(len <= self.end - self.start);
        self.start += len;
        self.offset += len as u64;
    }

    /// How many bytes were consumed.
    #[inline]
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    #[cold]
    fn fill(&mut self, wanted: usize) -> io::Result<()> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        let target = wanted.max(CHUNK);
        if self.buffer.len() < target {
            self.buffer.resize(target, 0);
        }
        while self.end < wanted {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(0) => {
                    self.at_end = true;
                    break;
                }
                Ok(len) => self.end += len,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
