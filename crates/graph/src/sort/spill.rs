//! Packed positions, in memory and in temporary files.
//!
//! Ten million positions are a gigabyte as structs, and a third of that packed. Only the process that wrote a file reads it, so
//! the encoding may change at any time. A graph has its own encoding, in columns, because its builder fills the columns
//! directly.

use super::{Error, Result};
use obook_base::UntilError;
use obook_othello::{
    Bounds, CanonicalBoard, Engine, Leaf, Link, Move, NoLeaf, Outcomes, Position, Proof,
};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::sync::Mutex;

const HAS_VALUE: u8 = 1;
const HAS_BOUNDS: u8 = 2;
const HAS_LEVEL: u8 = 4;
const HAS_OUTCOMES: u8 = 8;
const HAS_LINES: u8 = 16;
const HAS_LEAF: u8 = 32;
const HAS_LEAF_LEVEL: u8 = 64;
const HAS_PROOF: u8 = 128;

/// Set on a link's move when a score follows. Moves need only 0–64.
const HAS_SCORE: u8 = 128;
/// A leaf without a move: the final score of a game.
const NO_MOVE: u8 = 65;
/// No leaf, with a remark.
const ALL_MOVES_IN_BOOK: u8 = 66;
const UNDEFINED: u8 = 67;
/// Set on the number of links when the leaf's engine follows, because it isn't the position's. There are at most 33 legal moves.
const HAS_LEAF_ENGINE: u8 = 128;

/// Appends a packed position, the key of its board first.
fn pack(position: &Position, out: &mut Vec<u8>) {
    out.extend_from_slice(&position.board.to_key());
    let flag = |present: bool, flag: u8| if present { flag } else { 0 };
    out.push(
        flag(position.value.is_some(), HAS_VALUE)
            | flag(position.bounds.is_some(), HAS_BOUNDS)
            | flag(position.level.is_some(), HAS_LEVEL)
            | flag(position.outcomes.is_some(), HAS_OUTCOMES)
            | flag(position.lines.is_some(), HAS_LINES)
            | flag(
                position.leaf.is_some() || position.no_leaf.is_some(),
                HAS_LEAF,
            )
            | flag(
                position.leaf.is_some_and(|leaf| leaf.level.is_some()),
                HAS_LEAF_LEVEL,
            )
            | flag(position.proof.is_some(), HAS_PROOF),
    );
    if let Some(value) = position.value {
        out.extend_from_slice(&value.to_le_bytes());
    }
    if let Some(Bounds { lower, upper }) = position.bounds {
        out.extend_from_slice(&lower.to_le_bytes());
        out.extend_from_slice(&upper.to_le_bytes());
    }
    if let Some(proof) = position.proof {
        let bounds = [proof.lower(), proof.upper()].map(i8::cast_unsigned);
        out.extend_from_slice(&bounds);
        out.push(proof.prover().to_byte());
    }
    out.extend(position.level);
    if let Some(Outcomes {
        wins,
        draws,
        losses,
    }) = position.outcomes
    {
        for count in [wins, draws, losses] {
            out.extend_from_slice(&count.to_le_bytes());
        }
    }
    if let Some(lines) = position.lines {
        out.extend_from_slice(&lines.to_le_bytes());
    }
    if let Some(leaf) = position.leaf {
        out.extend_from_slice(&[
            leaf.mv.map_or(NO_MOVE, Move::code),
            leaf.score.cast_unsigned(),
        ]);
        out.extend(leaf.level);
    } else if let Some(no_leaf) = position.no_leaf {
        let code = match no_leaf {
            NoLeaf::AllMovesInBook => ALL_MOVES_IN_BOOK,
            NoLeaf::Undefined => UNDEFINED,
        };
        out.extend_from_slice(&[code, 0]);
    }
    let of_leaf = position.leaf.map(|leaf| leaf.engine);
    let of_leaf = of_leaf.filter(|engine| *engine != position.engine);
    out.push(position.engine.to_byte());
    out.push(position.links.len() as u8 | flag(of_leaf.is_some(), HAS_LEAF_ENGINE));
    out.extend(of_leaf.map(Engine::to_byte));
    for link in &position.links {
        out.push(link.mv.code() | flag(link.score.is_some(), HAS_SCORE));
        out.extend(link.score.map(i8::cast_unsigned));
    }
}

