//! Writes records to a stream. The same code serves every format.

use crate::record::{BookHeader, BookRecord};
use crate::{Error, ErrorKind};
use std::io::Write;

/// The number of bytes to gather before writing them.
const BUFFER: usize = 64 * 1024;

/// A streaming writer of one format's raw records.
///
/// It does its own buffering. Call [`Writer::finish`] at the end; it also checks the header's count.
///
/// ```
/// use obook_converters::egbk3;
/// let header = egbk3::Header { count: 1 };
/// let mut writer = egbk3::Writer::new(Vec::new(), header)?;
/// writer.write(&egbk3::Record { player: 0x8_1000_0000, opponent: 0x10_0800_0000, ..Default::default() })?;
/// assert_eq!(writer.finish()?.len(), 14 + 25);
/// # Ok::<(), obook_converters::Error>(())
/// ```
#[derive(Debug)]
pub struct Writer<W: Write, T: BookRecord> {
    output: W,
    buffer: Vec<u8>,
    promised: Option<i64>,
    layout: T::Layout,
    records: u64,
}

impl<W: Write, T: BookRecord> Writer<W, T> {
    /// Writes the header. Records have the layout that the engine's releases use.
    ///
    /// # Errors
    /// Returns an error if the output can't be written.
    pub fn new(output: W, header: T::Header) -> Result<Writer<W, T>, Error> {
        Writer::with_layout(output, header, T::Layout::default())
    }

    /// Writes the header. Records have the given layout.
    ///
    /// # Errors
    /// Returns an error if the output can't be written.
    pub fn with_layout(
        output: W,
        header: T::Header,
        layout: T::Layout,
    ) -> Result<Writer<W, T>, Error> {
        let mut buffer = Vec::with_capacity(BUFFER + T::MAX_LEN);
        header.encode(&mut buffer);
        Ok(Writer {
            output,
            buffer,
            promised: header.promised(),
            layout,
            records: 0,
        })
    }

    /// Writes one record.
    ///
    /// # Errors
    /// Returns an error if the output can't be written or the record has more links than the format can hold.
    pub fn write(&mut self, record: &T) -> Result<(), Error> {
        record
            .encode(self.layout, &mut self.buffer)
            .map_err(|kind| Error::new(kind).in_record(self.records + 1))?;
        self.records += 1;
        self.flush_if_full()
    }

    /// Writes encoded records of the writer's layout.
    pub(crate) fn write_encoded(&mut self, bytes: &[u8], records: u64) -> Result<(), Error> {
        self.buffer.extend_from_slice(bytes);
        self.records += records;
        self.flush_if_full()
    }

    /// The number of records written so far.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Writes what is still in the buffer, flushes and returns the output.
    ///
    /// # Errors
    /// Returns an error if the output can't be written, or [`ErrorKind::Written`] if the number of records differs from the
    /// header's.
    pub fn finish(mut self) -> Result<W, Error> {
        self.flush_buffer()?;
        self.output.flush()?;
        match self.promised {
            Some(promised) if u64::try_from(promised) != Ok(self.records) => {
                let written = self.records;
                Err(Error::new(ErrorKind::Written { promised, written }))
            }
            _ => Ok(self.output),
        }
    }

    fn flush_if_full(&mut self) -> Result<(), Error> {
        match self.buffer.len() >= BUFFER {
            true => self.flush_buffer(),
            false => Ok(()),
        }
    }

    fn flush_buffer(&mut self) -> Result<(), Error> {
        self.output.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}
