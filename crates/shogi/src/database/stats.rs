//! A book in numbers.

use crate::database::fix::draws;
use crate::{Draws, MATE};
use obook_base::sqlite::all_rows;
use obook_store::{Result, Store};
use serde::Serialize;
use std::collections::BTreeMap;

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
    /// The worth of draws in exports.
    pub worth_of_draws: Draws,
    /// Imported files, their formats and positions.
    pub sources: Vec<(String, String, u64)>,
}

impl Stats {
    /// Counts rows.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`](obook_store::Error::Sqlite) if the database can't be read.
    pub fn of(store: &Store) -> Result<Stats> {
        let sql = "SELECT (SELECT count(*) FROM book WHERE fixed = 1),
                          count(*), (SELECT count(*) FROM links),
                          (SELECT count(*) FROM (SELECT board, move FROM leaves EXCEPT SELECT board, move FROM links)),
                          count(*) FILTER (WHERE value > 0), count(*) FILTER (WHERE value = 0),
                          count(*) FILTER (WHERE value < 0), count(*) FILTER (WHERE value IS NULL),
                          count(*) FILTER (WHERE depth = 9999)
                   FROM positions";
        let worth_of_draws = draws(store)?;
        store.read(|connection| {
            let sources = "SELECT name, format, positions FROM sources ORDER BY id";
            let sources = all_rows(connection, sources, [], |row| {
                let positions = row.get::<_, i64>(2)?.unsigned_abs();
                Ok((row.get(0)?, row.get(1)?, positions))
            })?;
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
                    worth_of_draws,
                    sources,
                })
            })
        })
    }
}

/// Positions by ply and by score.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Distribution {
    /// By the number of the next move, the smallest that files have.
    pub plies: Vec<Ply>,
    /// By value, from low to high.
    pub values: Vec<Range>,
    /// Positions without a value.
    pub without: u64,
}

/// Counts over the positions of one ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Ply {
    /// The ply; `None` if files don't say.
    pub ply: Option<u32>,
    /// Positions.
    pub positions: u64,
    /// Moves to positions of the book.
    pub links: u64,
    /// Listed moves that aren't links.
    pub leaves: u64,
    /// Positions without a link.
    pub terminal: u64,
}

/// Positions with values in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Range {
    /// The lowest value that belongs to it.
    pub from: i32,
    /// The highest.
    pub to: i32,
    /// Positions.
    pub positions: u64,
}

/// The range of a value: a hundred values on one side of 0, which is a range of its own, as is a mate.
fn range(value: i32) -> (i32, i32) {
    let hundred = value.abs() / 100 * 100;
    let (from, to) = (hundred.max(1), hundred + 99);
    match value {
        0 => (0, 0),
        _ if value.abs() == MATE => (value, value),
        1.. => (from, to),
        _ => (-to, -from),
    }
}

impl Distribution {
    /// Counts rows.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`](obook_store::Error::Sqlite) if the database can't be read.
    pub fn of(store: &Store) -> Result<Distribution> {
        let plies = "
            SELECT min(ifnull(black_ply, white_ply), ifnull(white_ply, black_ply)) AS ply, count(*), sum(links),
                   sum(leaves), sum(links = 0)
            FROM (SELECT black_ply, white_ply,
                         (SELECT count(*) FROM links WHERE links.board = positions.board) AS links,
                         (SELECT count(DISTINCT move) FROM leaves WHERE leaves.board = positions.board AND NOT EXISTS (
                              SELECT 1 FROM links WHERE links.board = leaves.board AND links.move = leaves.move)) AS leaves
                  FROM positions)
            GROUP BY ply ORDER BY ply";
        let values = "SELECT value, count(*) FROM positions GROUP BY value";
        store.read(|connection| {
            let plies = all_rows(connection, plies, [], |row| {
                let number = |column| row.get(column).map(i64::unsigned_abs);
                Ok(Ply {
                    ply: row.get(0)?,
                    positions: number(1)?,
                    links: number(2)?,
                    leaves: number(3)?,
                    terminal: number(4)?,
                })
            })?;
            let mut select = connection.prepare(values)?;
            let mut rows = select.query([])?;
            let mut without = 0;
            let mut ranges: BTreeMap<(i32, i32), u64> = BTreeMap::new();
            while let Some(row) = rows.next()? {
                let positions = row.get::<_, i64>(1)?.unsigned_abs();
                match row.get::<_, Option<i32>>(0)? {
                    Some(value) => *ranges.entry(range(value)).or_default() += positions,
                    None => without = positions,
                }
            }
            let ranges = ranges.into_iter();
            let ranges = ranges.map(|((from, to), positions)| Range {
                from,
                to,
                positions,
            });
            Ok(Distribution {
                plies,
                values: ranges.collect(),
                without,
            })
        })
    }
}
