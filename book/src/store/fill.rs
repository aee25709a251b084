//! Filling the empty tables with a whole book.

use super::bulk::{BulkInsert, Cell};
use super::rows;
use crate::parallel::read_ahead;
use crate::{Error, Result};
use obook_converters::Position;
use rusqlite::Connection;
use std::path::Path;

/// How many rows were written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct Written {
    /// Rows of `positions`.
    pub positions: u64,
    /// Rows of `links`.
    pub links: u64,
    /// Rows of `leaves` with a move.
    pub leaves: u64,
}

/// Writes every position, table by table, so that each table's rows lie together in the file. `walk` is called once a
/// table and must give the same positions in key order each time; it runs on another thread than SQLite.
pub(super) fn fill<I>(
    connection: &Connection,
    path: &Path,
    mut walk: impl FnMut() -> Result<I>,
) -> Result<Written>
where
    I: Iterator<Item = Result<Position>> + Send,
{
    let positions = fill_positions(connection, path, walk()?)?;
    let links = fill_links(connection, path, walk()?)?;
    let leaves = fill_leaves(connection, path, walk()?)?;
    Ok(Written {
        positions,
        links,
        leaves,
    })
}

/// Writes the rows of `positions`, and counts them.
pub(super) fn fill_positions(
    connection: &Connection,
    path: &Path,
    walk: impl Iterator<Item = Result<Position>> + Send,
) -> Result<u64> {
    let mut written = 0;
    let positions = walk.map(|position| Ok(rows::position(&position?)));
    insert(connection, path, rows::INSERT_POSITION, positions, |_| {
        written += 1
    })?;
    Ok(written)
}

/// Writes the rows of `links`, and counts them.
pub(super) fn fill_links(
    connection: &Connection,
    path: &Path,
    walk: impl Iterator<Item = Result<Position>> + Send,
) -> Result<u64> {
    let mut written = 0;
    let links = walk.flat_map(|position| match position {
        Ok(position) => rows::links(&position).map(Ok).collect(),
        Err(error) => vec![Err(error)],
    });
    insert(connection, path, rows::INSERT_LINK, links, |_| written += 1)?;
    Ok(written)
}

/// Writes the rows of `leaves`, and counts those with a move.
pub(super) fn fill_leaves(
    connection: &Connection,
    path: &Path,
    walk: impl Iterator<Item = Result<Position>> + Send,
) -> Result<u64> {
    let mut written = 0;
    let leaves = walk.filter_map(|position| match position {
        Ok(position) => rows::leaf(&position).map(Ok),
        Err(error) => Some(Err(error)),
    });
    insert(
        connection,
        path,
        rows::INSERT_LEAF,
        leaves,
        |[_, mv, ..]| {
            written += u64::from(!matches!(mv, Cell::Null));
        },
    )?;
    Ok(written)
}

fn insert<const COLUMNS: usize>(
    connection: &Connection,
    path: &Path,
    insert: &'static str,
    rows: impl Iterator<Item = Result<[Cell; COLUMNS]>> + Send,
    mut count: impl FnMut(&[Cell; COLUMNS]),
) -> Result<()> {
    let failed = || Error::sqlite(path, "write");
    let mut table = BulkInsert::new(connection, insert).map_err(failed())?;
    read_ahead(rows, |rows| {
        for row in rows {
            let row = row?;
            count(&row);
            table.push(row).map_err(failed())?;
        }
        table.finish().map_err(failed())
    })
}
