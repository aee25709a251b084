//! Writing a book: what positions say becomes records, and these become trees.

use super::{
    ALL_IN_BOOK, BOARD, Check, LEN, NO_MORE, Record, SELECTIVITY_OF_MIDGAME, UNITS, VERSION, held,
    key, moving, sets,
};
use crate::book_writer::{Encoded, Out, Sink};
use crate::check::{need, score};
use crate::egaroucid::count_of;
use crate::reader::Fields;
use crate::{Error, ErrorKind, Fault, Format, Header};
use obook_othello::levels::{Effort, MAX_LEVEL};
use obook_othello::{Board, Engine, Position, Proof, SquareSet};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::Write;

/// NTest searches to the end if its depth is at most this far from it, in plies.
const AHEAD: u8 = 8;
/// The corners.
const CORNERS: u64 = 0x8100_0000_0000_0081;
/// The squares beside them, also diagonally.
const BESIDE_CORNERS: u64 = 0x42c3_0000_0000_c342;

/// Writes a book. It holds all records until the end, because the order in a file is that of the moves.
#[derive(Debug)]
pub struct Writer<W> {
    output: W,
    promised: i32,
    written: u64,
    records: BTreeMap<TreeOrder, Record>,
}

/// The place of a board among the main trees: those with more empty squares come first.
type TreeOrder = (Reverse<u32>, u64, u64);

fn place(board: Board) -> TreeOrder {
    let [empty, mover] = sets(board);
    (Reverse(board.empties()), mover, empty)
}

impl<W: Write> Writer<W> {
    /// Starts a book of as many positions as the header says.
    ///
    /// # Errors
    /// If the header says no number of positions, or one that doesn't fit.
    pub fn new(output: W, header: &Header) -> Result<Writer<W>, Error> {
        Ok(Writer {
            output,
            promised: count_of(Format::Ntest, header).map_err(Error::new)?,
            written: 0,
            records: BTreeMap::new(),
        })
    }

    /// Takes a record. Of two with the same board, the last one stays.
    pub fn write(&mut self, record: Record) {
        let record = Record {
            board: key(record.board),
            ..record
        };
        self.written += 1;
        self.records.insert(place(record.board), record);
    }

    /// The number of records taken so far.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.written
    }

    /// Writes the book as the records say it, and returns the output.
    ///
    /// # Errors
    /// If the output can't be written, or if not as many records were taken as the header says.
    pub fn finish(mut self) -> Result<W, Error> {
        if u64::try_from(self.promised) != Ok(self.written) {
            return Err(Error::new(ErrorKind::Written {
                promised: self.promised.into(),
                written: self.written,
            }));
        }
        let numbers = [VERSION.into(), self.records.len() as i32];
        let mut bytes = numbers.map(i32::to_le_bytes).concat();
        let mut trees = Trees {
            left: self.records,
            check: Check::default(),
        };
        while let Some((place, record)) = trees.left.first_key_value() {
            let (place, board) = (*place, record.board);
            trees.add(&sets(board).map(u64::to_le_bytes).concat(), &mut bytes);
            trees.tree(place, &mut bytes);
            self.output.write_all(&bytes)?;
            bytes.clear();
        }
        bytes.extend(trees.check.sum().to_le_bytes());
        self.output.write_all(&bytes)?;
        self.output.flush()?;
        Ok(self.output)
    }

    /// Makes a root of each record whose value is that of the best move in the book, as NTest has it. The records must be
    /// those of [`of_position`].
    fn plant(&mut self) {
        let bounds = self.records.iter();
        let bounds = bounds.filter(|(_, record)| !record.is(Record::PROVEN));
        let roots = bounds.filter_map(|(place, record)| Some((*place, self.bound(record)?)));
        for (place, bound) in roots.collect::<Vec<_>>() {
            if let Some(record) = self.records.get_mut(&place) {
                record.flags |= Record::ROOT;
                record.score = bound;
            }
        }
    }

    /// The bound of the moves that lead out of the book; `None` if the score isn't that of the best move in it.
    fn bound(&self, record: &Record) -> Option<i16> {
        let (mut best, mut complete) = (None, true);
        for square in record.board.legal_moves() {
            let after = record.board.after(square);
            let child = self.records.get(&place(key(moving(after))));
            complete &= child.is_some();
            let sign = if after.must_pass() { 1 } else { -1 };
            best = best.max(child.map(|child| sign * child.score));
        }
        let bound = if complete { ALL_IN_BOOK } else { record.score };
        (best == Some(record.score)).then_some(bound)
    }
}

/// The records that are not written yet, and the checksum of the others.
struct Trees {
    left: BTreeMap<TreeOrder, Record>,
    check: Check,
}

