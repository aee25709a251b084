//! A part of the log: some thousand changes of rows, compressed.
//!
//! A part is one zstd frame with a checksum. Numbers in it are LEB128. It contains: the length of a JSON array of tables, and
//! the array (`name`, `columns`, `key`: places of the key's columns); the length of the steps, and the steps; then,
//! table by table and column by column, a length and the column's cells; then, except where a whole table was logged, a length and
//! the [sum](RowSum) of the rows of each table as the steps left them, minus that of the rows as they were, 8 bytes each,
//! little-endian, and a byte with the version of these sums. A step is 3 × (place of its table) +
//!
//! - 0: a row was inserted; followed by its key.
//! - 1: a row was deleted; all its columns follow.
//! - 2: a row was updated; its new key follows, then all columns as they were.
//!
//! The cells of a column are stored together because they resemble each other. A cell is a byte, followed by more for some: 0
//! NULL; 1 an integer, zigzag LEB128; 2 a floating-point number, 8 bytes, little-endian; 3 text, length and bytes; 4–254 the
//! integers −100–150; 255 a blob: how many bytes it shares with the start of the previous blob in its column, how many follow,
//! and those.

use crate::schema::without_views;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::io::Read;
use std::sync::Arc;

/// The approximate size of a part before it is compressed, in bytes.
const SIZE: usize = 1 << 20;
/// A fast level: a change has to wait for its log.
const LEVEL: i32 = 1;
/// The most memory that a part takes when it is read back, in bytes, without its last row: a step and a cell for each byte,
/// and the shared bytes of blobs.
pub(crate) const MOST: u64 = 64 << 20;

const NULL: u8 = 0;
const INTEGER: u8 = 1;
const REAL: u8 = 2;
const TEXT: u8 = 3;
const BLOB: u8 = 255;
/// The integer 0 in one byte.
const ZERO: i64 = 104;

/// How a row changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RowChange {
    Inserted = 0,
    Deleted = 1,
    Updated = 2,
}

impl RowChange {
    pub(crate) const ALL: [RowChange; 3] =
        [RowChange::Inserted, RowChange::Deleted, RowChange::Updated];

    /// The columns whose cells belong to a step of this kind.
    pub(crate) fn cells(self, shape: &Shape) -> impl Iterator<Item = usize> + '_ {
        let (key, all) = match self {
            RowChange::Inserted => (&shape.key[..], 0),
            RowChange::Deleted => (&[][..], shape.columns.len()),
            RowChange::Updated => (&shape.key[..], shape.columns.len()),
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
    /// Adds a cell. Returns how many bytes it shares with the previous one.
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

/// Collects the steps of a part.
#[derive(Debug)]
pub(crate) struct PartWriter {
    shapes: Arc<[Shape]>,
    steps: Vec<u8>,
    columns: Vec<Vec<Column>>,
    /// Bytes of all cells, including those that blobs share.
    size: usize,
    /// For each table, what the steps add to the sum of its rows; empty if that is not noted.
    sums: Vec<u64>,
}

impl PartWriter {
    pub(crate) fn new(shapes: Arc<[Shape]>) -> PartWriter {
        let columns = |shape: &Shape| vec![Column::default(); shape.columns.len()];
        PartWriter {
            columns: shapes.iter().map(columns).collect(),
            shapes,
            steps: Vec::new(),
            size: 0,
            sums: Vec::new(),
        }
    }

    /// Notes that the sum of a table's rows has changed by this much.
    pub(crate) fn add_to_sum(&mut self, table: usize, more: u64) {
        self.sums.resize(self.shapes.len(), 0);
        self.sums[table] = self.sums[table].wrapping_add(more);
    }

    /// The number of cells of a step of this kind; `None` if there is no such table.
    pub(crate) fn cells(&self, table: usize, kind: RowChange) -> Option<usize> {
        let shape = self.shapes.get(table)?;
        Some(kind.cells(shape).count())
    }

    /// Adds a step with its cells in the order of [`RowChange::cells`].
    pub(crate) fn push<'v>(
        &mut self,
        table: usize,
        kind: RowChange,
        mut cell: impl FnMut(usize) -> ValueRef<'v>,
    ) {
        let step = table * RowChange::ALL.len() + kind as usize;
        put(&mut self.steps, step as u64);
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
        self.steps.is_empty() && self.sums.is_empty()
    }

    /// Returns the part, compressed, and begins the next one.
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
        if !self.sums.is_empty() {
            let sums = self.sums.iter().flat_map(|sum| sum.to_le_bytes());
            let sums: Vec<u8> = sums.chain([SUM_VERSION]).collect();
            piece(&sums);
            self.sums.clear();
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

/// A cell of a row. Text is bytes because SQLite accepts any bytes as text.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Cell {
    Null,
    Integer(i64),
    Real(f64),
    Text(Vec<u8>),
    Blob(Vec<u8>),
}

impl Cell {
    /// The value for SQLite.
    pub(crate) fn value(&self) -> ValueRef<'_> {
        match self {
            Cell::Null => ValueRef::Null,
            Cell::Integer(number) => ValueRef::Integer(*number),
            Cell::Real(number) => ValueRef::Real(*number),
            Cell::Text(text) => ValueRef::Text(text),
            Cell::Blob(blob) => ValueRef::Blob(blob),
        }
    }
}

impl ToSql for Cell {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(self.value()))
    }
}

