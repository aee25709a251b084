//! Packed positions, in memory and in temporary files.
//!
//! Ten million positions are a gigabyte as structs, and a third of that packed. Only the process that wrote a file reads it, so
//! the encoding may change at any time. A graph has its own encoding, in columns, because its builder fills the columns
//! directly.

use super::{Error, Result};
use crate::arena::PackedLeaf;
use itertools::Itertools;
use obook_base::{UntilError, locked};
use obook_othello::{Bounds, CanonicalBoard, Engine, Link, Move, Position, Proof};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::sync::Mutex;

const HAS_VALUE: u8 = 1;
const HAS_BOUNDS: u8 = 2;
const HAS_LEVEL: u8 = 4;
const HAS_OUTCOMES: u8 = 8;
const HAS_LINES: u8 = 16;
/// A leaf, or a remark about a missing one.
const HAS_LEAF: u8 = 32;
const HAS_PROOF: u8 = 64;

/// Set on a link's move if it has a score. Moves need only 0–64.
const HAS_SCORE: u8 = 128;

/// Appends a packed position, the key of its board first.
fn pack(position: &Position, out: &mut Vec<u8>) {
    out.extend_from_slice(&position.board.to_key());
    let mut packing = Packing {
        flags: out.len(),
        out,
    };
    // There are at most 33 legal moves.
    let [engine, links] = [position.engine.to_byte(), position.links.len() as u8];
    packing.out.extend([0, engine, links]);
    packing.put(HAS_VALUE, position.value.map(|it| [it.to_le_bytes()]));
    let bounds = position.bounds.map(|it| [it.lower, it.upper]);
    packing.put(HAS_BOUNDS, bounds.map(|it| it.map(i16::to_le_bytes)));
    let proof = |it: Proof| [it.lower() as u8, it.upper() as u8, it.prover().to_byte()];
    packing.put(HAS_PROOF, position.proof.map(|it| [proof(it)]));
    packing.put(HAS_LEVEL, position.level.map(|it| [[it]]));
    let outcomes = position.outcomes.map(|it| [it.wins, it.draws, it.losses]);
    packing.put(HAS_OUTCOMES, outcomes.map(|it| it.map(u32::to_le_bytes)));
    packing.put(HAS_LINES, position.lines.map(|it| [it.to_le_bytes()]));
    let has_leaf = position.leaf.is_some() || position.no_leaf.is_some();
    let leaf = has_leaf.then(|| [PackedLeaf::of(position).to_bytes()]);
    packing.put(HAS_LEAF, leaf);
    for Link { mv, score } in &position.links {
        let flag = score.map_or(0, |_| HAS_SCORE);
        out.extend([mv.code() | flag, score.unwrap_or(0).cast_unsigned()]);
    }
}

/// A position that is packed.
struct Packing<'a> {
    out: &'a mut Vec<u8>,
    /// The place of its flags.
    flags: usize,
}

impl Packing<'_> {
    /// Appends numbers that may be unknown.
    fn put<const BYTES: usize, const N: usize>(
        &mut self,
        flag: u8,
        numbers: Option<[[u8; BYTES]; N]>,
    ) {
        if let Some(numbers) = numbers {
            self.out[self.flags] |= flag;
            self.out.extend_from_slice(numbers.as_flattened());
        }
    }
}

