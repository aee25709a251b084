//! Positions in any order, sorted by key in bounded memory, or kept by number of empty squares.
//!
//! A [`Sorter`] packs positions into a run until the run is full, then sorts it and writes it to a temporary file. At the end
//! it merges the runs. A book that fits into one run never touches the disk. Several records of a board are
//! [`Combined`] into one.
//!
//! ```
//! use obook_graph::sort::Sorter;
//! use obook_othello::{Board, Engine, Line, Position};
//!
//! let mut sorter = Sorter::new();
//! for moves in ["f5d6c3", "f5", "f5d6", "f5"] {
//!     let board = moves.parse::<Line>()?.board().canonical();
//!     sorter.push(&Position::new(board, Engine::Edax))?;
//! }
//! let sorted = sorter.finish()?;
//! assert_eq!(sorted.taken(), 4);
//! let boards: Vec<_> = sorted.positions()?.map(|position| position.map(|it| it.board)).collect::<Result<_, _>>()?;
//! assert!(boards.len() == 3 && boards.is_sorted());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod combine;
pub(crate) mod spill;

pub use combine::{Combined, Ties, Verdict, is_by_a_person, search_of_leaf};
pub use spill::Layers;

use obook_base::{KWay, UntilError};
use obook_othello::{CanonicalBoard, Position};
use rayon::prelude::*;
use spill::{Packed, Spill, pack, packed_board, packed_len, unpack};

/// The result of sorting.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A temporary file can't be written or read.
#[derive(Debug, thiserror::Error)]
#[error("{}: can't {doing}: {source}", folder.display())]
pub struct Error {
    /// The folder of temporary files.
    pub folder: std::path::PathBuf,
    /// The failed action, as a verb phrase such as "write a temporary file there".
    pub doing: &'static str,
    /// The reason.
    pub source: std::io::Error,
}

/// The number of positions that are written and read in one piece.
const BLOCK: usize = 1 << 14;

/// Takes positions in any order, to sort them.
#[derive(Debug)]
pub struct Sorter {
    budget: usize,
    run: Run,
    spilled: Vec<Spill>,
    taken: u64,
    /// The number of records in the run at which to combine duplicates again.
    look_at: usize,
}

/// The least number of records at which to combine duplicates.
const FIRST_LOOK: usize = 1 << 20;
/// How much the number of records must grow before duplicates are combined again.
const LOOK_AGAIN: usize = 4;

/// Positions by key, one for each board. They can be read any number of times.
#[derive(Debug)]
pub struct Sorted {
    runs: Runs,
    taken: u64,
}

/// The sorted runs.
#[derive(Debug)]
enum Runs {
    /// One run in memory.
    Memory(Vec<Block>),
    /// Several runs, each in a temporary file.
    Files(Vec<Spill>),
}

/// Sorted positions, packed.
type Block = Vec<u8>;

/// Packed positions in the order in which they came, and the start of each.
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

    /// Sorts by board and combines duplicates as far as possible. Equal boards keep their order, because offsets grow. The bytes
    /// are sorted too, so that they can be read sequentially.
    fn sort(mut self) -> Vec<Block> {
        self.index.par_sort_unstable();
        let gather = |places: &[(CanonicalBoard, usize)]| {
            let mut block = Block::new();
            for places in places.chunk_by(|one, other| one.0 == other.0) {
                self.condense(places, &mut block);
            }
            block
        };
        self.index.par_chunks(BLOCK).map(gather).collect()
    }

    /// Combines duplicates as far as possible.
    fn condensed(self) -> Run {
        let mut run = Run::default();
        for block in self.sort() {
            let mut rest = &block[..];
            while !rest.is_empty() {
                let (record, behind) = rest.split_at(packed_len(rest));
                run.index.push((packed_board(record), run.bytes.len()));
                run.bytes.extend_from_slice(record);
                rest = behind;
            }
        }
        run
    }

    /// Appends these records, all of one board, as few as possible.
    fn condense(&self, places: &[(CanonicalBoard, usize)], block: &mut Block) {
        let packed = |start: usize| {
            let packed = &self.bytes[start..];
            &packed[..packed_len(packed)]
        };
        let mut records = places.iter().map(|(_, start)| packed(*start));
        let Some(first) = records.next() else { return };
        if places.len() == 1 {
            return block.extend_from_slice(first);
        }
        let mut combined = Combined::new(unpack(first).0, Ties::Later);
        for record in records {
            combined.add(unpack(record).0, None);
        }
        combined.condense().for_each(|record| pack(&record, block));
    }
}

impl Default for Sorter {
    fn default() -> Sorter {
        Sorter::new()
    }
}

impl Sorter {
    /// The default budget in bytes: enough for 15 million positions, and not too much for a small machine.
    pub const BUDGET: usize = 1 << 30;

    /// Makes a sorter with the default [budget](Sorter::BUDGET).
    #[must_use]
    pub fn new() -> Sorter {
        Sorter::with_budget(Sorter::BUDGET)
    }

    /// Makes a sorter that keeps about `budget` bytes in memory, or twice that while it sorts.
    #[must_use]
    pub fn with_budget(budget: usize) -> Sorter {
        Sorter {
            budget,
            run: Run::default(),
            spilled: Vec::new(),
            taken: 0,
            look_at: FIRST_LOOK,
        }
    }