/// Gives each row of a table a number that differs for different rows. The sum over rows, wrapping, tells whether a table has the same
/// rows in any order.
///
/// Columns without a value don't count, so that a row stays the same if a column is added; `positions.empties` doesn't, because
/// it follows from the board; nor do the name of an imported file and the time of the import, so that the same command on the
/// same contents always writes the same log.
#[derive(Debug)]
pub struct RowSum {
    /// A number for each column; `None` if it doesn't count.
    columns: Vec<Option<u64>>,
}

/// As in the log: sums of another version are not compared.
const SUM_VERSION: u8 = 1;

impl RowSum {
    /// For rows of a table with these columns.
    pub fn new<'c>(table: &str, columns: impl IntoIterator<Item = &'c str>) -> RowSum {
        let number = |column: &str| {
            let is_left_out = matches!(
                (table, column),
                ("positions", "empties") | ("sources", "name" | "imported")
            );
            (!is_left_out).then(|| mixed_bytes(0, column.as_bytes()))
        };
        RowSum {
            columns: columns.into_iter().map(number).collect(),
        }
    }

    /// The number of a row with these cells.
    pub fn of<'v>(&self, cells: impl IntoIterator<Item = ValueRef<'v>>) -> u64 {
        let mut sum = 0;
        for (column, value) in self.columns.iter().zip(cells) {
            let Some(column) = column else { continue };
            let kind = |kind: u64| sum ^ column.wrapping_add(kind);
            sum = match value {
                ValueRef::Null => continue,
                ValueRef::Integer(number) => mixed(kind(1), number.cast_unsigned()),
                // The same number may be stored in either way.
                ValueRef::Real(number) if number as i64 as f64 == number => {
                    mixed(kind(1), (number as i64).cast_unsigned())
                }
                ValueRef::Real(number) => mixed(kind(2), number.to_bits()),
                ValueRef::Text(text) => mixed_bytes(kind(3), text),
                ValueRef::Blob(blob) => mixed_bytes(kind(4), blob),
            };
        }
        // So that sums of rows say something of each row.
        mixed(sum, 0)
    }
}

/// Mixes two words into one: both halves of their product, as wyhash does.
fn mixed(one: u64, other: u64) -> u64 {
    let one = one ^ 0x9e37_79b9_7f4a_7c15;
    let other = other ^ 0xd1b5_4a32_d192_ed03;
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}

