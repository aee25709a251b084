//! Every file that was ever taken in: table `sources`.

use super::Store;
use crate::Result;
use rusqlite::{Connection, OptionalExtension, Row};

/// A file that was taken in.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Source {
    /// Its name when it was taken in.
    pub name: String,
    /// `edax`, `egbk3`, … or `obook`.
    pub format: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// Positions in it, duplicates counted once.
    pub positions: u64,
    /// Links in it, none where its format has none; of the file that a database was made of, those found among its
    /// positions.
    pub links: u64,
    /// Leaves with a move.
    pub leaves: u64,
    /// Boards that came again.
    pub duplicates: u64,
}

impl Source {
    /// A file that comes again is the newer one of the two.
    pub fn insert(&self, connection: &Connection) -> rusqlite::Result<()> {
        let Source {
            name,
            format,
            sha256,
            positions,
            links,
            leaves,
            duplicates,
        } = self;
        connection
            .execute(
                "INSERT INTO sources (name, format, sha256, positions, links, leaves, duplicates, imported, current)
                 VALUES (?, ?, ?, ?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), 1)
                 ON CONFLICT (sha256) DO UPDATE SET
                     name = excluded.name, format = excluded.format, positions = excluded.positions,
                     links = excluded.links, leaves = excluded.leaves, duplicates = excluded.duplicates,
                     imported = excluded.imported, current = 1",
                rusqlite::params![
                    name,
                    format,
                    sha256,
                    positions.cast_signed(),
                    links.cast_signed(),
                    leaves.cast_signed(),
                    duplicates.cast_signed()
                ],
            )
            .map(drop)
    }
}

impl Store {
    /// The file with this SHA-256, if it was taken in before and nothing was cut or edited since: taking it in again would
    /// change nothing.
    ///
    /// # Errors
    /// [`crate::Error::Sqlite`].
    pub fn source(&self, sha256: &str) -> Result<Option<Source>> {
        self.connection
            .query_row(
                "SELECT name, format, sha256, positions, links, leaves, duplicates FROM sources
                 WHERE sha256 = ? AND current = 1",
                [sha256],
                source,
            )
            .optional()
            .map_err(self.failed("read"))
    }
}

fn source(row: &Row<'_>) -> rusqlite::Result<Source> {
    let count = |column: usize| row.get::<_, i64>(column).map(i64::cast_unsigned);
    Ok(Source {
        name: row.get(0)?,
        format: row.get(1)?,
        sha256: row.get(2)?,
        positions: count(3)?,
        links: count(4)?,
        leaves: count(5)?,
        duplicates: count(6)?,
    })
}
