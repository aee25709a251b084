//! Long files that use no memory.

use std::io::{self, Cursor, Read};

/// A header followed by repetitions of one record.
#[derive(Clone)]
pub(crate) struct Repeated {
    head: Cursor<Vec<u8>>,
    record: Vec<u8>,
    at: usize,
    left: u64,
}

impl Repeated {
    /// This many records after `head`.
    pub(crate) fn new(head: &[u8], record: Vec<u8>, records: u64) -> Repeated {
        Repeated {
            head: Cursor::new(head.to_vec()),
            left: records * record.len() as u64,
            record,
            at: 0,
        }
    }
}

impl Read for Repeated {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let head = self.head.read(buffer)?;
        if head > 0 {
            return Ok(head);
        }
        let len = self.left.min(buffer.len() as u64) as usize;
        for byte in &mut buffer[..len] {
            *byte = self.record[self.at];
            self.at = (self.at + 1) % self.record.len();
        }
        self.left -= len as u64;
        Ok(len)
    }
}