fn mixed_bytes(start: u64, bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = words.iter().chain([&last]);
    words.fold(mixed(start, bytes.len() as u64), |sum, word| {
        mixed(sum, u64::from_le_bytes(*word))
    })
}

/// Why a part can't be read back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flaw {
    /// It can't be parsed.
    Damaged,
    /// It expands to more than is allowed.
    TooLarge,
}

/// A part that was read back.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) shapes: Vec<Shape>,
    pub(crate) steps: Vec<Step>,
    cells: Vec<Cell>,
    /// For each table, what the steps added to the sum of its rows; `None` if that wasn't noted.
    pub(crate) sums: Option<Vec<u64>>,
}

/// The change of one row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    pub(crate) table: usize,
    pub(crate) kind: RowChange,
    /// The place of its first cell.
    first: usize,
}

impl Part {
    /// Reads what [`PartWriter::take`] returned, if that takes no more than about `most` bytes of memory.
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

    /// Returns `None` if it is damaged.
    fn parse(bytes: &[u8], most: u64) -> Option<Result<Part, Flaw>> {
        let mut rest = PartBytes(bytes);
        let shapes: Vec<Shape> = serde_json::from_slice(rest.piece()?).ok()?;
        let sound = |shape: &Shape| shape.key.iter().all(|at| *at < shape.columns.len());
        if !shapes.iter().all(sound) {
            return None;
        }
        let mut numbers = PartBytes(rest.piece()?);
        let mut column = |_: &String| Some((PartBytes(rest.piece()?), Vec::new()));
        let mut columns = Vec::new();
        for shape in &shapes {
            let cells: Option<Vec<_>> = shape.columns.iter().map(&mut column).collect();
            columns.push(cells?);
        }
        let (mut steps, mut cells) = (Vec::new(), Vec::new());
        let mut memory = 0;
        while !numbers.0.is_empty() {
            let number = usize::try_from(numbers.number()?).ok()?;
            let table = number / RowChange::ALL.len();
            let kind = RowChange::ALL[number % RowChange::ALL.len()];
            let first = cells.len();
            for at in kind.cells(shapes.get(table)?) {
                let (reader, blob) = &mut columns[table][at];
                let cell = reader.cell(blob)?;
                let bytes = cell.value().as_bytes().map_or(0, <[u8]>::len);
                memory += (size_of::<Cell>() + bytes) as u64;
                if memory > most {
                    return Some(Err(Flaw::TooLarge));
                }
                cells.push(cell);
            }
            memory += size_of::<Step>() as u64;
            if memory > most {
                return Some(Err(Flaw::TooLarge));
            }
            steps.push(Step { table, kind, first });
        }
        let sums = rest.piece().and_then(|sums| {
            let (sums, version) = sums.as_chunks();
            let sums = sums.iter().map(|sum| u64::from_le_bytes(*sum));
            (version == [SUM_VERSION]).then(|| sums.collect())
        });
        Some(Ok(Part {
            sums: sums.filter(|sums: &Vec<u64>| sums.len() == shapes.len()),
            shapes,
            steps,
            cells,
        }))
    }

    /// The sum of the rows, if all steps are deletions.
    pub(crate) fn rows_sum(&self) -> u64 {
        let row_sums: Vec<RowSum> = self.shapes.iter().map(Shape::row_sum).collect();
        let sum = |step: &Step| {
            let cells = self.cells(*step).iter().map(Cell::value);
            row_sums[step.table].of(cells)
        };
        self.steps.iter().map(sum).fold(0, u64::wrapping_add)
    }

    /// The cells of a step, in the order of [`RowChange::cells`].
    pub(crate) fn cells(&self, step: Step) -> &[Cell] {
        let count = step.kind.cells(&self.shapes[step.table]).count();
        &self.cells[step.first..][..count]
    }
}

/// The bytes that are still to be read.
struct PartBytes<'b>(&'b [u8]);

