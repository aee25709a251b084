//! The rows of a book as they stand, whatever anybody wrote into them: for those who look for damage.

use crate::{Error, Result};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, Rows, params};
use std::path::Path;

/// A cell that should hold a number or NULL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RawCell {
    Null,
    Integer(i64),
    /// Text, a blob or a fraction.
    Other,
}

/// A row of `links`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RawLink {
    pub(crate) mv: RawCell,
    pub(crate) score: RawCell,
}

/// A row of `leaves`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RawLeaf {
    pub(crate) mv: RawCell,
    pub(crate) score: RawCell,
    pub(crate) level: RawCell,
    pub(crate) engine: RawCell,
}

/// A row of `positions` with the rows of the other tables that have its key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RawPosition {
    pub(crate) key: [u8; 16],
    pub(crate) empties: RawCell,
    pub(crate) value: RawCell,
    pub(crate) bounds: [RawCell; 2],
    pub(crate) level: RawCell,
    pub(crate) engine: RawCell,
    pub(crate) outcomes: [RawCell; 3],
    pub(crate) lines: RawCell,
    pub(crate) unsearched: RawCell,
    pub(crate) links: Vec<RawLink>,
    pub(crate) leaf: Option<RawLeaf>,
}

/// A row that belongs to no position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Stray {
    /// A row of another table whose key no position has.
    Orphan { table: &'static str, key: [u8; 16] },
    /// A row whose key is no blob of 16 bytes.
    BadKey { table: &'static str, found: String },
}

/// What a walk over the tables meets.
pub(crate) type Met = Result<RawPosition, Stray>;

/// A part of all keys, so that several threads can read a database at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct KeyRange {
    /// The first key; `None` for whatever is first, keys that are none included.
    from: Option<[u8; 16]>,
    /// The key before which it ends; `None` for the end.
    to: Option<[u8; 16]>,
}

impl KeyRange {
    pub(crate) const ALL: KeyRange = KeyRange {
        from: None,
        to: None,
    };

    /// Ranges in order that together are all keys, each of so many positions.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub(crate) fn split(
        connection: &Connection,
        path: &Path,
        positions: usize,
    ) -> Result<Vec<KeyRange>> {
        // SQLite skips rows by itself much faster than it hands them out.
        let mut next = connection
            .prepare("SELECT board FROM positions WHERE board > ? ORDER BY board LIMIT 1 OFFSET ?")
            .map_err(Error::sqlite(path, "read"))?;
        let (mut ranges, mut from, mut last) = (Vec::new(), None, Vec::new());
        while let Some(found) = next
            .query_row(params![last, positions as i64 - 1], |row| row.get(0))
            .optional()
            .map_err(Error::sqlite(path, "read"))?
        {
            last = found;
            if let Ok(key) = last[..].try_into() {
                let to = Some(key);
                ranges.push(KeyRange { from, to });
                from = to;
            }
        }
        ranges.push(KeyRange { from, to: None });
        Ok(ranges)
    }

    /// As a condition of SQL.
    fn condition(self) -> String {
        let hex = |key: [u8; 16]| format!("x'{:032x}'", u128::from_be_bytes(key));
        let from = self.from.map(|key| format!("board >= {}", hex(key)));
        let to = self.to.map(|key| format!("board < {}", hex(key)));
        match (from, to) {
            (None, None) => String::new(),
            (Some(one), None) | (None, Some(one)) => format!("WHERE {one}"),
            (Some(from), Some(to)) => format!("WHERE {from} AND {to}"),
        }
    }
}