impl Trees {
    /// Appends what is written at once.
    fn add(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.check.add(bytes);
        out.extend_from_slice(bytes);
    }

    /// Appends a record, and the trees of those that its moves lead to. Each move fills a square, so there are at most 60 levels.
    fn tree(&mut self, place: TreeOrder, out: &mut Vec<u8>) {
        let Some(record) = self.left.remove(&place) else {
            return;
        };
        self.add(record.numbers().as_flattened(), out);
        if record.board.is_over() {
            return;
        }
        let mover = record.moving();
        let legal = mover.legal_moves().0;
        let others = !(CORNERS | BESIDE_CORNERS);
        for squares in [CORNERS, others, BESIDE_CORNERS] {
            for square in SquareSet(legal & squares) {
                let child = self::place(key(mover.after(square)));
                if self.left.contains_key(&child) {
                    self.add(&[square.index()], out);
                    self.tree(child, out);
                }
            }
        }
        self.add(&[NO_MORE], out);
    }
}

/// The record of a position, before [`Writer::plant`].
fn of_position(position: &Position) -> Result<Record, Fault> {
    let board = position.board.board();
    let value = match board.is_over() {
        true => board.final_score().into(),
        false => need(board, "the value", position.value)?,
    };
    let value = score(board, "the value", value)?;
    let (board, value, proof) = match board.must_pass() {
        true => (board.passed(), -value, position.proof.map(Proof::turned)),
        false => (board, value, position.proof),
    };
    let empties = board.empties() as u8;
    let (flags, value) = match proof.and_then(held) {
        _ if board.is_over() => (proven(empties, true), value),
        Some(proof) => {
            let is_exact = proof.exact().is_some();
            (proven(empties, is_exact), proof.clamp(value))
        }
        None => (searched(position.engine, position.level, empties), value),
    };
    Ok(Record {
        board: key(board),
        games: [0; 2],
        flags,
        score: UNITS * value,
    })
}

/// The flags of a proven score.
fn proven(empties: u8, is_exact: bool) -> u16 {
    let how = match is_exact {
        true => 0,
        false => Record::WON_DRAWN_OR_LOST,
    };
    Record::PROVEN | how | Record::TO_THE_END | u16::from(empties) << Record::DEPTH
}

/// The flags of the score of a search.
fn searched(engine: Engine, level: Option<u8>, empties: u8) -> u16 {
    let Some(level) = level else { return 0 };
    let effort = Effort::new(engine, level, empties);
    let depth = match engine {
        Engine::Ntest if level < MAX_LEVEL => level,
        _ if effort.to_the_end => empties,
        // So near to the end NTest would search to it.
        _ => effort.depth.min(empties.saturating_sub(AHEAD + 1)),
    };
    let (end, selectivity) = match (effort.to_the_end, effort.probability) {
        (false, _) => (0, SELECTIVITY_OF_MIDGAME),
        (true, 98..) => (Record::TO_THE_END, u16::from(effort.probability < 100)),
        (true, 91..) => (Record::TO_THE_END, 2),
        (true, _) => (Record::TO_THE_END, 3),
    };
    end | u16::from(depth) << Record::DEPTH | selectivity << Record::SELECTIVITY
}

/// The length of a record on its way from a [`BookWriter`](crate::BookWriter)'s encoder: its board and its numbers.
const FLAT: usize = BOARD + LEN;

/// Begins a book.
pub(super) fn begin<'a>(output: Out<'a>, header: &Header) -> Result<Box<dyn Sink + 'a>, Error> {
    Ok(Box::new(Writer::new(output, header)?))
}

impl Sink for Writer<Out<'_>> {
    fn write_encoded(&mut self, encoded: &Encoded) -> Result<(), Error> {
        for bytes in encoded.bytes.chunks(FLAT) {
            let mut fields = Fields::new(bytes, FLAT).map_err(Error::new)?;
            let board = super::board(&mut fields).expect("a board's sets");
            Writer::write(self, Record::read(board, &mut fields));
        }
        Ok(())
    }

    fn records(&self) -> u64 {
        self.records()
    }

    fn finish(mut self: Box<Self>) -> Result<(), Error> {
        self.plant();
        Ok(Writer::finish(*self)?.finish().map(drop)?)
    }
}

/// Appends the record of the position with this number, to be put in its place later.
pub(super) fn append(position: &Position, number: u64, out: &mut Vec<u8>) -> Result<(), Error> {
    let record = of_position(position).map_err(|fault| Error::new(fault).in_record(number))?;
    out.extend(sets(record.board).map(u64::to_le_bytes).as_flattened());
    out.extend(record.numbers().as_flattened());
    Ok(())
}
