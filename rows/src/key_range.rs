//! Parts of all keys, so that several threads can read a database at once.

use rusqlite::{Connection, OptionalExtension, Result, params};

/// A part of all keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyRange {
    /// The first key; `None` for whatever is first, keys that are none included.
    from: Option<[u8; 16]>,
    /// The key before which it ends; `None` for the end.
    to: Option<[u8; 16]>,
}

impl KeyRange {
    /// All keys.
    pub const ALL: KeyRange = KeyRange {
        from: None,
        to: None,
    };

    /// As a condition of SQL.
    pub(crate) fn condition(self) -> String {
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

/// Ranges in order that together are all keys, each of so many positions; they are found one by one. Where SQLite can't
/// find the next, the rest is one range: reading it meets the same error.
#[derive(Debug)]
pub struct Pieces<'c> {
    connection: &'c Connection,
    positions: u32,
    /// Where the next range begins; `None` behind the last.
    from: Option<Option<[u8; 16]>>,
}

impl<'c> Pieces<'c> {
    /// Ranges of so many positions, as the connection sees them.
    #[must_use]
    pub fn new(connection: &'c Connection, positions: u32) -> Pieces<'c> {
        Pieces {
            connection,
            positions,
            from: Some(None),
        }
    }

    /// The key behind so many positions.
    fn border(&self, from: Option<[u8; 16]>) -> Result<Option<[u8; 16]>> {
        // SQLite skips rows by itself much faster than it hands them out.
        let mut next = self.connection.prepare_cached(
            "SELECT board FROM positions WHERE board > ? ORDER BY board LIMIT 1 OFFSET ?",
        )?;
        let mut last = from.map_or(Vec::new(), Vec::from);
        loop {
            let skip = i64::from(self.positions) - 1;
            let found: Option<Vec<u8>> = next
                .query_row(params![last, skip], |row| row.get(0))
                .optional()?;
            match found {
                None => return Ok(None),
                Some(found) => match found[..].try_into() {
                    Ok(key) => return Ok(Some(key)),
                    // Ranges begin with keys.
                    Err(_) => last = found,
                },
            }
        }
    }
}

impl Iterator for Pieces<'_> {
    type Item = KeyRange;

    fn next(&mut self) -> Option<KeyRange> {
        let from = self.from.take()?;
        let to = self.border(from).unwrap_or_default();
        self.from = to.map(Some);
        Some(KeyRange { from, to })
    }
}
