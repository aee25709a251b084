//! Packed positions in a temporary file: what doesn't fit in memory is written once and read again in the same order.

use super::record::Packed;
use super::{Error, Result};
use obook_model::Position;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::sync::Mutex;

/// A file of blocks of packed positions, each preceded by its length. It has no name, so it is gone when the value or the
/// process is.
#[derive(Debug)]
pub(super) struct Spill(Mutex<File>);

impl Spill {
    /// # Errors
    /// [`Error`].
    pub(super) fn create() -> Result<Spill> {
        let file = tempfile::tempfile().map_err(failed("make a temporary file in"))?;
        Ok(Spill(Mutex::new(file)))
    }

    /// Appends packed positions, which are read back in one piece.
    ///
    /// # Errors
    /// [`Error`].
    pub(super) fn write(&mut self, block: &[u8]) -> Result<()> {
        let file = self
            .0
            .get_mut()
            .expect("nothing panics while it holds the lock");
        let length = (block.len() as u64).to_le_bytes();
        let mut write = || {
            file.seek(SeekFrom::End(0))?;
            file.write_all(&length)?;
            file.write_all(block)
        };
        write().map_err(failed("write a temporary file in"))
    }

    /// Reads it from the start. Any number of readers may be used at once.
    pub(super) fn read(&self) -> Reader<'_> {
        Reader {
            spill: self,
            offset: 0,
            block: Packed::new(Vec::new()),
        }
    }

    /// The block at an offset, empty at the end of the file.
    fn block_at(&self, offset: u64) -> io::Result<Vec<u8>> {
        let mut file = self
            .0
            .lock()
            .expect("nothing panics while it holds the lock");
        file.seek(SeekFrom::Start(offset))?;
        let mut length = [0; LENGTH];
        match file.read_exact(&mut length) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(Vec::new()),
            other => other?,
        }
        let mut block = vec![0; u64::from_le_bytes(length) as usize];
        file.read_exact(&mut block)?;
        Ok(block)
    }
}

/// Bytes of the length that precedes a block.
const LENGTH: usize = 8;

fn failed(doing: &'static str) -> impl FnOnce(io::Error) -> Error {
    move |source| Error {
        folder: std::env::temp_dir(),
        doing,
        source,
    }
}

/// The positions of a [`Spill`].
pub(super) struct Reader<'a> {
    spill: &'a Spill,
    offset: u64,
    block: Packed<Vec<u8>>,
}

impl Iterator for Reader<'_> {
    type Item = Result<Position>;

    fn next(&mut self) -> Option<Result<Position>> {
        if let Some(position) = self.block.next() {
            return Some(Ok(position));
        }
        match self.spill.block_at(self.offset) {
            Ok(block) => {
                if !block.is_empty() {
                    self.offset += (LENGTH + block.len()) as u64;
                }
                self.block = Packed::new(block);
            }
            Err(error) => return Some(Err(failed("read a temporary file in")(error))),
        }
        self.block.next().map(Ok)
    }
}
