//! The sizes of pages, which their headers tell before a page is unpacked.
//!
//! A page header is a structure in Thrift's compact protocol: fields with a number and a type, of which the second is the size of the
//! page unpacked, and the third its size in the file.

use std::io::{self, BufRead, BufReader, Read, Seek};

/// The largest page of those in the next `length` bytes, unpacked.
pub(crate) fn largest(file: impl Read + Seek, length: u64) -> io::Result<u64> {
    let mut headers = Headers(BufReader::new(file));
    let end = headers.0.stream_position()?.saturating_add(length);
    let mut largest = 0;
    while headers.0.stream_position()? < end {
        let [unpacked, packed] = headers.header()?;
        largest = largest.max(unpacked);
        let skipped = i64::try_from(packed).map_err(|_| damaged())?;
        headers.0.seek_relative(skipped)?;
    }
    Ok(largest)
}

fn damaged() -> io::Error {
    let problem = "the header of a page is damaged";
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

/// How deep structures may lie in a header.
const DEEPEST: u8 = 8;

struct Headers<R>(BufReader<R>);

impl<R: Read> Headers<R> {
    /// The sizes in the next header: unpacked, and in the file.
    fn header(&mut self) -> io::Result<[u64; 2]> {
        const UNPACKED: i64 = 2;
        const PACKED: i64 = 3;
        let (mut unpacked, mut packed) = (None, None);
        let mut number = 0;
        while let Some(kind) = self.field(&mut number)? {
            match (number, kind) {
                (UNPACKED, 5) => unpacked = u64::try_from(self.signed()?).ok(),
                (PACKED, 5) => packed = u64::try_from(self.signed()?).ok(),
                _ => self.skip(kind, DEEPEST)?,
            }
        }
        Ok([unpacked.ok_or_else(damaged)?, packed.ok_or_else(damaged)?])
    }

    /// The type of the next field; `None` after the last one.
    fn field(&mut self, number: &mut i64) -> io::Result<Option<u8>> {
        let byte = self.byte()?;
        match (byte >> 4, byte & 15) {
            (_, 0) => return Ok(None),
            (0, _) => *number = self.signed()?,
            (more, _) => *number = number.checked_add(more.into()).ok_or_else(damaged)?,
        }
        Ok(Some(byte & 15))
    }

    fn skip(&mut self, kind: u8, deepest: u8) -> io::Result<()> {
        let deeper = || deepest.checked_sub(1).ok_or_else(damaged);
        match kind {
            // A truth value is in its type.
            1 | 2 => Ok(()),
            3 => self.bytes(1),
            4..=6 => self.unsigned().map(drop),
            7 => self.bytes(8),
            8 => {
                let length = self.unsigned()?;
                self.bytes(length)
            }
            9 | 10 => {
                let byte = self.byte()?;
                let count = match byte >> 4 {
                    15 => self.unsigned()?,
                    count => count.into(),
                };
                // Each takes a byte at least, also a truth value.
                let kind = match byte & 15 {
                    1 | 2 => 3,
                    kind => kind,
                };
                let deeper = deeper()?;
                (0..count).try_for_each(|_| self.skip(kind, deeper))
            }
            12 => {
                let (mut number, deeper) = (0, deeper()?);
                while let Some(kind) = self.field(&mut number)? {
                    self.skip(kind, deeper)?;
                }
                Ok(())
            }
            _ => Err(damaged()),
        }
    }

    fn bytes(&mut self, count: u64) -> io::Result<()> {
        match io::copy(&mut self.0.by_ref().take(count), &mut io::sink())? {
            skipped if skipped == count => Ok(()),
            _ => Err(damaged()),
        }
    }

    fn byte(&mut self) -> io::Result<u8> {
        let byte = *self.0.fill_buf()?.first().ok_or_else(damaged)?;
        self.0.consume(1);
        Ok(byte)
    }

    /// A number of up to 64 bits, seven in each byte.
    fn unsigned(&mut self) -> io::Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(damaged())
    }

    /// A number whose lowest bit is its sign.
    fn signed(&mut self) -> io::Result<i64> {
        let number = self.unsigned()?;
        Ok((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }
}
