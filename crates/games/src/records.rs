//! Reading records of a fixed size.

use crate::{Error, Place};
use std::io::{BufReader, Read};
use std::sync::Arc;

/// An input with records of `LEN` bytes each.
#[derive(Debug)]
pub(crate) struct Records<R, const LEN: usize> {
    input: BufReader<R>,
    /// The name of the file, if there is one.
    pub(crate) file: Option<Arc<str>>,
    /// The number of bytes before the first record.
    head: usize,
    /// The number of records read.
    pub(crate) count: u64,
}

impl<R: Read, const LEN: usize> Records<R, LEN> {
    /// The records of an input from which `head` bytes have been read.
    pub(crate) fn new(input: R, head: usize, file: Option<Arc<str>>) -> Records<R, LEN> {
        Records {
            input: BufReader::with_capacity(1 << 16, input),
            file,
            head,
            count: 0,
        }
    }

    /// The next record and its place, or `None` at the end of the input.
    pub(crate) fn next_record(&mut self) -> Result<Option<(Place, [u8; LEN])>, Error> {
        let mut bytes = Vec::with_capacity(LEN);
        let read = self.input.by_ref().take(LEN as u64).read_to_end(&mut bytes);
        read.map_err(|error| Error::new(error).named(self.file.as_deref()))?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let place = Place {
            file: self.file.clone(),
            number: self.count + 1,
            offset: self.head as u64 + self.count * LEN as u64,
            line: None,
        };
        match bytes[..].as_array() {
            Some(record) => {
                self.count += 1;
                Ok(Some((place, *record)))
            }
            None => Err(Error::cut_off(bytes.len(), LEN).at(place)),
        }
    }
}