/// Unpacks the first position. Also returns the number of its bytes.
fn unpack(bytes: &[u8]) -> (Position, usize) {
    let mut cursor = Cursor { bytes, flags: 0 };
    let board = CanonicalBoard::from_trusted_key(cursor.take());
    let [flags, own, links] = cursor.take();
    cursor.flags = flags;
    let engine = |byte: u8| Engine::from_byte(byte).expect("packed by pack()");
    let value = cursor.known(HAS_VALUE);
    let bounds: Option<[_; 2]> = cursor.known(HAS_BOUNDS);
    let proof = cursor.known(HAS_PROOF);
    let level = cursor.known(HAS_LEVEL);
    let outcomes: Option<[_; 3]> = cursor.known(HAS_OUTCOMES);
    let lines = cursor.known(HAS_LINES);
    let leaf = cursor.known(HAS_LEAF);
    let leaf = leaf.map(|[it]| PackedLeaf::from_bytes(it).expect("packed by pack()"));
    let links = (0..links).map(|_| {
        let [code, score] = cursor.take();
        Link {
            mv: Move::from_code(code & !HAS_SCORE).expect("packed by pack()"),
            score: (code & HAS_SCORE != 0).then_some(score.cast_signed()),
        }
    });
    let position = Position {
        value: value.map(|[it]| i16::from_le_bytes(it)),
        bounds: bounds.map(|it| {
            let [lower, upper] = it.map(i16::from_le_bytes);
            Bounds { lower, upper }
        }),
        proof: proof.and_then(|[[lower, upper, prover]]| {
            Proof::new(lower as i8, upper as i8, engine(prover))
        }),
        level: level.map(|[[it]]| it),
        outcomes: outcomes.map(|it| it.map(u32::from_le_bytes).into()),
        lines: lines.map(|[it]| u32::from_le_bytes(it)),
        links: links.collect(),
        leaf: leaf.and_then(PackedLeaf::get),
        no_leaf: leaf.and_then(PackedLeaf::no_leaf),
        ..Position::new(board, engine(own))
    };
    (position, bytes.len() - cursor.bytes.len())
}

/// The rest of a packed position.
struct Cursor<'a> {
    bytes: &'a [u8],
    flags: u8,
}

impl Cursor<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (taken, rest) = self.bytes.split_first_chunk().expect("N bytes");
        self.bytes = rest;
        *taken
    }

    /// The next numbers, if they are known.
    fn known<const BYTES: usize, const N: usize>(&mut self, flag: u8) -> Option<[[u8; BYTES]; N]> {
        (self.flags & flag != 0).then(|| std::array::from_fn(|_| self.take()))
    }
}

/// Unpacks positions one after another.
fn unpack_all(bytes: impl AsRef<[u8]>) -> impl Iterator<Item = Position> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &bytes.as_ref()[at..];
        let (position, length) = (!rest.is_empty()).then(|| unpack(rest))?;
        at += length;
        Some(position)
    })
}

/// A temporary file of blocks of packed positions, each after its length. The file has no name, so it goes when the value is
/// dropped or the process ends.
#[derive(Debug)]
struct Spill(Mutex<File>);

impl Spill {
    fn create() -> Result<Spill> {
        let file = tempfile::tempfile().map_err(failed("make a temporary file there"))?;
        Ok(Spill(Mutex::new(file)))
    }

    /// Removes all blocks.
    fn clear(&mut self) -> Result<()> {
        let cleared = locked(&self.0).set_len(0);
        cleared.map_err(failed("write a temporary file there"))
    }

    /// Appends a block of packed positions.
    fn write(&mut self, block: &[u8]) -> Result<()> {
        let mut file = locked(&self.0);
        let length = (block.len() as u64).to_le_bytes();
        let mut write = || {
            file.seek(SeekFrom::End(0))?;
            file.write_all(&length)?;
            file.write_all(block)
        };
        write().map_err(failed("write a temporary file there"))
    }

    /// Reads the file from the start, until an error. There may be any number of readers.
    fn read(&self) -> impl Iterator<Item = Result<Position>> {
        let mut offset = 0;
        let blocks = std::iter::from_fn(move || {
            let block = self.block_at(offset);
            offset += block.as_ref().map_or(0, |block| LENGTH + block.len()) as u64;
            let is_end = block.as_ref().is_ok_and(Vec::is_empty);
            (!is_end).then_some(block)
        });
        let blocks = blocks.map(|block| block.map_err(failed("read a temporary file there")));
        blocks.map_ok(unpack_all).flatten_ok()
    }

