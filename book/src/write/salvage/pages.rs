//! The pages of a SQLite file, each by itself.
//!
//! The tables of a book are trees of index pages, whose cells are rows; see SQLite's documentation of its file
//! format. Each page tells which rows it holds, so of a damaged file every page that is left can be read.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// SQLite's default page size.
const USUAL_SIZE: usize = 4096;
/// Bytes of the file header, which precedes the first page's own header.
const FILE_HEADER: usize = 100;

/// A file as pages, numbered from 1.
pub(super) struct Pages {
    file: File,
    size: usize,
    /// Usable bytes of a page.
    usable: usize,
    count: u32,
}

impl Pages {
    /// Opens a file. If it doesn't name its page size, the default is assumed.
    pub(super) fn open(path: &Path) -> io::Result<Pages> {
        let mut file = File::open(path)?;
        let mut header = Vec::new();
        (&mut file)
            .take(FILE_HEADER as u64)
            .read_to_end(&mut header)?;
        header.resize(FILE_HEADER, 0);
        let size = match u16::from_be_bytes([header[16], header[17]]) {
            1 => 1 << 16,
            size if size.is_power_of_two() && size >= 512 => size.into(),
            _ => USUAL_SIZE,
        };
        let reserved = usize::from(header[20]);
        let bytes = file.metadata()?.len();
        Ok(Pages {
            file,
            size,
            // SQLite guarantees at least 480 bytes.
            usable: if size - reserved < 480 {
                size
            } else {
                size - reserved
            },
            count: u32::try_from(bytes.div_ceil(size as u64)).unwrap_or(u32::MAX),
        })
    }

    /// The number of pages.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Reads a page; beyond the end of the file all bytes are zero.
    pub(super) fn read(&mut self, number: u32) -> io::Result<Page> {
        let offset = u64::from(number.saturating_sub(1)) * self.size as u64;
        self.file.seek(SeekFrom::Start(offset))?;
        let mut bytes = Vec::with_capacity(self.size);
        (&mut self.file)
            .take(self.size as u64)
            .read_to_end(&mut bytes)?;
        bytes.resize(self.usable, 0);
        let start = if number == 1 { FILE_HEADER } else { 0 };
        Ok(Page { bytes, start })
    }

    /// The free pages, whose rows were deleted, as far as their list can be followed.
    pub(super) fn free(&mut self) -> io::Result<PageSet> {
        let mut free = PageSet::new(self.count);
        let mut trunk = self.read(1)?.number(32).unwrap_or(0);
        while free.insert(trunk) {
            let page = self.read(trunk)?;
            let leaves = page.number(4).unwrap_or(0).min(self.usable as u32 / 4);
            for place in 0..leaves as usize {
                free.insert(page.number(8 + 4 * place).unwrap_or(0));
            }
            trunk = page.number(0).unwrap_or(0);
        }
        Ok(free)
    }
}

/// A set of pages.
pub(super) struct PageSet(Vec<bool>);

impl PageSet {
    pub(super) fn new(count: u32) -> PageSet {
        PageSet(vec![false; count as usize + 1])
    }

    /// Adds a page; returns whether it exists and is new to the set.
    pub(super) fn insert(&mut self, number: u32) -> bool {
        match self.0.get_mut(number as usize) {
            Some(is_in) if number > 0 => !std::mem::replace(is_in, true),
            _ => false,
        }
    }
}

/// A page, or what is left of it.
pub(super) struct Page {
    bytes: Vec<u8>,
    start: usize,
}

impl Page {
    /// Whether it is an index page, as those of our tables are.
    pub(super) fn is_of_index(&self) -> bool {
        self.is_leaf() || self.is_interior()
    }

    fn is_leaf(&self) -> bool {
        self.bytes[self.start] == 0x0a
    }

    fn is_interior(&self) -> bool {
        self.bytes[self.start] == 0x02
    }

    /// The pages below it.
    pub(super) fn children(&self) -> Vec<u32> {
        if !self.is_interior() {
            return Vec::new();
        }
        let mut children: Vec<u32> = self.cells().filter_map(|cell| self.number(cell)).collect();
        children.extend(self.number(self.start + 8));
        children
    }

    /// Its legible rows.
    pub(super) fn rows(&self) -> impl Iterator<Item = Vec<Value>> {
        let left_child = if self.is_interior() { 4 } else { 0 };
        self.cells().filter_map(move |cell| {
            let (length, payload) = varint(self.bytes.get(cell + left_child..)?)?;
            // Our rows are too short to overflow to another page.
            values(payload.get(..usize::try_from(length).ok()?)?)
        })
    }

    /// The offsets of its cells.
    fn cells(&self) -> impl Iterator<Item = usize> {
        let header = if self.is_interior() { 12 } else { 8 };
        let count = if self.is_of_index() {
            self.short(self.start + 3).unwrap_or(0)
        } else {
            0
        };
        (0..count).map_while(move |cell| self.short(self.start + header + 2 * cell))
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
    bytes
        .iter()
        .fold(before, |number, byte| (number << 8) | i64::from(*byte))
}

/// A number of one to nine bytes, and the bytes after it.
fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0;
    for place in 0..8 {
        let byte = *bytes.get(place)?;
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
                "CREATE TABLE t (board BLOB PRIMARY KEY, a INTEGER, b TEXT) WITHOUT ROWID",
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
        drop(connection);
        let mut pages = Pages::open(&path).unwrap();
        let mut found = Vec::new();
        for number in 1..=pages.count() {
            let page = pages.read(number).unwrap();
            found.extend(page.rows().map(|row| <[Value; 3]>::try_from(row).unwrap()));
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
        assert_eq!(pages.count(), 40);
        pages.free().unwrap();
        for number in 0..50 {
            let page = pages.read(number).unwrap();
            let (_, _) = (page.children(), page.rows().count());
        }
    }
}