/// Shows everything in a range to `visit` in key order. The caller sees to it that nobody writes meanwhile.
///
/// # Errors
/// [`Error::Sqlite`] where the tables can't be read, and whatever `visit` returns.
pub(crate) fn scan_raw(
    connection: &Connection,
    path: &Path,
    range: KeyRange,
    mut visit: impl FnMut(Met) -> Result<()>,
) -> Result<()> {
    let failed = || Error::sqlite(path, "read");
    let condition = range.condition();
    let prepare = |select: &str, order: &str| {
        let sql = format!("SELECT {select} {condition} ORDER BY {order}");
        connection.prepare(&sql).map_err(failed())
    };
    let mut positions = prepare(
        "board, empties, value, lower, upper, level, engine, wins, draws, losses, lines, unsearched FROM positions",
        "board",
    )?;
    let mut links = prepare("board, move, score FROM links", "board, move")?;
    let mut leaves = prepare("board, move, score, level, engine FROM leaves", "board")?;
    let mut positions = Table {
        name: "positions",
        rows: positions.query([]).map_err(failed())?,
        path,
        next: None,
    };
    let mut links = Table {
        name: "links",
        rows: links.query([]).map_err(failed())?,
        path,
        next: None,
    };
    let mut leaves = Table {
        name: "leaves",
        rows: leaves.query([]).map_err(failed())?,
        path,
        next: None,
    };
    links.advance(link, &mut visit)?;
    leaves.advance(leaf, &mut visit)?;
    positions.advance(position, &mut visit)?;
    while let Some((key, mut found)) = positions.next.take() {
        links.skip_to(Some(key), link, &mut visit)?;
        while let Some((_, link)) = links.next.take_if(|(next, _)| *next == key) {
            found.links.push(link);
            links.advance(self::link, &mut visit)?;
        }
        leaves.skip_to(Some(key), leaf, &mut visit)?;
        if let Some((_, leaf)) = leaves.next.take_if(|(next, _)| *next == key) {
            found.leaf = Some(leaf);
            leaves.advance(self::leaf, &mut visit)?;
        }
        visit(Ok(found))?;
        positions.advance(position, &mut visit)?;
    }
    links.skip_to(None, link, &mut visit)?;
    leaves.skip_to(None, leaf, &mut visit)
}

/// A table on a walk in key order, and its next row.
struct Table<'r, T> {
    name: &'static str,
    rows: Rows<'r>,
    path: &'r Path,
    next: Option<([u8; 16], T)>,
}

impl<T> Table<'_, T> {
    /// Goes on to the next row that has a key; rows that have none are shown.
    fn advance(
        &mut self,
        read: fn([u8; 16], &Row<'_>) -> T,
        visit: &mut impl FnMut(Met) -> Result<()>,
    ) -> Result<()> {
        let failed = || Error::sqlite(self.path, "read");
        self.next = None;
        while let Some(row) = self.rows.next().map_err(failed())? {
            let cell = row.get_ref(0).map_err(failed())?;
            if let ValueRef::Blob(blob) = cell
                && let Ok(key) = blob.try_into()
            {
                self.next = Some((key, read(key, row)));
                break;
            }
            let found = match cell {
                ValueRef::Blob(blob) => format!("{} bytes", blob.len()),
                other => format!("{:?}", other.data_type()).to_lowercase(),
            };
            visit(Err(Stray::BadKey {
                table: self.name,
                found,
            }))?;
        }
        Ok(())
    }

    /// Shows the rows before `key`, which belong to no position.
    fn skip_to(
        &mut self,
        key: Option<[u8; 16]>,
        read: fn([u8; 16], &Row<'_>) -> T,
        visit: &mut impl FnMut(Met) -> Result<()>,
    ) -> Result<()> {
        while let Some((orphan, _)) = self
            .next
            .take_if(|(next, _)| key.is_none_or(|key| *next < key))
        {
            visit(Err(Stray::Orphan {
                table: self.name,
                key: orphan,
            }))?;
            self.advance(read, visit)?;
        }
        Ok(())
    }
}

fn cell(row: &Row<'_>, column: usize) -> RawCell {
    match row.get_ref(column) {
        Ok(ValueRef::Null) => RawCell::Null,
        Ok(ValueRef::Integer(number)) => RawCell::Integer(number),
        _ => RawCell::Other,
    }
}

fn position(key: [u8; 16], row: &Row<'_>) -> RawPosition {
    let cell = |column| cell(row, column);
    RawPosition {
        key,
        empties: cell(1),
        value: cell(2),
        bounds: [cell(3), cell(4)],
        level: cell(5),
        engine: cell(6),
        outcomes: [cell(7), cell(8), cell(9)],
        lines: cell(10),
        unsearched: cell(11),
        links: Vec::new(),
        leaf: None,
    }
}

fn link(_: [u8; 16], row: &Row<'_>) -> RawLink {
    RawLink {
        mv: cell(row, 1),
        score: cell(row, 2),
    }
}

fn leaf(_: [u8; 16], row: &Row<'_>) -> RawLeaf {
    RawLeaf {
        mv: cell(row, 1),
        score: cell(row, 2),
        level: cell(row, 3),
        engine: cell(row, 4),
    }
}