    /// Reads the block at an offset. At the end of the file it is empty.
    fn block_at(&self, offset: u64) -> io::Result<Vec<u8>> {
        let mut file = locked(&self.0);
        #[cfg(test)]
        faults::read()?;
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

/// The number of bytes of a block's length.
const LENGTH: usize = 8;

fn failed(doing: &'static str) -> impl FnOnce(io::Error) -> Error {
    move |source| Error {
        folder: std::env::temp_dir(),
        doing,
        source,
    }
}

/// Positions are written in blocks of at least this many bytes.
const BLOCK: usize = 1 << 16;

/// Positions in the order in which they were added: in memory until they fill a block, then in a temporary file.
#[derive(Debug, Default)]
pub(crate) struct Run {
    spill: Option<Spill>,
    /// The positions after those in the file.
    block: Vec<u8>,
}

impl Run {
    pub(crate) fn push(&mut self, position: &Position) -> Result<()> {
        pack(position, &mut self.block);
        match self.block.len() >= BLOCK {
            true => self.flush(),
            false => Ok(()),
        }
    }

    fn flush(&mut self) -> Result<()> {
        get_or_create(&mut self.spill)?.write(&self.block)?;
        self.block.clear();
        Ok(())
    }

    /// Reads the positions from the first. There may be any number of readers.
    pub(crate) fn read(&self) -> impl Iterator<Item = Result<Position>> + Send {
        let in_file = self.spill.iter().flat_map(Spill::read);
        UntilError::new(in_file.chain(unpack_all(&self.block).map(Ok)))
    }
}

/// The number of layers: one more than there are numbers of empty squares, so that they include the layer above any other.
const LAYERS: usize = 66;

/// Positions by number of empty squares, in temporary files: a book that doesn't fit in memory can be read layer by layer.
#[derive(Debug)]
pub struct Layers([Layer; LAYERS]);

impl Default for Layers {
    fn default() -> Layers {
        Layers(std::array::from_fn(|_| Layer::default()))
    }
}

#[derive(Debug, Default)]
struct Layer {
    run: Run,
    count: u64,
    /// A byte for each position, from the first; see [`Layers::set_marks`].
    marks: Option<Spill>,
}

impl Layers {
    /// All numbers of empty squares, from 0 up.
    #[must_use]
    pub fn all() -> std::ops::Range<usize> {
        0..LAYERS
    }

    /// The number of positions.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.0.iter().map(|layer| layer.count).sum()
    }

    /// The number of positions with this number of empty squares.
    #[must_use]
    pub fn count(&self, empties: usize) -> u64 {
        self.0[empties].count
    }

    /// Removes the positions with this number of empty squares, and their marks.
    ///
    /// # Errors
    /// Returns [`Error`] if a temporary file can't be written.
    pub(crate) fn clear(&mut self, empties: usize) -> Result<()> {
        let layer = &mut self.0[empties];
        layer.run.block.clear();
        layer.count = 0;
        let mut files = layer.run.spill.iter_mut().chain(&mut layer.marks);
        files.try_for_each(Spill::clear)
    }

    /// Takes the positions with this number of empty squares from other layers. Nothing may be in their place.
    pub(crate) fn take_over(&mut self, from: &mut Layers, empties: usize) {
        self.0[empties] = std::mem::take(&mut from.0[empties]);
    }

    /// Keeps a byte for each of the positions with this number of empty squares.
    ///
    /// # Errors
    /// Returns [`Error`] if a temporary file can't be written.
    pub(crate) fn set_marks(&mut self, empties: usize, marks: &[u8]) -> Result<()> {
        let spill = get_or_create(&mut self.0[empties].marks)?;
        spill.clear()?;
        spill.write(marks)
    }

    /// The marks of the positions with this number of empty squares; none if there are none.
    ///
    /// # Errors
    /// Returns [`Error`] if a temporary file can't be read.
    pub(crate) fn marks(&self, empties: usize) -> Result<Vec<u8>> {
        let marks = self.0[empties].marks.as_ref();
        let read = marks.map_or(Ok(Vec::new()), |marks| marks.block_at(0));
        read.map_err(failed("read a temporary file there"))
    }

    /// Adds a position.
    ///
    /// # Errors
    /// Returns [`Error`] if a temporary file can't be written.
    pub fn push(&mut self, position: &Position) -> Result<()> {
        let layer = &mut self.0[position.board.board().empties() as usize];
        layer.count += 1;
        layer.run.push(position)
    }

    /// Reads the positions with this number of empty squares, in the order in which they were added.
    ///
    /// # Errors
    /// Returns [`Error`] if a temporary file can't be written or read.
    pub fn read(&mut self, empties: usize) -> Result<impl Iterator<Item = Result<Position>>> {
        let run = &mut self.0[empties].run;
        if !run.block.is_empty() {
            run.flush()?;
        }
        Ok(run.read())
    }

    /// [Reads](Layers::read) the positions with this number of empty squares, and passes them to `take`.
    ///
    /// # Errors
    /// As [`Layers::read`].
    pub fn each(&mut self, empties: usize, mut take: impl FnMut(Position)) -> Result<()> {
        for position in self.read(empties)? {
            take(position?);
        }
        Ok(())
    }
}

/// Reads of temporary files that fail, for tests.
#[cfg(test)]
pub(crate) mod faults {
    use std::cell::Cell;
    use std::io;

