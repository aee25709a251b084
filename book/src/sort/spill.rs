//! Packed positions in a temporary file: what does not fit in memory is written once and read again in the same order.

use super::record::Packed;
use crate::scratch::Scratch;
use crate::{Error, Result};
use obook_model::Position;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::sync::{Arc, Mutex, Weak};
use tempfile::NamedTempFile;

/// A file of blocks of packed positions, each with its length in front. It goes with the value.
#[derive(Debug)]
pub(super) struct Spill {
    file: NamedTempFile,
    _folder: Arc<Scratch>,
}

/// The folder of all files that there are at a time.
fn folder() -> io::Result<Arc<Scratch>> {
    static FOLDER: Mutex<Weak<Scratch>> = Mutex::new(Weak::new());
    let mut known = FOLDER
        .lock()
        .expect("nothing panics while it holds the lock");
    if let Some(folder) = known.upgrade() {
        return Ok(folder);
    }
    let folder = Arc::new(Scratch::within(&std::env::temp_dir())?);
    *known = Arc::downgrade(&folder);
    Ok(folder)
}

impl Spill {
    /// # Errors
    /// [`Error::Io`] where the folder for temporary files can't be written.
    pub(super) fn create() -> Result<Spill> {
        let create = || -> io::Result<Spill> {
            let _folder = folder()?;
            let file = NamedTempFile::new_in(_folder.path())?;
            Ok(Spill { file, _folder })
        };
        create().map_err(Error::io(&std::env::temp_dir(), "write temporary files in"))
    }

    /// Appends packed positions, which are read as one piece.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(super) fn write(&mut self, block: &[u8]) -> Result<()> {
        let length = (block.len() as u64).to_le_bytes();
        let file = self.file.as_file_mut();
        let written = file.write_all(&length).and_then(|()| file.write_all(block));
        written.map_err(Error::io(self.file.path(), "write the temporary file"))
    }

    /// Reads it from the start.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(super) fn read(&self) -> Result<Reader<'_>> {
        let file = self.file.reopen().map_err(self.unread())?;
        Ok(Reader {
            spill: self,
            file: BufReader::new(file),
            block: Packed::new(Vec::new()),
        })
    }

    fn unread(&self) -> impl Fn(io::Error) -> Error + use<> {
        let path = self.file.path().to_owned();
        move |error| Error::io(&path, "read the temporary file")(error)
    }
}

/// The positions of a [`Spill`].
pub(super) struct Reader<'a> {
    spill: &'a Spill,
    file: BufReader<File>,
    block: Packed<Vec<u8>>,
}

impl Reader<'_> {
    /// The next block, empty at the end of the file.
    fn read_block(&mut self) -> io::Result<Vec<u8>> {
        let mut length = [0; 8];
        match self.file.read_exact(&mut length) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(Vec::new()),
            other => other?,
        }
        let mut block = vec![0; u64::from_le_bytes(length) as usize];
        self.file.read_exact(&mut block)?;
        Ok(block)
    }
}

impl Iterator for Reader<'_> {
    type Item = Result<Position>;

    fn next(&mut self) -> Option<Result<Position>> {
        if let Some(position) = self.block.next() {
            return Some(Ok(position));
        }
        match self.read_block() {
            Ok(block) => self.block = Packed::new(block),
            Err(error) => return Some(Err(self.spill.unread()(error))),
        }
        self.block.next().map(Ok)
    }
}
