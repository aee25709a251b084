//! Filling the empty tables with a whole book.

use super::counts::{Counts, Tally};
use crate::{Error, Result};
use obook_graph::parallel::read_ahead;
use obook_model::Position;
use obook_rows::{BulkInsert, Cell, Table, encode};
use rusqlite::Connection;
use std::path::Path;

/// The place of the level in a row of `positions`.
const LEVEL: usize = 5;

/// Writes every position, table by table, so that each table's rows lie together in the file. `walk` is called once a
/// table and must give the same positions in key order each time; it runs on another thread than SQLite.
pub(crate) fn fill<I>(
    connection: &Connection,
    path: &Path,
    mut walk: impl FnMut() -> Result<I>,
) -> Result<Counts>
where
    I: Iterator<Item = Result<Position>> + Send,
{
    let mut counts = Counts::default();
    for table in Table::ALL {
        counts.set(table, fill_table(connection, path, table, walk()?)?);
    }
    Ok(counts)
}

/// Writes the rows of one table, and counts them.
pub(crate) fn fill_table(
    connection: &Connection,
    path: &Path,
    table: Table,
    walk: impl Iterator<Item = Result<Position>> + Send,
) -> Result<Tally> {
    match table {
        Table::Positions => {
            let rows = walk.map(|position| Ok(encode::position(&position?)));
            insert(connection, path, table, rows, |row| {
                Some(row[LEVEL].number())
            })
        }
        Table::Links => {
            let rows = walk.flat_map(|position| match position {
                Ok(position) => encode::links(&position).map(Ok).collect(),
                Err(error) => vec![Err(error)],
            });
            insert(connection, path, table, rows, |_| Some(None))
        }
        Table::Leaves => {
            let rows = walk.filter_map(|position| match position {
                Ok(position) => encode::leaf(&position).map(Ok),
                Err(error) => Some(Err(error)),
            });
            insert(connection, path, table, rows, |[_, mv, ..]| {
                (*mv != Cell::Null).then_some(None)
            })
        }
    }
}

fn insert<const COLUMNS: usize>(
    connection: &Connection,
    path: &Path,
    table: Table,
    rows: impl Iterator<Item = Result<[Cell; COLUMNS]>> + Send,
    counts_as: impl Fn(&[Cell; COLUMNS]) -> Option<Option<i64>>,
) -> Result<Tally> {
    let failed = || Error::sqlite(path, "write");
    let mut insert = BulkInsert::new(connection, table).map_err(failed())?;
    read_ahead(rows, |rows| {
        let mut tally = Tally::new();
        for row in rows {
            let row = row?;
            if let Some(level) = counts_as(&row) {
                *tally.entry(level).or_default() += 1;
            }
            insert.push(row).map_err(failed())?;
        }
        insert.finish().map_err(failed())?;
        Ok(tally)
    })
}