    thread_local! {
        static UNTIL: Cell<Option<u32>> = const { Cell::new(None) };
    }

    /// Lets one read of this thread fail, after this many others.
    pub(crate) fn fail_after(reads: u32) {
        UNTIL.set(Some(reads));
    }

    /// Whether that read is still to come. It is then forgotten.
    pub(crate) fn is_ahead() -> bool {
        UNTIL.take().is_some()
    }

    pub(super) fn read() -> io::Result<()> {
        let until = UNTIL.take();
        UNTIL.set(until.and_then(|until| until.checked_sub(1)));
        match until {
            Some(0) => Err(io::Error::other("injected")),
            _ => Ok(()),
        }
    }
}

fn get_or_create(spill: &mut Option<Spill>) -> Result<&mut Spill> {
    Ok(match spill {
        Some(spill) => spill,
        none => none.insert(Spill::create()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use obook_othello::{Board, Leaf, NoLeaf, Outcomes};
    use proptest::prelude::*;

    fn position() -> impl Strategy<Value = Position> {
        use proptest::option::of;
        let moves = || (0u8..=64).prop_map(|code| Move::from_code(code).expect("a move"));
        let links = proptest::collection::vec((moves(), of(any::<i8>())), 0..40);
        let engine =
            || (1i64..20).prop_map(|number| Engine::from_number(number).expect("an engine"));
        let leaf = of((of(moves()), any::<i8>(), of(any::<u8>()), engine()));
        let no_leaf = of(prop::sample::select(&NoLeaf::ALL[..]));
        (
            (any::<u64>(), any::<u64>(), engine()),
            (of(any::<i16>()), of(any::<(i16, i16)>()), of(any::<u8>())),
            of((-64i8..=0, 0i8..=64, engine())),
            (of(any::<(u32, u32, u32)>()), of(any::<u32>())),
            links,
            (leaf, no_leaf),
        )
            .prop_map(
                |(
                    (player, opponent, engine),
                    (value, bounds, level),
                    proof,
                    (outcomes, lines),
                    links,
                    (leaf, no_leaf),
                )| {
                    let board = Board::new(player, opponent & !player)
                        .expect("no overlap")
                        .canonical();
                    Position {
                        value,
                        bounds: bounds.map(|(lower, upper)| Bounds { lower, upper }),
                        proof: proof
                            .and_then(|(lower, upper, prover)| Proof::new(lower, upper, prover)),
                        level,
                        outcomes: outcomes.map(|(wins, draws, losses)| Outcomes {
                            wins,
                            draws,
                            losses,
                        }),
                        lines,
                        links: links
                            .into_iter()
                            .map(|(mv, score)| Link { mv, score })
                            .collect(),
                        leaf: leaf.map(|(mv, score, level, engine)| Leaf {
                            mv,
                            score,
                            level,
                            engine,
                        }),
                        no_leaf: no_leaf.filter(|_| leaf.is_none()),
                        ..Position::new(board, engine)
                    }
                },
            )
    }

    #[test]
    fn a_run_is_read_from_its_file_and_then_from_memory() {
        let mut run = Run::default();
        let mut position = Position::new(Board::START.canonical(), Engine::Edax);
        for value in 0..10_000 {
            position.value = Some(value);
            run.push(&position).unwrap();
        }
        assert!(run.spill.is_some() && !run.block.is_empty());
        for _ in 0..2 {
            let values = run.read().map(|it| it.unwrap().value.unwrap());
            assert!(values.eq(0..10_000));
        }
    }

    proptest! {
        #[test]
        fn unpacking_reverses_packing(first in position(), second in position()) {
            let mut bytes = Vec::new();
            pack(&first, &mut bytes);
            let end = bytes.len();
            pack(&second, &mut bytes);
            prop_assert_eq!(unpack(&bytes), (first, end));
            prop_assert_eq!(unpack(&bytes[end..]), (second, bytes.len() - end));
        }
    }
}
