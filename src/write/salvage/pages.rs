//! The pages of a SQLite file, each by itself.
//!
//! The tables of a book are trees of index pages, whose cells are rows; see SQLite's documentation of its file
//! format. Each page tells which rows it holds, so of a damaged file every page that is left can be read.

use obook_base::is_sqlite;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// SQLite's default page size.
const USUAL_SIZE: usize = 4096;
/// Bytes of the file header, which precedes the first page's own header.
const FILE_HEADER: usize = 100;

/// A file as pages, numbered from 1.
pub(super) struct Pages {
    file: File,
    pub(super) size: usize,
    /// Usable bytes of a page.
    usable: usize,
    pub(super) count: u32,
    /// Whether the file begins like a SQLite database.
    has_header: bool,
}

impl Pages {
    /// Opens a file for reading and writing. If it doesn't name its page size, the default is assumed. Less than a page at the
    /// end is not a page.
    pub(super) fn open(path: &Path) -> io::Result<Pages> {
        let mut file = File::options().read(true).write(true).open(path)?;
        let mut header = Vec::new();
        let mut start = (&mut file).take(FILE_HEADER as u64);
        start.read_to_end(&mut header)?;
        header.resize(FILE_HEADER, 0);
        let size = page_size(&header);
        let usable = size - usize::from(header[20]);
        let bytes = file.metadata()?.len();
        Ok(Pages {
            file,
            size,
            // SQLite guarantees at least 480 bytes.
            usable: if usable < 480 { size } else { usable },
            count: u32::try_from(bytes / size as u64).unwrap_or(u32::MAX),
            has_header: is_sqlite(&header),
        })
    }

    /// Reads a page; a page that doesn't exist is all zeros.
    pub(super) fn read(&mut self, number: u32) -> io::Result<Page> {
        let mut bytes = vec![0; self.size];
        if (1..=self.count).contains(&number) {
            self.seek(number)?;
            self.file.read_exact(&mut bytes)?;
        }
        bytes.truncate(self.usable);
        let start = if number == 1 { FILE_HEADER } else { 0 };
        Ok(Page { bytes, start })
    }

    /// Overwrites pages of any tree with zeros if they contradict themselves, so that nobody takes what a cell pointer
    /// happens to hit for a row. Returns their number.
    pub(super) fn blank_damaged(&mut self) -> io::Result<u64> {
        let mut blanked = 0;
        for number in 2..=self.count {
            let page = self.read(number)?;
            if page.is_of_tree() && !page.adds_up() {
                self.seek(number)?;
                self.file.write_all(&vec![0; self.size])?;
                blanked += 1;
            }
        }
        Ok(blanked)
    }

    fn seek(&mut self, number: u32) -> io::Result<u64> {
        let offset = u64::from(number - 1) * self.size as u64;
        self.file.seek(SeekFrom::Start(offset))
    }

    /// The free pages, whose rows were deleted. `None` if their list is damaged: if it leads to a page that is `used`, or has
    /// another length than the header says. If there is no header, no page is known to be free.
    pub(super) fn free(&mut self, used: &HashSet<u32>) -> io::Result<Option<HashSet<u32>>> {
        let mut free = HashSet::new();
        if !self.has_header {
            return Ok(Some(free));
        }
        let header = self.read(1)?;
        let expected = header.number(36).unwrap_or(0);
        let mut trunk = header.number(32).unwrap_or(0);
        while trunk != 0 {
            let page = self.read(trunk)?;
            let leaves = page.number(4).unwrap_or(0) as usize;
            let leaves = (0..leaves).map(|place| page.number(8 + 4 * place));
            for number in std::iter::once(Some(trunk)).chain(leaves) {
                let is_page = |number: &u32| (1..=self.count).contains(number);
                let number = number.filter(is_page);
                if !number.is_some_and(|it| !used.contains(&it) && free.insert(it)) {
                    return Ok(None);
                }
            }
            trunk = page.number(0).unwrap_or(0);
        }
        Ok((free.len() == expected as usize).then_some(free))
    }
}

/// The page size that a file header names, or else the default.
fn page_size(header: &[u8]) -> usize {
    match u16::from_be_bytes([header[16], header[17]]) {
        1 => 1 << 16,
        size if size.is_power_of_two() && size >= 512 => size.into(),
        _ => USUAL_SIZE,
    }
}

/// A page, or what is left of it.
pub(super) struct Page {
    bytes: Vec<u8>,
    start: usize,
}

/// A cell of an index page.
pub(super) struct Cell {
    /// The page with the rows before it, if it is on an interior page.
    pub(super) child: Option<u32>,
    /// `None` if it can't be read.
    pub(super) row: Option<Vec<Value>>,
}

/// The kinds of pages in trees.
const INDEX_INTERIOR: u8 = 2;
const TABLE_INTERIOR: u8 = 5;
const INDEX_LEAF: u8 = 10;
const TABLE_LEAF: u8 = 13;