/// Unpacks the first position. Also returns the number of its bytes.
fn unpack(bytes: &[u8]) -> (Position, usize) {
    let mut cursor = Cursor { bytes, at: 0 };
    let board = cursor.board();
    let [flags] = cursor.take();
    let has = |flag: u8| flags & flag != 0;
    let mut position = Position::new(board, Engine::Edax);
    if has(HAS_VALUE) {
        position.value = Some(i16::from_le_bytes(cursor.take()));
    }
    if has(HAS_BOUNDS) {
        let lower = i16::from_le_bytes(cursor.take());
        position.bounds = Some(Bounds {
            lower,
            upper: i16::from_le_bytes(cursor.take()),
        });
    }
    let engine = |byte: u8| Engine::from_byte(byte).expect("packed by pack()");
    if has(HAS_PROOF) {
        let [lower, upper, prover] = cursor.take();
        let [lower, upper] = [lower, upper].map(u8::cast_signed);
        position.proof = Proof::new(lower, upper, engine(prover));
    }
    if has(HAS_LEVEL) {
        let [level] = cursor.take();
        position.level = Some(level);
    }
    if has(HAS_OUTCOMES) {
        let [wins, draws, losses] =
            [cursor.take(), cursor.take(), cursor.take()].map(u32::from_le_bytes);
        position.outcomes = Some(Outcomes {
            wins,
            draws,
            losses,
        });
    }
    if has(HAS_LINES) {
        position.lines = Some(u32::from_le_bytes(cursor.take()));
    }
    if has(HAS_LEAF) {
        let [code, score] = cursor.take();
        let level = has(HAS_LEAF_LEVEL).then(|| cursor.take::<1>()[0]);
        match code {
            ALL_MOVES_IN_BOOK => position.no_leaf = Some(NoLeaf::AllMovesInBook),
            UNDEFINED => position.no_leaf = Some(NoLeaf::Undefined),
            _ => {
                position.leaf = Some(Leaf {
                    mv: Move::from_code(code),
                    score: score.cast_signed(),
                    level,
                    engine: position.engine,
                });
            }
        }
    }
    let [own, links] = cursor.take();
    position.engine = engine(own);
    let of_leaf = (links & HAS_LEAF_ENGINE != 0).then(|| engine(cursor.take::<1>()[0]));
    if let Some(leaf) = &mut position.leaf {
        leaf.engine = of_leaf.unwrap_or(position.engine);
    }
    for _ in 0..links & !HAS_LEAF_ENGINE {
        let [code] = cursor.take();
        let score = (code & HAS_SCORE != 0).then(|| cursor.take::<1>()[0].cast_signed());
        let mv = Move::from_code(code & !HAS_SCORE).expect("packed by pack()");
        position.links.push(Link { mv, score });
    }
    (position, cursor.at)
}

/// Unpacks positions one after another.
struct Packed<B> {
    bytes: B,
    at: usize,
}

impl<B> Packed<B> {
    fn new(bytes: B) -> Packed<B> {
        Packed { bytes, at: 0 }
    }
}

impl<B: AsRef<[u8]>> Iterator for Packed<B> {
    type Item = Position;

    fn next(&mut self) -> Option<Position> {
        let rest = &self.bytes.as_ref()[self.at..];
        if rest.is_empty() {
            return None;
        }
        let (position, length) = unpack(rest);
        self.at += length;
        Some(position)
    }
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn board(&mut self) -> CanonicalBoard {
        CanonicalBoard::from_trusted_key(self.take())
    }

    fn take<const N: usize>(&mut self) -> [u8; N] {
        let taken = self.bytes[self.at..self.at + N]
            .try_into()
            .expect("N bytes");
        self.at += N;
        taken
    }
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
        let file = self
            .0
            .get_mut()
            .expect("nothing panics while it holds the lock");
        file.set_len(0)
            .map_err(failed("write a temporary file there"))
    }

    /// Appends a block of packed positions.
    fn write(&mut self, block: &[u8]) -> Result<()> {
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
        write().map_err(failed("write a temporary file there"))
    }

    /// Reads the file from the start. There may be any number of readers.
    fn read(&self) -> Blocks<'_> {
        Blocks {
            spill: self,
            offset: 0,
            block: Packed::new(Vec::new()),
        }
    }

    /// Reads the block at an offset. At the end of the file it is empty.
    fn block_at(&self, offset: u64) -> io::Result<Vec<u8>> {
        let mut file = self
            .0
            .lock()
            .expect("nothing panics while it holds the lock");
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

/// Reads the positions of a [`Spill`].
struct Blocks<'a> {
    spill: &'a Spill,
    offset: u64,
    block: Packed<Vec<u8>>,
}

