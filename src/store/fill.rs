//! Filling the empty tables with a whole book.

use super::bulk::{BulkInsert, Cell};
use super::rows;
use crate::ahead::ahead;
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
    let mut written = Written::default();
    let positions = walk()?.map(|position| Ok(rows::position(&position?)));
    insert(connection, path, rows::INSERT_POSITION, positions, |_| {
        written.positions += 1
    })?;
    let links = walk()?.flat_map(|position| match position {
        Ok(position) => rows::links(&position).map(Ok).collect(),
        Err(error) => vec![Err(error)],
    });
    insert(connection, path, rows::INSERT_LINK, links, |_| {
        written.links += 1
    })?;
    let leaves = walk()?.filter_map(|position| match position {
        Ok(position) => rows::leaf(&position).map(Ok),
        Err(error) => Some(Err(error)),
    });
    insert(
        connection,
        path,
        rows::INSERT_LEAF,
        leaves,
        |[_, mv, ..]| {
            written.leaves += u64::from(!matches!(mv, Cell::Null));
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
    ahead(rows, |rows| {
        for row in rows {
            let row = row?;
            count(&row);
            table.push(row).map_err(failed())?;
        }
        table.finish().map_err(failed())
    })
}
