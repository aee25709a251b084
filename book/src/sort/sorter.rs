//! Sorting books of any size by key, in bounded memory.
//!
//! Positions are packed into a run until the run reaches its budget; then it is sorted and written to a temporary
//! file. At the end the runs are merged. A book that fits into one run never touches the disk.
//!
//! Where a board comes more than once, the higher level wins, at the same level the later one.

use crate::sort::{pack, packed_len, unpack};
use crate::{Error, Result};
use obook_converters::Position;
use obook_othello::CanonicalBoard;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// A run's budget in bytes: enough for 15 million positions, little enough for a small machine.
const RUN_BYTES: usize = 1 << 30;

/// Positions in a block: what is decoded, written and read in one piece.
const BLOCK: usize = 1 << 14;

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
    runs: Runs,
    taken: u64,
}

/// Where the sorted positions are.
#[derive(Debug)]
enum Runs {
    /// All in one run, in memory.
    Memory(Vec<Block>),
    /// In several runs, each in a temporary file.
    Files(Vec<NamedTempFile>),
}

/// Packed positions one after another, sorted.
type Block = Vec<u8>;

/// Packed positions as they came, and where each starts.
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

    /// By board; equal boards stay in the order in which they came, because offsets grow. The bytes are brought into
    /// that order too: whoever walks over them later finds them where the memory is read ahead.
    fn sort(mut self) -> Vec<Block> {
        self.index.par_sort_unstable();
        let gather = |places: &[(CanonicalBoard, usize)]| {
            let mut block = Block::new();
            for &(_, start) in places {
                let packed = &self.bytes[start..];
                block.extend_from_slice(&packed[..packed_len(packed)]);
            }
            block
        };
        self.index.par_chunks(BLOCK).map(gather).collect()
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

    /// A sorter that keeps about `budget` bytes in memory, and twice that while it sorts.
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
            self.spill()
        } else {
            Ok(())
        }
    }

    fn spill(&mut self) -> Result<()> {
        let folder = std::env::temp_dir();
        let failed = || Error::io(&folder, "write temporary files in");
        let mut file = NamedTempFile::new().map_err(failed())?;
        for block in std::mem::take(&mut self.run).sort() {
            file.write_all(&(block.len() as u64).to_le_bytes())
                .map_err(failed())?;
            file.write_all(&block).map_err(failed())?;
        }
        self.spilled.push(file);
        Ok(())
    }

    /// Sorts what was taken.
    ///
    /// # Errors
    /// [`Error::Io`] when a temporary file can't be written.
    pub fn finish(mut self) -> Result<Sorted> {
        let runs = if self.spilled.is_empty() {
            Runs::Memory(self.run.sort())
        } else {
            self.spill()?;
            Runs::Files(self.spilled)
        };
        Ok(Sorted {
            runs,
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
        let source: Box<dyn Iterator<Item = Result<Position>> + Send + '_> = match &self.runs {
            Runs::Memory(blocks) => Box::new(
                blocks
                    .iter()
                    .flat_map(|block| Packed { block, at: 0 })
                    .map(Ok),
            ),
            Runs::Files(files) => Box::new(Merge::open(files)?),
        };
        Ok(Positions { source, next: None })
    }
}

/// The positions of a block.
struct Packed<B> {
    block: B,
    at: usize,
}

impl<B: AsRef<[u8]>> Iterator for Packed<B> {
    type Item = Position;

    fn next(&mut self) -> Option<Position> {
        let rest = &self.block.as_ref()[self.at..];
        if rest.is_empty() {
            return None;
        }
        let (position, length) = unpack(rest);
        self.at += length;
        Some(position)
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
    /// The next position of each run, the smallest board on top.
    heads: BinaryHeap<Reverse<(CanonicalBoard, usize)>>,
}

struct RunReader<'a> {
    path: &'a Path,
    reader: BufReader<File>,
    block: Packed<Block>,
    head: Option<Position>,
}

impl RunReader<'_> {
    /// The position at the head of the run; the next one takes its place.
    fn advance(&mut self) -> Result<Option<Position>> {
        let next = match self.block.next() {
            Some(position) => Some(position),
            None => {
                self.block = Packed {
                    block: self.read_block()?,
                    at: 0,
                };
                self.block.next()
            }
        };
        Ok(std::mem::replace(&mut self.head, next))
    }

    /// The next block, empty at the end of the run.
    fn read_block(&mut self) -> Result<Block> {
        let mut read = || {
            let mut length = [0; 8];
            match self.reader.read_exact(&mut length) {
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    return Ok(Block::new());
                }
                other => other?,
            }
            let mut block = vec![0; u64::from_le_bytes(length) as usize];
            self.reader.read_exact(&mut block)?;
            Ok(block)
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
        for file in files {
            let path = file.path();
            let reader = file
                .reopen()
                .map_err(Error::io(path, "read the temporary file"))?;
            let block = Packed {
                block: Block::new(),
                at: 0,
            };
            merge.runs.push(RunReader {
                path,
                reader: BufReader::new(reader),
                block,
                head: None,
            });
            merge.advance(merge.runs.len() - 1)?;
        }
        Ok(merge)
    }

    /// Takes the head of a run and puts the next one on the heap.
    fn advance(&mut self, number: usize) -> Result<Option<Position>> {
        let run = &mut self.runs[number];
        let head = run.advance()?;
        if let Some(next) = &run.head {
            self.heads.push(Reverse((next.board, number)));
        }
        Ok(head)
    }
}

impl Iterator for Merge<'_> {
    type Item = Result<Position>;

    fn next(&mut self) -> Option<Result<Position>> {
        let Reverse((_, number)) = self.heads.pop()?;
        self.advance(number).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use obook_converters::Engine;
    use obook_othello::Board;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Positions on few boards, so that many come again.
    fn positions() -> impl Strategy<Value = Vec<Position>> {
        let position = (0u64..40, proptest::option::of(0u8..4), any::<i16>()).prop_map(
            |(discs, level, value)| {
                let board = Board::new(discs, 1 << 20).expect("no overlap").canonical();
                let mut position = Position::new(board, Engine::Edax);
                position.level = level;
                position.value = Some(value);
                position
            },
        );
        proptest::collection::vec(position, 0..200)
    }

    proptest! {
        #[test]
        fn sorts_and_keeps_the_higher_level_whatever_the_budget(
            positions in positions(),
            budget in prop_oneof![Just(1usize), 100usize..2000, Just(RUN_BYTES)],
        ) {
            let mut sorter = Sorter::with_budget(budget);
            let mut expected: BTreeMap<CanonicalBoard, Position> = BTreeMap::new();
            for position in &positions {
                sorter.push(position).unwrap();
                let kept = expected.entry(position.board).or_insert_with(|| position.clone());
                if position.level >= kept.level {
                    *kept = position.clone();
                }
            }
            let sorted = sorter.finish().unwrap();
            prop_assert_eq!(sorted.taken(), positions.len() as u64);
            for _ in 0..2 {
                let walked: Vec<Position> =
                    sorted.positions().unwrap().collect::<Result<_>>().unwrap();
                prop_assert!(walked.iter().eq(expected.values()));
            }
        }
    }
}