impl Page {
    fn kind(&self) -> u8 {
        self.bytes[self.start]
    }

    /// Whether it is a page of a tree. Others begin with a page number of four bytes, which is less than these kinds would be.
    fn is_of_tree(&self) -> bool {
        let kinds = [INDEX_INTERIOR, TABLE_INTERIOR, INDEX_LEAF, TABLE_LEAF];
        kinds.contains(&self.kind())
    }

    /// Whether it is an index page, as those of our tables are.
    pub(super) fn is_of_index(&self) -> bool {
        [INDEX_INTERIOR, INDEX_LEAF].contains(&self.kind())
    }

    fn is_interior(&self) -> bool {
        [INDEX_INTERIOR, TABLE_INTERIOR].contains(&self.kind())
    }

    /// The page with the rows behind all cells.
    pub(super) fn last_child(&self) -> Option<u32> {
        self.number(self.start + 8).filter(|_| self.is_interior())
    }

    /// The cells of an index page.
    pub(super) fn cells(&self) -> Vec<Cell> {
        let is_interior = self.is_interior();
        let cells = self.offsets().filter(|_| self.is_of_index());
        let read = |cell: usize| {
            let (length, payload) = varint(self.bytes.get(cell + 4 * usize::from(is_interior)..)?)?;
            // Our rows are too short to overflow to another page.
            values(payload.get(..usize::try_from(length).ok()?)?)
        };
        let cells = cells.map(|cell| Cell {
            child: self.number(cell).filter(|_| is_interior),
            row: read(cell),
        });
        cells.collect()
    }

    /// The offsets of its cells.
    fn offsets(&self) -> impl Iterator<Item = usize> {
        let count = self.short(self.start + 3).unwrap_or(0);
        let first = self.start + self.header();
        (0..count).map_while(move |cell| self.short(first + 2 * cell))
    }

    fn header(&self) -> usize {
        if self.is_interior() { 12 } else { 8 }
    }

    /// Whether cells and free blocks fill the page as its header says, without overlap, and the row numbers of a table ascend.
    fn adds_up(&self) -> bool {
        self.fragments() == Some(self.bytes[self.start + 7].into())
    }

    /// The bytes that neither cells nor free blocks use; `None` if it contradicts itself.
    fn fragments(&self) -> Option<usize> {
        let count = self.short(self.start + 3)?;
        let pointers_end = self.start + self.header() + 2 * count;
        let content = match self.short(self.start + 5)? {
            0 => 1 << 16,
            content => content,
        };
        let mut used = Vec::new();
        let mut last = None;
        for cell in self.offsets() {
            let (length, number) = self.cell(cell)?;
            used.push((cell, cell + length.max(4)));
            if number.is_some() && number <= last {
                return None;
            }
            last = number;
        }
        let mut free = self.short(self.start + 1)?;
        while free != 0 {
            let (next, length) = (self.short(free)?, self.short(free + 2)?);
            used.push((free, free + length));
            if next != 0 && next < free + length.max(4) {
                return None;
            }
            free = next;
        }
        used.sort_unstable();
        let mut end = content;
        let mut unused = 0;
        for (from, to) in used {
            unused += from.checked_sub(end)?;
            end = to;
        }
        unused += self.bytes.len().checked_sub(end)?;
        (pointers_end <= content).then_some(unused)
    }

    /// The length of a cell, and its row number if it is of a table.
    fn cell(&self, at: usize) -> Option<(usize, Option<i64>)> {
        let cell = self.bytes.get(at..)?;
        let mut rest = cell.get(if self.is_interior() { 4 } else { 0 }..)?;
        let mut payload = 0;
        if self.kind() != TABLE_INTERIOR {
            (payload, rest) = varint(rest)?;
        }
        let mut number = None;
        if !self.is_of_index() {
            let (found, behind) = varint(rest)?;
            (number, rest) = (Some(found.cast_signed()), behind);
        }
        let local = self.local(usize::try_from(payload).ok()?);
        Some((cell.len() - rest.len() + local, number))
    }

    /// How many bytes of a payload are on the page, with the number of the page where it continues.
    fn local(&self, payload: usize) -> usize {
        let usable = self.bytes.len();
        let share = |parts: usize| (usable - 12) * parts / 255 - 23;
        let most = match self.is_of_index() {
            true => share(64),
            false => usable - 35,
        };
        if payload <= most {
            return payload;
        }
        let least = share(32);
        let fitting = least + (payload - least) % (usable - 4);
        4 + if fitting <= most { fitting } else { least }
    }

    fn short(&self, at: usize) -> Option<usize> {
        let bytes = self.bytes.get(at..at + 2)?;
        Some(u16::from_be_bytes([bytes[0], bytes[1]]).into())
    }

