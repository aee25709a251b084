//! Filling the empty tables with a whole book.

use crate::parallel::read_ahead;
use crate::{Error, Result};
use obook_converters::Position;
use obook_rows::{BulkInsert, Cell, Table, encode};
use rusqlite::Connection;
use std::path::Path;

/// How many rows were written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct RowCounts {
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
) -> Result<RowCounts>
where
    I: Iterator<Item = Result<Position>> + Send,
{
    Ok(RowCounts {
        positions: fill_table(connection, path, Table::Positions, walk()?)?,
        links: fill_table(connection, path, Table::Links, walk()?)?,
        leaves: fill_table(connection, path, Table::Leaves, walk()?)?,
    })
}

/// Writes the rows of one table, and counts them; of `leaves`, those with a move.
pub(super) fn fill_table(
    connection: &Connection,
    path: &Path,
    table: Table,
    walk: impl Iterator<Item = Result<Position>> + Send,
) -> Result<u64> {
    match table {
        Table::Positions => {
            let rows = walk.map(|position| Ok(encode::position(&position?)));
            insert(connection, path, table, rows, |_| true)
        }
        Table::Links => {
            let rows = walk.flat_map(|position| match position {
                Ok(position) => encode::links(&position).map(Ok).collect(),
                Err(error) => vec![Err(error)],
            });
            insert(connection, path, table, rows, |_| true)
        }
        Table::Leaves => {
            let rows = walk.filter_map(|position| match position {
                Ok(position) => encode::leaf(&position).map(Ok),
                Err(error) => Some(Err(error)),
            });
            insert(connection, path, table, rows, |[_, mv, ..]| {
                *mv != Cell::Null
            })
        }
    }
}

fn insert<const COLUMNS: usize>(
    connection: &Connection,
    path: &Path,
    table: Table,
    rows: impl Iterator<Item = Result<[Cell; COLUMNS]>> + Send,
    counts: impl Fn(&[Cell; COLUMNS]) -> bool,
) -> Result<u64> {
    let failed = || Error::sqlite(path, "write");
    let mut insert = BulkInsert::new(connection, table).map_err(failed())?;
    read_ahead(rows, |rows| {
        let mut counted = 0;
        for row in rows {
            let row = row?;
            counted += u64::from(counts(&row));
            insert.push(row).map_err(failed())?;
        }
        insert.finish().map_err(failed())?;
        Ok(counted)
    })
}
