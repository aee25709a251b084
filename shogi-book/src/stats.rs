//! A book in numbers.

use obook_store::{Error, Result, Store};
use serde::Serialize;

/// The numbers of a book.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Whether links and values follow from the leaves.
    pub fixed: bool,
    /// Its positions.
    pub positions: u64,
    /// Moves between them.
    pub links: u64,
    /// Listed moves that aren't links.
    pub leaves: u64,
    /// Positions with a value above 0.
    pub wins: u64,
    /// Positions with the value 0.
    pub draws: u64,
    /// Positions with a value below 0.
    pub losses: u64,
    /// Positions without a value.
    pub unknown: u64,
    /// Positions from which the best line never ends.
    pub endless: u64,
    /// Imported files, their formats and positions.
    pub sources: Vec<(String, String, u64)>,
}

impl Stats {
    /// Counts rows.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be read.
    pub fn of(store: &Store) -> Result<Stats> {
        let sql = "SELECT (SELECT count(*) FROM book WHERE fixed = 1),
                          count(*), (SELECT count(*) FROM links),
                          (SELECT count(*) FROM leaves WHERE NOT EXISTS (SELECT 1 FROM links
                           WHERE links.board = leaves.board AND links.move = leaves.move)),
                          count(*) FILTER (WHERE value > 0), count(*) FILTER (WHERE value = 0),
                          count(*) FILTER (WHERE value < 0), count(*) FILTER (WHERE value IS NULL),
                          count(*) FILTER (WHERE depth = 9999)
                   FROM positions";
        let read = || {
            let connection = store.connection();
            let mut select =
                connection.prepare("SELECT name, format, positions FROM sources ORDER BY id")?;
            let source = |row: &rusqlite::Row<'_>| {
                let positions = row.get::<_, i64>(2)?.unsigned_abs();
                Ok((row.get(0)?, row.get(1)?, positions))
            };
            let sources = select
                .query_map([], source)?
                .collect::<rusqlite::Result<_>>()?;
            connection.query_row(sql, [], |row| {
                let number = |column| row.get(column).map(i64::unsigned_abs);
                Ok(Stats {
                    fixed: row.get(0)?,
                    positions: number(1)?,
                    links: number(2)?,
                    leaves: number(3)?,
                    wins: number(4)?,
                    draws: number(5)?,
                    losses: number(6)?,
                    unknown: number(7)?,
                    endless: number(8)?,
                    sources,
                })
            })
        };
        read().map_err(Error::sqlite(store.path(), "read"))
    }
}
