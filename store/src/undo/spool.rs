//! Parts of the log on their way into the database: SQLite has one writer, which is busy with the change itself.

use crate::scratch::folder_of;
use crate::{Error, Result};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::SpooledTempFile;

/// What is kept in memory; beyond that, a nameless file beside the book takes it.
const MEMORY: usize = 1 << 22;
/// What fails.
const DOING: &str = "write the undo log beside it";

/// Parts in the order in which they came.
#[derive(Debug)]
pub(crate) struct Spool {
    file: SpooledTempFile,
    lengths: Vec<usize>,
    path: PathBuf,
}

impl Spool {
    /// An empty one, for the book at `path`.
    pub(crate) fn new(path: &Path) -> Spool {
        Spool {
            file: tempfile::spooled_tempfile_in(MEMORY, folder_of(path)),
            lengths: Vec::new(),
            path: path.to_owned(),
        }
    }

    pub(crate) fn push(&mut self, part: &[u8]) -> Result<()> {
        self.lengths.push(part.len());
        self.file
            .write_all(part)
            .map_err(Error::io(&self.path, DOING))
    }

    /// Shows every part.
    pub(crate) fn each(self, mut show: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let Spool {
            mut file,
            lengths,
            path,
        } = self;
        let failed = || Error::io(&path, DOING);
        file.seek(SeekFrom::Start(0)).map_err(failed())?;
        let mut part = Vec::new();
        for length in lengths {
            part.resize(length, 0);
            file.read_exact(&mut part).map_err(failed())?;
            show(&part)?;
        }
        Ok(())
    }
}