impl<'b> PartBytes<'b> {
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

/// The shape of a table: what the log must know to restore its rows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Shape {
    pub(crate) name: String,
    pub(crate) columns: Vec<String>,
    /// The places in `columns` of those that tell rows apart.
    pub(crate) key: Vec<usize>,
}

/// The key of a table, unless that is declared `WITHOUT ROWID`.
const ROWID: &str = "_rowid_";
/// The table in which SQLite counts for AUTOINCREMENT.
pub(crate) const SEQUENCE: &str = "sqlite_sequence";

impl Shape {
    /// The table [`SEQUENCE`].
    pub(crate) fn of_sequence() -> Shape {
        let columns = ["name", "seq"].map(|column| (column.to_owned(), 0));
        Shape::new(SEQUENCE.to_owned(), false, columns.into())
    }

    /// All tables of a database, including a user's own, but without those for history, learning and row counts.
    pub(crate) fn all(connection: &Connection) -> rusqlite::Result<Vec<Shape>> {
        without_views(connection, |connection| {
            let mut tables = connection.prepare(
                "SELECT name, wr FROM pragma_table_list
                 WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                   AND name NOT IN ('history', 'undo', 'row_counts', 'tasks', 'learning', 'learned')
                 ORDER BY name",
            )?;
            // Generated columns follow from the others.
            let mut columns = connection.prepare(
                "SELECT name, pk FROM pragma_table_xinfo(?, 'main') WHERE hidden = 0 ORDER BY cid",
            )?;
            let mut shapes = Vec::new();
            let mut rows = tables.query([])?;
            while let Some(row) = rows.next()? {
                let (name, without_rowid): (String, bool) = (row.get(0)?, row.get(1)?);
                let columns: Vec<(String, u16)> = columns
                    .query_map([&name], |row| Ok((row.get(0)?, row.get(1)?)))?
                    .collect::<Result<_, _>>()?;
                shapes.push(Shape::new(name, without_rowid, columns));
            }
            Ok(shapes)
        })
    }

    /// `columns` come with their places in the primary key, 0 for those outside it.
    fn new(name: String, without_rowid: bool, mut columns: Vec<(String, u16)>) -> Shape {
        if !without_rowid {
            // Its key is the row number.
            columns.iter_mut().for_each(|(_, place)| *place = 0);
            columns.insert(0, (ROWID.to_owned(), 1));
        }
        let mut key: Vec<usize> = (0..columns.len()).filter(|at| columns[*at].1 > 0).collect();
        key.sort_unstable_by_key(|at| columns[*at].1);
        let columns = columns.into_iter().map(|(name, _)| name).collect();
        Shape { name, columns, key }
    }

    /// Its name as SQL.
    pub(crate) fn sql_name(&self) -> String {
        quoted(&self.name)
    }

    /// The numbering of the rows of this table.
    pub(crate) fn row_sum(&self) -> RowSum {
        RowSum::new(&self.name, self.columns.iter().map(String::as_str))
    }

