//! Sorting books of any size by key, in bounded memory.
//!
//! Positions are packed into a run until the run reaches its budget; then it is sorted and written to a temporary
//! file. At the end the runs are merged. A book that fits into one run never touches the disk.
//!
//! Where a board comes more than once, its records become one: the better search wins, at the same level the later one, for
//! the value and for the leaf.

use super::Result;
use super::combine::Combined;
use super::kway::KWay;
use super::record::{Packed, pack, packed_board, packed_len, unpack};
use super::spill::{self, Spill};
use obook_model::Position;
use obook_othello::CanonicalBoard;
use rayon::prelude::*;

/// Positions in a block: what is decoded, written and read in one piece.
const BLOCK: usize = 1 << 14;

/// Takes positions in any order.
#[derive(Debug)]
pub struct Sorter {
    budget: usize,
    run: Run,
    spilled: Vec<Spill>,
    taken: u64,
    /// How many records a run may have before boards that came more than once are looked for again.
    look_at: usize,
}

/// Below so many records it does not matter how often a board comes.
const FIRST_LOOK: usize = 1 << 20;
/// Afterwards so many times as many as were kept may come.
const LOOK_AGAIN: usize = 4;

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
    Files(Vec<Spill>),
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

    /// By board; equal boards stay in the order in which they came, because offsets grow, and become as few records as can
    /// be. The bytes are brought into that order too: a walk over them later finds them where the memory is read ahead.
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

    /// The same, as few records as can be.
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

    /// Appends the records at these places, all of one board.
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
        let mut combined = Combined::new(unpack(first).0);
        records.for_each(|record| combined.add(unpack(record).0));
        combined.condense().for_each(|record| pack(&record, block));
    }
}

impl Default for Sorter {
    fn default() -> Sorter {
        Sorter::new()
    }
}

impl Sorter {
    /// A run's usual budget in bytes: enough for 15 million positions, little enough for a small machine.
    pub const BUDGET: usize = 1 << 30;

    /// A sorter that keeps up to a gigabyte in memory.
    #[must_use]
    pub fn new() -> Sorter {
        Sorter::with_budget(Sorter::BUDGET)
    }

    /// A sorter that keeps about `budget` bytes in memory, and twice that while it sorts.
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
    /// [`Error`](super::Error) when a temporary file can't be written.
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

    /// Sorts what was taken.
    ///
    /// # Errors
    /// [`Error`](super::Error) when a temporary file can't be written.
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

    /// Walks the positions by key. The records of one board become one on the way.
    ///
    /// # Errors
    /// [`Error`](super::Error) when a temporary file can't be read.
    pub fn positions(&self) -> Result<Positions<'_>> {
        let source: Box<dyn Iterator<Item = Result<Position>> + Send + '_> = match &self.runs {
            Runs::Memory(blocks) => Box::new(blocks.iter().flat_map(Packed::new).map(Ok)),
            Runs::Files(files) => Box::new(Merge::open(files)?),
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
                let mut combined = Combined::new(first);
                combined.add(second);
                loop {
                    match self.next_is(board) {
                        Ok(Some(other)) => combined.add(other),
                        Ok(None) => return Some(Ok(combined.finish())),
                        Err(error) => return Some(Err(error)),
                    }
                }
            }
        }
    }
}

impl Positions<'_> {
    /// The next record if it is one of this board; any other waits.
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

/// Merges sorted runs; equal boards come in the order of their runs, which is the order in which they were taken.
struct Merge<'a> {
    runs: Vec<RunReader<'a>>,
    order: KWay<CanonicalBoard>,
}

/// A run, and the position at its head.
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
    use obook_model::Engine;
    use obook_model::levels::Strength;
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
