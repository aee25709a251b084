//! Sorting books of any size by key, in bounded memory.
//!
//! Positions are packed into a run until the run reaches its budget; then it is sorted and written to a temporary
//! file. At the end the runs are merged. A book that fits into one run never touches the disk.
//!
//! Where a board comes more than once, the higher level wins, at the same level the later one.

use crate::packed::{pack, unpack};
use crate::{Error, Result};
use obook_converters::Position;
use obook_othello::CanonicalBoard;
use rayon::slice::ParallelSliceMut;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// A run's budget in bytes: enough for 15 million positions, little enough for a small machine.
const RUN_BYTES: usize = 1 << 30;

/// Takes positions in any order.
#[derive(Debug)]
pub struct Sorter {
    budget: usize,
    run: Run,
    spilled: Vec<NamedTempFile>,
    taken: u64,
}

/// Positions by key, each board once; can be walked several times.
#[derive(Debug)]
pub struct Sorted {
    run: Run,
    spilled: Vec<NamedTempFile>,
    taken: u64,
}

/// Packed positions one after another, and where each starts.
#[derive(Debug, Default)]
struct Run {
    bytes: Vec<u8>,
    index: Vec<(CanonicalBoard, usize)>,
}

impl Run {
    fn push(&mut self, position: &Position) {
        self.index.push((position.board, self.bytes.len()));
        pack(position, &mut self.bytes);
    }

    fn size(&self) -> usize {
        self.bytes.len() + self.index.len() * size_of::<(CanonicalBoard, usize)>()
    }

    /// By board; equal boards stay in the order in which they came, because offsets grow.
    fn sort(&mut self) {
        self.index.par_sort_unstable();
    }

    fn positions(&self) -> impl Iterator<Item = Position> {
        self.index
            .iter()
            .map(|&(_, start)| unpack(&self.bytes[start..]).0)
    }
}

impl Default for Sorter {
    fn default() -> Sorter {
        Sorter::new()
    }
}

impl Sorter {
    /// A sorter that keeps up to a gigabyte in memory.
    #[must_use]
    pub fn new() -> Sorter {
        Sorter::with_budget(RUN_BYTES)
    }

    /// A sorter that keeps about `budget` bytes in memory.
    #[must_use]
    pub fn with_budget(budget: usize) -> Sorter {
        Sorter {
            budget,
            run: Run::default(),
            spilled: Vec::new(),
            taken: 0,
        }
    }

    /// Takes one position.
    ///
    /// # Errors
    /// [`Error::Io`] when a temporary file can't be written.
    pub fn push(&mut self, position: &Position) -> Result<()> {
        self.taken += 1;
        self.run.push(position);
        if self.run.size() >= self.budget {
            self.spill()?;
        }
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        let mut run = std::mem::take(&mut self.run);
        run.sort();
        let folder = std::env::temp_dir();
        let file = NamedTempFile::new().map_err(Error::io(&folder, "write temporary files in"))?;
        let mut writer = BufWriter::with_capacity(1 << 20, file);
        let mut write = || {
            for &(_, start) in &run.index {
                let length = unpack(&run.bytes[start..]).1;
                writer.write_all(&(length as u32).to_le_bytes())?;
                writer.write_all(&run.bytes[start..start + length])?;
            }
            writer.flush()
        };
        write().map_err(Error::io(&folder, "write temporary files in"))?;
        let file = writer.into_inner().map_err(|failed| {
            Error::io(&folder, "write temporary files in")(failed.into_error())
        })?;
        self.spilled.push(file);
        Ok(())
    }

    /// Sorts what was taken.
    ///
    /// # Errors
    /// [`Error::Io`] when a temporary file can't be written.
    pub fn finish(mut self) -> Result<Sorted> {
        if !self.spilled.is_empty() && !self.run.index.is_empty() {
            self.spill()?;
        }
        self.run.sort();
        Ok(Sorted {
            run: self.run,
            spilled: self.spilled,
            taken: self.taken,
        })
    }
}

impl Sorted {
    /// How many positions were taken, those that came again included.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Walks the positions by key. Boards that came more than once are settled on the way.
    ///
    /// # Errors
    /// [`Error::Io`] when a temporary file can't be read.
    pub fn positions(&self) -> Result<Positions<'_>> {
        let source: Box<dyn Iterator<Item = Result<Position>> + Send + '_> =
            if self.spilled.is_empty() {
                Box::new(self.run.positions().map(Ok))
            } else {
                Box::new(Merge::open(&self.spilled)?)
            };
        Ok(Positions { source, next: None })
    }
}

/// Positions by key, each board once.
pub struct Positions<'a> {
    source: Box<dyn Iterator<Item = Result<Position>> + Send + 'a>,
    next: Option<Position>,
}

impl Iterator for Positions<'_> {
    type Item = Result<Position>;

    fn next(&mut self) -> Option<Result<Position>> {
        let mut best = match self.next.take() {
            Some(position) => position,
            None => match self.source.next()? {
                Ok(position) => position,
                Err(error) => return Some(Err(error)),
            },
        };
        loop {
            match self.source.next() {
                None => return Some(Ok(best)),
                Some(Err(error)) => return Some(Err(error)),
                Some(Ok(other)) if other.board == best.board => {
                    if other.level >= best.level {
                        best = other;
                    }
                }
                Some(Ok(other)) => {
                    self.next = Some(other);
                    return Some(Ok(best));
                }
            }
        }
    }
}

/// Merges sorted runs; equal boards come in the order of their runs, which is the order in which they were taken.
struct Merge<'a> {
    runs: Vec<RunReader<'a>>,
    heads: BinaryHeap<Reverse<(CanonicalBoard, usize)>>,
}

struct RunReader<'a> {
    path: &'a Path,
    reader: BufReader<std::fs::File>,
    buffer: Vec<u8>,
}

impl RunReader<'_> {
    /// Loads the next position into the buffer and gives its board; `None` at the end of the run.
    fn advance(&mut self) -> Result<Option<CanonicalBoard>> {
        let mut read = || {
            let mut length = [0; 4];
            match self.reader.read_exact(&mut length) {
                Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
                other => other?,
            }
            self.buffer.resize(u32::from_le_bytes(length) as usize, 0);
            self.reader.read_exact(&mut self.buffer)?;
            Ok(Some(unpack(&self.buffer).0.board))
        };
        read().map_err(Error::io(self.path, "read the temporary file"))
    }
}

impl<'a> Merge<'a> {
    fn open(files: &'a [NamedTempFile]) -> Result<Merge<'a>> {
        let mut merge = Merge {
            runs: Vec::new(),
            heads: BinaryHeap::new(),
        };
        for (number, file) in files.iter().enumerate() {
            let path = file.path();
            let reader = file
                .reopen()
                .map_err(Error::io(path, "read the temporary file"))?;
            let mut run = RunReader {
                path,
                reader: BufReader::with_capacity(1 << 18, reader),
                buffer: Vec::new(),
            };
            if let Some(board) = run.advance()? {
                merge.heads.push(Reverse((board, number)));
            }
            merge.runs.push(run);
        }
        Ok(merge)
    }
}

impl Iterator for Merge<'_> {
    type Item = Result<Position>;

    fn next(&mut self) -> Option<Result<Position>> {
        let Reverse((_, number)) = self.heads.pop()?;
        let run = &mut self.runs[number];
        let (position, _) = unpack(&run.buffer);
        match run.advance() {
            Err(error) => return Some(Err(error)),
            Ok(Some(board)) => self.heads.push(Reverse((board, number))),
            Ok(None) => {}
        }
        Some(Ok(position))
    }
}