    /// Shows the cells of the rows in the table while `show` wants more, and returns the sum of those rows.
    pub(crate) fn each_row(
        &self,
        connection: &Connection,
        mut show: impl FnMut(&[ValueRef<'_>]) -> bool,
    ) -> rusqlite::Result<u64> {
        let (columns, table) = (self.sql_columns(""), self.sql_name());
        let select = format!("SELECT {columns} FROM main.{table}");
        let mut select = connection.prepare(&select)?;
        let mut rows = select.query([])?;
        let row_sum = self.row_sum();
        let mut sum = 0_u64;
        while let Some(row) = rows.next()? {
            // SQLite takes most of the time, so each cell is read once.
            let cells = (0..self.columns.len()).map(|cell| row.get_ref_unwrap(cell));
            let cells: SmallVec<[ValueRef<'_>; 16]> = cells.collect();
            sum = sum.wrapping_add(row_sum.of(cells.iter().copied()));
            if !show(&cells) {
                break;
            }
        }
        Ok(sum)
    }

    /// All columns as SQL, each after `prefix`.
    pub(crate) fn sql_columns(&self, prefix: &str) -> String {
        list(&self.columns, prefix)
    }

    /// The columns of the key as SQL, each after `prefix`.
    pub(crate) fn sql_key(&self, prefix: &str) -> String {
        list(self.key.iter().map(|at| &self.columns[*at]), prefix)
    }

    /// Every column and its parameter, between them `between`, from parameter `first` on.
    pub(crate) fn sql_pairs(&self, places: &[usize], first: usize, between: &str) -> String {
        let pairs = (first..).zip(places);
        let pairs = pairs.map(|(number, at)| format!("{} = ?{number}", quoted(&self.columns[*at])));
        pairs.collect::<Vec<_>>().join(between)
    }
}

fn list<'a>(names: impl IntoIterator<Item = &'a String>, prefix: &str) -> String {
    let name = |name: &String| format!("{prefix}{}", quoted(name));
    names.into_iter().map(name).collect::<Vec<_>>().join(", ")
}

/// A name as SQL.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A step of a table without columns has a byte in the log.
    #[test]
    fn steps_without_cells_take_memory() {
        let shape = Shape {
            name: String::from("table"),
            columns: Vec::new(),
            key: Vec::new(),
        };
        let shapes = serde_json::to_vec(&[shape]).unwrap();
        let mut bytes = Vec::new();
        for piece in [&shapes[..], &[0; 1000]] {
            put(&mut bytes, piece.len() as u64);
            bytes.extend(piece);
        }
        let read = |most| Part::parse(&bytes, most);
        assert!(matches!(read(4000), Some(Err(Flaw::TooLarge))));
        assert!(matches!(read(1 << 20), Some(Ok(_))));
    }

    fn cells() -> impl Strategy<Value = Cell> {
        prop_oneof![
            Just(Cell::Null),
            prop_oneof![-3..3_i64, any::<i64>()].prop_map(Cell::Integer),
            prop_oneof![
                Just(0.5),
                any::<f64>().prop_filter("SQLite has no NaN", |it| !it.is_nan())
            ]
            .prop_map(Cell::Real),
            prop::collection::vec(0..3_u8, 0..20).prop_map(Cell::Text),
            prop::collection::vec(0..3_u8, 0..20).prop_map(Cell::Blob),
        ]
    }

    fn sum(row: &[Cell]) -> u64 {
        let names = ["a", "b", "c", "d"];
        RowSum::new("table", names).of(row.iter().map(Cell::value))
    }

    /// As SQLite compares them: the same number may be stored in either way.
    fn same(one: &Cell, other: &Cell) -> bool {
        let whole = |cell: &Cell| match cell {
            Cell::Real(number) if *number as i64 as f64 == *number => Cell::Integer(*number as i64),
            cell => cell.clone(),
        };
        whole(one) == whole(other)
    }

    proptest! {
        #[test]
        fn rows_have_the_same_number_if_they_are_the_same(
            one in prop::collection::vec(cells(), 4),
            other in prop::collection::vec(cells(), 4),
            place in 0..4_usize,
        ) {
            let mut changed = one.clone();
            changed[place] = other[place].clone();
            prop_assert_eq!(sum(&one) == sum(&changed), same(&one[place], &changed[place]));
            changed.swap(place, 0);
            prop_assert_eq!(
                sum(&one) == sum(&changed),
                one.iter().zip(&changed).all(|(one, other)| same(one, other))
            );
            let one_more = [&one[..], &[Cell::Null]].concat();
            let with_one_more = RowSum::new("table", ["a", "b", "c", "d", "new"]);
            prop_assert_eq!(with_one_more.of(one_more.iter().map(Cell::value)), sum(&one));
        }
    }
}