    fn number(&self, at: usize) -> Option<u32> {
        let bytes = self.bytes.get(at..at + 4)?;
        Some(u32::from_be_bytes(bytes.try_into().ok()?))
    }
}

/// The contents of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value {
    Null,
    Integer(i64),
    /// A blob of 16 bytes.
    Key([u8; 16]),
    /// Anything that can't be in a row of a position.
    Other,
}

/// The columns of a record; `None` if it contradicts itself.
fn values(record: &[u8]) -> Option<Vec<Value>> {
    let (header_length, _) = varint(record)?;
    let (header, mut body) = record.split_at_checked(usize::try_from(header_length).ok()?)?;
    let (_, mut header) = varint(header)?;
    let mut values = Vec::new();
    while !header.is_empty() {
        let (kind, rest) = varint(header)?;
        header = rest;
        let length = match kind {
            0 | 8 | 9 => 0,
            1..=4 => kind,
            5 => 6,
            6 | 7 => 8,
            12.. => (kind - 12) / 2,
            10 | 11 => return None,
        };
        let (bytes, rest) = body.split_at_checked(usize::try_from(length).ok()?)?;
        body = rest;
        values.push(match kind {
            0 => Value::Null,
            8 | 9 => Value::Integer(kind as i64 - 8),
            1..=6 => Value::Integer(integer(bytes)),
            44 => Value::Key(bytes.try_into().ok()?),
            _ => Value::Other,
        });
    }
    body.is_empty().then_some(values)
}

/// A signed big-endian number of one to eight bytes.
fn integer(bytes: &[u8]) -> i64 {
    let negative = bytes.first().is_some_and(|byte| byte & 0x80 != 0);
    let before = if negative { -1 } else { 0 };
    let bytes = bytes.iter().copied();
    bytes.fold(before, |number, byte| (number << 8) | i64::from(byte))
}

/// A number of one to nine bytes, and the bytes after it.
fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0;
    for (place, byte) in bytes.iter().take(8).enumerate() {
        number = (number << 7) | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((number, &bytes[place + 1..]));
        }
    }
    let last = *bytes.get(8)?;
    Some(((number << 8) | u64::from(last), &bytes[9..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    #[test]
    fn rows_are_what_sqlite_wrote() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.db");
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch(
                "CREATE TABLE t (board BLOB PRIMARY KEY, a INTEGER, b TEXT) WITHOUT ROWID; BEGIN",
            )
            .unwrap();
        let numbers = [
            0,
            1,
            -1,
            127,
            -128,
            300,
            -40_000,
            1 << 40,
            i64::MIN,
            i64::MAX,
        ];
        let mut expected = Vec::new();
        for (number, a) in numbers.into_iter().cycle().take(2000).enumerate() {
            let key = (number as u128 * 977).to_be_bytes();
            let b = (number % 3 == 0).then_some("text");
            connection
                .execute("INSERT INTO t VALUES (?, ?, ?)", (key, a, b))
                .unwrap();
            let b = b.map_or(Value::Null, |_| Value::Other);
            expected.push([Value::Key(key), Value::Integer(a), b]);
        }
        connection.execute_batch("COMMIT").unwrap();
        drop(connection);
        let mut pages = Pages::open(&path).unwrap();
        let mut found = Vec::new();
        for number in 1..=pages.count {
            let page = pages.read(number).unwrap();
            assert!(number == 1 || page.adds_up(), "{number}");
            let rows = page.cells().into_iter().map(|cell| cell.row.unwrap());
            found.extend(rows.map(|row| <[Value; 3]>::try_from(row).unwrap()));
        }
        let key = |row: &[Value; 3]| match row[0] {
            Value::Key(key) => key,
            _ => unreachable!("{row:?}"),
        };
        found.sort_by_key(key);
        assert_eq!(found, expected);
    }

    #[test]
    fn any_bytes_are_read_without_harm() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("noise");
        let mut state = 7_u64;
        let noise = std::iter::repeat_with(|| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 56) as u8
        });
        let mut bytes: Vec<u8> = noise.take(40 * 512).collect();
        bytes[16..18].copy_from_slice(&512_u16.to_be_bytes());
        bytes[20] = 0;
        for (number, page) in bytes.chunks_mut(512).enumerate() {
            page[if number == 0 { 100 } else { 0 }] = if number % 2 == 0 { 0x0a } else { 0x02 };
        }
        std::fs::write(&path, bytes).unwrap();
        let mut pages = Pages::open(&path).unwrap();
        assert_eq!(pages.count, 40);
        pages.free(&HashSet::new()).unwrap();
        for number in 0..50 {
            let page = pages.read(number).unwrap();
            let (_, _) = (page.cells(), page.last_child());
        }
        assert_eq!(pages.blank_damaged().unwrap(), 39);
    }
}