    /// Takes one position.
    ///
    /// # Errors
    /// Returns [`Error`] if a temporary file can't be written.
    pub fn push(&mut self, position: &Position) -> Result<()> {
        self.taken += 1;
        self.run.push(position);
        if self.run.index.len() >= self.look_at {
            self.run = std::mem::take(&mut self.run).condensed();
            self.look_at = FIRST_LOOK.max(self.run.index.len() * LOOK_AGAIN);
        }
        if self.run.size() >= self.budget {
            self.spill()
        } else {
            Ok(())
        }
    }

    fn spill(&mut self) -> Result<()> {
        let mut file = Spill::create()?;
        for block in std::mem::take(&mut self.run).sort() {
            file.write(&block)?;
        }
        self.spilled.push(file);
        self.look_at = FIRST_LOOK;
        Ok(())
    }

    /// Sorts the positions that were taken.
    ///
    /// # Errors
    /// Returns [`Error`] if a temporary file can't be written.
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
    /// The number of positions that were taken, including duplicates.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Reads the positions by key, one for each board.
    ///
    /// # Errors
    /// Returns [`Error`] if a temporary file can't be read.
    pub fn positions(&self) -> Result<impl Iterator<Item = Result<Position>> + Send + use<'_>> {
        let source: Box<dyn Iterator<Item = Result<Position>> + Send + '_> = match &self.runs {
            Runs::Memory(blocks) => Box::new(blocks.iter().flat_map(Packed::new).map(Ok)),
            Runs::Files(files) => Box::new(Merge::open(files)?),
        };
        Ok(UntilError::new(Positions { source, next: None }))
    }
}

/// Positions by key, one for each board.
struct Positions<'a> {
    source: Box<dyn Iterator<Item = Result<Position>> + Send + 'a>,
    next: Option<Position>,
}

impl Iterator for Positions<'_> {
    type Item = Result<Position>;

    fn next(&mut self) -> Option<Result<Position>> {
        let first = match self.next.take() {
            Some(position) => position,
            None => match self.source.next()? {
                Ok(position) => position,
                Err(error) => return Some(Err(error)),
            },
        };
        let board = first.board;
        match self.next_is(board) {
            Ok(None) => Some(Ok(first)),
            Err(error) => Some(Err(error)),
            Ok(Some(second)) => {
                let mut combined = Combined::new(first, Ties::Later);
                combined.add(second, None);
                loop {
                    match self.next_is(board) {
                        Ok(Some(other)) => {
                            combined.add(other, None);
                        }
                        Ok(None) => return Some(Ok(combined.finish())),
                        Err(error) => return Some(Err(error)),
                    }
                }
            }
        }
    }
}

impl Positions<'_> {
    /// Takes the next record if it is of this board.
    fn next_is(&mut self, board: CanonicalBoard) -> Result<Option<Position>> {
        match self.source.next().transpose()? {
            Some(position) if position.board == board => Ok(Some(position)),
            other => {
                self.next = other;
                Ok(None)
            }
        }
    }
}

/// Merges sorted runs. Equal boards come in the order of their runs, which is the order in which they were taken.
struct Merge<'a> {
    runs: Vec<RunReader<'a>>,
    order: KWay<CanonicalBoard>,
}

/// A run, with its first position taken off.
struct RunReader<'a> {
    rest: spill::Reader<'a>,
    head: Option<Position>,
}

impl<'a> Merge<'a> {
    fn open(files: &'a [Spill]) -> Result<Merge<'a>> {
        let mut runs = Vec::with_capacity(files.len());
        for file in files {
            let mut rest = file.read();
            let head = rest.next().transpose()?;
            runs.push(RunReader { rest, head });
        }
        let heads = runs.iter().enumerate();
        let order = KWay::new(heads.filter_map(|(run, it)| Some((it.head.as_ref()?.board, run))));
        Ok(Merge { runs, order })
    }
}

impl Iterator for Merge<'_> {
    type Item = Result<Position>;

    fn next(&mut self) -> Option<Result<Position>> {
        let mut taken = None;
        let runs = &mut self.runs;
        let run = self.order.next(|run| -> Result<_> {
            let RunReader { rest, head } = &mut runs[run];
            let next = rest.next().transpose()?;
            let board = next.as_ref().map(|next| next.board);
            taken = std::mem::replace(head, next);
            Ok(board)
        });
        match run {
            Ok(_) => taken.map(Ok),
            Err(error) => Some(Err(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use obook_othello::levels::Strength;
    use obook_othello::{Board, Engine};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Positions of few boards, so that many are duplicates.
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
        fn sorts_and_keeps_the_better_search_with_any_budget(
            positions in positions(),
            budget in prop_oneof![Just(1usize), 100usize..2000, Just(Sorter::BUDGET)],
        ) {
            let mut sorter = Sorter::with_budget(budget);
            let mut expected: BTreeMap<CanonicalBoard, Position> = BTreeMap::new();
            for position in &positions {
                sorter.push(position).unwrap();
                let kept = expected.entry(position.board).or_insert_with(|| position.clone());
                let strength = |position: &Position| {
                    let empties = position.board.board().empties() as u8;
                    Strength::new(position.engine, position.level, empties)
                };
                if strength(position) >= strength(kept) {
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