impl Iterator for Blocks<'_> {
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
            Err(error) => return Some(Err(failed("read a temporary file there")(error))),
        }
        self.block.next().map(Ok)
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
        UntilError::new(in_file.chain(Packed::new(&self.block).map(Ok)))
    }
}

/// A board may have 0 to 64 empty squares.
const LAYERS: usize = 65;

/// Positions by number of empty squares, in temporary files: a book that doesn't fit in memory can be read layer by layer.
#[derive(Debug, Default)]
pub struct Layers {
    /// By number of empty squares.
    layers: Vec<Layer>,
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
        self.layers.iter().map(|layer| layer.count).sum()
    }

    /// The number of positions with this number of empty squares.
    #[must_use]
    pub fn count(&self, empties: usize) -> u64 {
        self.layers.get(empties).map_or(0, |layer| layer.count)
    }

    /// Removes the positions with this number of empty squares, and their marks.
    ///
    /// # Errors
    /// Returns [`Error`] if a temporary file can't be written.
    pub(crate) fn clear(&mut self, empties: usize) -> Result<()> {
        let Some(layer) = self.layers.get_mut(empties) else {
            return Ok(());
        };
        layer.run.block.clear();
        layer.count = 0;
        let mut files = layer.run.spill.iter_mut().chain(&mut layer.marks);
        files.try_for_each(Spill::clear)
    }

    /// Takes the positions with this number of empty squares from other layers. Nothing may be in their place.
    pub(crate) fn take_over(&mut self, from: &mut Layers, empties: usize) {
        if let Some(layer) = from.layers.get_mut(empties) {
            self.layers.resize_with(LAYERS, Layer::default);
            self.layers[empties] = std::mem::take(layer);
        }
    }

    /// Keeps a byte for each of the positions with this number of empty squares.
    ///
    /// # Errors
    /// Returns [`Error`] if a temporary file can't be written.
    pub(crate) fn set_marks(&mut self, empties: usize, marks: &[u8]) -> Result<()> {
        let spill = get_or_create(&mut self.layers[empties].marks)?;
        spill.clear()?;
        spill.write(marks)
    }

    /// The marks of the positions with this number of empty squares; none if there are none.
    ///
    /// # Errors
    /// Returns [`Error`] if a temporary file can't be read.
    pub(crate) fn marks(&self, empties: usize) -> Result<Vec<u8>> {
        let layer = self.layers.get(empties);
        match layer.and_then(|layer| layer.marks.as_ref()) {
            None => Ok(Vec::new()),
            Some(marks) => marks
                .block_at(0)
                .map_err(failed("read a temporary file there")),
        }
    }

    /// Adds a position.
    ///
    /// # Errors
    /// Returns [`Error`] if a temporary file can't be written.
    pub fn push(&mut self, position: &Position) -> Result<()> {
        if self.layers.is_empty() {
            self.layers.resize_with(LAYERS, Layer::default);
        }
        let layer = &mut self.layers[position.board.board().empties() as usize];
        layer.count += 1;
        layer.run.push(position)
    }

    /// Reads the positions with this number of empty squares, in the order in which they were added.
    ///
    /// # Errors
    /// Returns [`Error`] if a temporary file can't be written or read.
    pub fn read(&mut self, empties: usize) -> Result<impl Iterator<Item = Result<Position>>> {
        let layer = self.layers.get_mut(empties);
        let mut run = layer.map(|layer| &mut layer.run);
        if let Some(run) = run.as_mut().filter(|run| !run.block.is_empty()) {
            run.flush()?;
        }
        Ok(run.into_iter().flat_map(|run| run.read()))
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
    use obook_othello::Board;
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
