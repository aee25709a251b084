//! A part of the log: some thousand steps of what happened to rows, compressed.
//!
//! A part is one zstd frame with a checksum. In it, each number being a LEB128: the length of a JSON array of the tables
//! (`name`, `columns`, `key`: places of the key's columns) and the array; the length of the steps and the steps; then,
//! table by table and column by column, a length and the column's cells. A step is 3 × (place of its table) +
//!
//! - 0: a row was inserted; the columns of the key say which.
//! - 1: a row was deleted; every column says what stood there.
//! - 2: a row was updated; the columns of the key say what its key is now, then every column what stood there.
//!
//! Cells of a column lie together because they resemble each other. A cell is a byte and what belongs to it: 0 NULL;
//! 1 an integer, zigzag LEB128; 2 a number as 8 bytes, little-endian; 3 text: length and bytes; 4–254 the integers
//! −100–150; 255 a blob: how many bytes it shares with the start of the blob before it in its column, how many follow, and
//! those.

use super::shape::Shape;
use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, ValueRef};
use std::io::Read;
use std::sync::Arc;

/// Bytes of a part before it is compressed, about.
const SIZE: usize = 1 << 20;
/// Fast: a change takes as long as its log.
const LEVEL: i32 = 1;
/// Bytes of memory that a part takes when it is read back, at most, beyond the last row in it: a step and a cell for each
/// byte of it, and what blobs share.
pub(crate) const MOST: u64 = 64 << 20;

const NULL: u8 = 0;
const INTEGER: u8 = 1;
const REAL: u8 = 2;
const TEXT: u8 = 3;
const BLOB: u8 = 255;
/// The integer 0 in one byte.
const ZERO: i64 = 104;

/// What happened to a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Inserted = 0,
    Deleted = 1,
    Updated = 2,
}

impl Kind {
    pub(crate) const ALL: [Kind; 3] = [Kind::Inserted, Kind::Deleted, Kind::Updated];

    /// The columns whose cells a step of this kind has.
    pub(crate) fn cells(self, shape: &Shape) -> impl Iterator<Item = usize> + '_ {
        let (key, all) = match self {
            Kind::Inserted => (&shape.key[..], 0),
            Kind::Deleted => (&[][..], shape.columns.len()),
            Kind::Updated => (&shape.key[..], shape.columns.len()),
        };
        key.iter().copied().chain(0..all)
    }
}

/// The cells of one column.
#[derive(Clone, Debug, Default)]
struct Column {
    bytes: Vec<u8>,
    /// The last blob.
    blob: Vec<u8>,
}

impl Column {
    /// Adds a cell; how many bytes it shares with the one before.
    fn push(&mut self, value: ValueRef<'_>) -> usize {
        let bytes = &mut self.bytes;
        match value {
            ValueRef::Null => bytes.push(NULL),
            ValueRef::Integer(number @ -100..=150) => bytes.push((number + ZERO) as u8),
            ValueRef::Integer(number) => {
                bytes.push(INTEGER);
                put(bytes, ((number << 1) ^ (number >> 63)).cast_unsigned());
            }
            ValueRef::Real(number) => {
                bytes.push(REAL);
                bytes.extend(number.to_bits().to_le_bytes());
            }
            ValueRef::Text(text) => {
                bytes.push(TEXT);
                put(bytes, text.len() as u64);
                bytes.extend(text);
            }
            ValueRef::Blob(blob) => {
                let pairs = self.blob.iter().zip(blob);
                let shared = pairs.take_while(|(one, other)| one == other).count();
                bytes.push(BLOB);
                put(bytes, shared as u64);
                put(bytes, (blob.len() - shared) as u64);
                bytes.extend(&blob[shared..]);
                self.blob.truncate(shared);
                self.blob.extend(&blob[shared..]);
                return shared;
            }
        }
        0
    }
}

fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Collects steps.
#[derive(Debug)]
pub(crate) struct PartWriter {
    shapes: Arc<[Shape]>,
    steps: Vec<u8>,
    columns: Vec<Vec<Column>>,
    /// Bytes of all cells, those included that blobs share.
    size: usize,
}

impl PartWriter {
    pub(crate) fn new(shapes: Arc<[Shape]>) -> PartWriter {
        let columns = shapes
            .iter()
            .map(|shape| vec![Column::default(); shape.columns.len()])
            .collect();
        PartWriter {
            shapes,
            steps: Vec::new(),
            columns,
            size: 0,
        }
    }

    /// How many cells a step of this kind has; `None` where there is no such table.
    pub(crate) fn cells(&self, table: usize, kind: Kind) -> Option<usize> {
        self.shapes
            .get(table)
            .map(|shape| kind.cells(shape).count())
    }

    /// Adds a step with its cells, in the order of [`Kind::cells`].
    pub(crate) fn push<'v>(
        &mut self,
        table: usize,
        kind: Kind,
        mut cell: impl FnMut(usize) -> ValueRef<'v>,
    ) {
        put(
            &mut self.steps,
            (table * Kind::ALL.len() + kind as usize) as u64,
        );
        let columns = &mut self.columns[table];
        for (number, at) in kind.cells(&self.shapes[table]).enumerate() {
            let before = columns[at].bytes.len();
            let shared = columns[at].push(cell(number));
            self.size += columns[at].bytes.len() - before + shared;
        }
    }

    /// Whether it is time to [`PartWriter::take`] the part.
    pub(crate) fn is_full(&self) -> bool {
        self.size >= SIZE
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The part, compressed; what is added from now on belongs to the next one.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        let shapes = serde_json::to_vec(&*self.shapes).expect("names and numbers");
        let mut part = Vec::with_capacity(shapes.len() + self.steps.len() + self.size + 256);
        let mut piece = |bytes: &[u8]| {
            put(&mut part, bytes.len() as u64);
            part.extend(bytes);
        };
        piece(&shapes);
        piece(&self.steps);
        self.steps.clear();
        for column in self.columns.iter_mut().flatten() {
            piece(&column.bytes);
            column.bytes.clear();
            column.blob.clear();
        }
        self.size = 0;
        let compress = || {
            let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
            compressor.include_checksum(true)?;
            compressor.compress(&part)
        };
        compress().expect("the compressor makes room as it needs it")
    }
}

