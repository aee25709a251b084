//! Ranges of keys, by which several threads share a table.

use crate::hex;
use rusqlite::{Connection, OptionalExtension, params};

/// A range of keys of some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyRange<const BYTES: usize> {
    /// The first key; `None` for the very first row, even with an invalid key.
    from: Option<[u8; BYTES]>,
    /// The key after the last; `None` for the end.
    to: Option<[u8; BYTES]>,
}

impl<const BYTES: usize> KeyRange<BYTES> {
    /// All keys.
    pub const ALL: Self = Self {
        from: None,
        to: None,
    };

    /// The range as an SQL condition on column `board`, empty for all keys.
    #[must_use]
    pub fn condition(self) -> String {
        let from = self.from.map(|key| format!("board >= x'{}'", hex(&key)));
        let to = self.to.map(|key| format!("board < x'{}'", hex(&key)));
        match (from, to) {
            (None, None) => String::new(),
            (Some(one), None) | (None, Some(one)) => format!("WHERE {one}"),
            (Some(from), Some(to)) => format!("WHERE {from} AND {to}"),
        }
    }
}

/// Splits all keys into ranges with this number of positions each, one by one, so that several threads can read a database. If SQLite
/// can't find the next border, the rest is one range: reading it will meet the same error.
pub fn pieces<const BYTES: usize>(
    connection: &Connection,
    positions: u32,
) -> impl Iterator<Item = KeyRange<BYTES>> {
    // The beginning of the next range; `None` after the last.
    let mut next = Some(None);
    std::iter::from_fn(move || {
        let from = next.take()?;
        let to = border(connection, positions, from).unwrap_or_default();
        next = to.map(Some);
        Some(KeyRange { from, to })
    })
}

/// The key that many positions further on.
fn border<const BYTES: usize>(
    connection: &Connection,
    positions: u32,
    from: Option<[u8; BYTES]>,
) -> rusqlite::Result<Option<[u8; BYTES]>> {
    // SQLite skips rows much faster than it returns them.
    let mut next = connection.prepare_cached(
        "SELECT board FROM positions WHERE board > ? ORDER BY board LIMIT 1 OFFSET ?",
    )?;
    let mut last = from.map_or(Vec::new(), Vec::from);
    loop {
        let skip = i64::from(positions) - 1;
        let found = next.query_row(params![last, skip], |row| row.get::<_, Vec<u8>>(0));
        let Some(found) = found.optional()? else {
            return Ok(None);
        };
        match found[..].try_into() {
            Ok(key) => return Ok(Some(key)),
            // Ranges must begin with valid keys.
            Err(_) => last = found,
        }
    }
}