/// What stood in one column of a row. Text is bytes, because SQLite takes any for text.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Cell {
    Null,
    Integer(i64),
    Real(f64),
    Text(Vec<u8>),
    Blob(Vec<u8>),
}

impl Cell {
    /// Bytes of a text or a blob.
    fn bytes(&self) -> u64 {
        match self {
            Cell::Null | Cell::Integer(_) | Cell::Real(_) => 0,
            Cell::Text(bytes) | Cell::Blob(bytes) => bytes.len() as u64,
        }
    }
}

impl ToSql for Cell {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Cell::Null => ValueRef::Null,
            Cell::Integer(number) => ValueRef::Integer(*number),
            Cell::Real(number) => ValueRef::Real(*number),
            Cell::Text(text) => ValueRef::Text(text),
            Cell::Blob(blob) => ValueRef::Blob(blob),
        }))
    }
}

/// Why a part can't be read back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flaw {
    /// It makes no sense.
    Damaged,
    /// It expands to more than was allowed.
    TooLarge,
}

/// A part that was read back.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) shapes: Vec<Shape>,
    pub(crate) steps: Vec<Step>,
    cells: Vec<Cell>,
}

/// What happened to one row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    pub(crate) table: usize,
    pub(crate) kind: Kind,
    /// Of its cells.
    first: usize,
}

impl Part {
    /// Reads what [`PartWriter::take`] gave, where it takes at most about so many bytes of memory.
    pub(crate) fn read(compressed: &[u8], most: u64) -> Result<Part, Flaw> {
        let mut bytes = Vec::new();
        zstd::Decoder::new(compressed)
            .and_then(|decoder| decoder.take(most + 1).read_to_end(&mut bytes))
            .map_err(|_| Flaw::Damaged)?;
        if bytes.len() as u64 > most {
            return Err(Flaw::TooLarge);
        }
        Part::parse(&bytes, most).ok_or(Flaw::Damaged)?
    }

    /// `None` where it is damaged.
    fn parse(bytes: &[u8], most: u64) -> Option<Result<Part, Flaw>> {
        let mut rest = Reader(bytes);
        let shapes: Vec<Shape> = serde_json::from_slice(rest.piece()?).ok()?;
        let sound = |shape: &Shape| shape.key.iter().all(|at| *at < shape.columns.len());
        if !shapes.iter().all(sound) {
            return None;
        }
        let mut numbers = Reader(rest.piece()?);
        let mut columns = Vec::new();
        for shape in &shapes {
            let mut cells = Vec::new();
            for _ in &shape.columns {
                cells.push((Reader(rest.piece()?), Vec::new()));
            }
            columns.push(cells);
        }
        let (mut steps, mut cells) = (Vec::new(), Vec::new());
        let mut memory = 0;
        while !numbers.0.is_empty() {
            let number = usize::try_from(numbers.number()?).ok()?;
            let table = number / Kind::ALL.len();
            let kind = Kind::ALL[number % Kind::ALL.len()];
            let first = cells.len();
            for at in kind.cells(shapes.get(table)?) {
                let (reader, blob) = &mut columns[table][at];
                let cell = reader.cell(blob)?;
                memory += size_of::<Cell>() as u64 + cell.bytes();
                if memory > most {
                    return Some(Err(Flaw::TooLarge));
                }
                cells.push(cell);
            }
            memory += size_of::<Step>() as u64;
            steps.push(Step { table, kind, first });
        }
        Some(Ok(Part {
            shapes,
            steps,
            cells,
        }))
    }

    /// The cells of a step, in the order of [`Kind::cells`].
    pub(crate) fn cells(&self, step: Step) -> &[Cell] {
        let count = step.kind.cells(&self.shapes[step.table]).count();
        &self.cells[step.first..][..count]
    }
}

/// Bytes that are still to be read.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn take(&mut self, length: u64) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|byte| byte[0])
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn piece(&mut self) -> Option<&'b [u8]> {
        let length = self.number()?;
        self.take(length)
    }

    fn cell(&mut self, blob: &mut Vec<u8>) -> Option<Cell> {
        Some(match self.byte()? {
            NULL => Cell::Null,
            INTEGER => {
                let number = self.number()?;
                Cell::Integer((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
            }
            REAL => {
                let bits = u64::from_le_bytes(self.take(8)?.try_into().ok()?);
                Cell::Real(f64::from_bits(bits))
            }
            TEXT => Cell::Text(self.piece()?.to_vec()),
            BLOB => {
                let shared = usize::try_from(self.number()?).ok()?;
                if shared > blob.len() {
                    return None;
                }
                blob.truncate(shared);
                blob.extend(self.piece()?);
                Cell::Blob(blob.clone())
            }
            small => Cell::Integer(i64::from(small) - ZERO),
        })
    }
}
