//! Writing whole tables.
//!
//! There are two ways beside writing row by row. A table can be filled anew, 32 rows a statement. Or one statement can
//! overwrite cells of all its rows in place: `UPDATE links SET score = next(0, board, move)` visits the rows in key order, so a
//! function that returns the new cells in that order can feed it. That takes half the time of filling the table, because there is no
//! statement and no search for each row, and no page moves. The function is told the column, and goes on to the next row when a column
//! comes again, so the order in which SQLite computes the cells of a row doesn't matter.

use super::Change;
use super::engines::Written;
use crate::{Error, Result};
use itertools::{Itertools, process_results};
use obook_base::parallel::read_ahead;
use obook_base::sql::Answer;
use obook_base::sqlite::BulkInsert;
use obook_graph::Differs;
use obook_othello::{NUMBERS, Position};
use obook_sql::rows::{Table, encode};
use obook_store::{Counts, RowSum, Tally};
use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use std::cell::RefCell;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Positions in key order, to be written to a table; they are read on a thread of their own. Behind one type, the code that writes
/// them is compiled once, and not for each kind of iterator.
type Walk<'w> = &'w mut (dyn Iterator<Item = Result<Position>> + Send);

/// If more than this part of a table (one in …) changes, the whole table is written.
const WHOLE_TABLE: u64 = 8;

/// How much of a table changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableChange {
    /// The number of positions whose rows change.
    pub changed: u64,
    /// The number of all positions.
    pub all: u64,
    /// Whether the table keeps its rows, and only cells that follow from other rows change.
    pub derived: bool,
}

impl TableChange {
    /// Whether so much changes that the whole table is written.
    #[must_use]
    pub fn is_large_part(self) -> bool {
        self.changed > TableChange::most_that_are_few(self.all)
    }

    /// The largest number of positions that is no [large part](TableChange::is_large_part) of all.
    #[must_use]
    pub fn most_that_are_few(all: u64) -> u64 {
        all / WHOLE_TABLE
    }
}

/// Whether a position's rows in a table differ, and whether they differ in more than the cells that follow from other rows: the
/// numbers of a position, except its level, and the scores of links.
pub(crate) fn rows_differ(differs: Differs, table: Table) -> [bool; 2] {
    match table {
        Table::Positions => [differs.numbers, differs.level],
        Table::Links => [differs.links, differs.moves],
        Table::Leaves => [differs.leaf; 2],
    }
}

impl Change<'_> {
    /// Replaces the rows of the positions that changed. If they are a [large part](TableChange::is_large_part) of the table, the whole
    /// table is written, which is several times as fast.
    ///
    /// `positions` yields the positions whose rows differ, or every position if the whole table is written, in key order.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be written, and the first error that an iterator yields.
    #[doc(hidden)]
    pub fn replace_rows(
        &self,
        table: Table,
        count: TableChange,
        positions: Walk<'_>,
    ) -> Result<()> {
        let (connection, path) = (self.connection(), self.store().path());
        if count.is_large_part() {
            let name = table.name();
            self.log_whole(&[name])?;
            let row_sum = RowSum::new(name, table.columns().iter().copied());
            let sum = AtomicU64::new(0);
            let engines = Written::default();
            let mut all = positions.inspect(|position| {
                if let Ok(position) = position {
                    engines.note(position);
                    sum.fetch_add(rows_sum(table, &row_sum, position), Ordering::Relaxed);
                }
            });
            let tally = match count.derived {
                true => {
                    overwrite_table(connection, path, table, &mut all)?;
                    None
                }
                false => {
                    self.set(&format!("DELETE FROM {name}"), [])?;
                    Some(fill_table(connection, path, table, &mut all)?)
                }
            };
            self.wrote_whole(name, table.columns(), sum.into_inner(), tally)?;
            return Ok(engines.name(connection).map_err(self.failed())?);
        }
        read_ahead(positions, |mut positions| {
            positions.try_for_each(|position| {
                let position = position?;
                self.name_engines_of(&position)?;
                self.put_rows(table, &position)
            })
        })
    }
}

/// The sum of the rows that a position has in a table.
fn rows_sum(table: Table, row_sum: &RowSum, position: &Position) -> u64 {
    let sum = |cells: &[Answer<'_>]| row_sum.of(cells.iter().map(Answer::value));
    match table {
        Table::Positions => sum(&encode::position(position)),
        Table::Links => {
            let sums = encode::links(position).map(|link| sum(&link));
            sums.fold(0, u64::wrapping_add)
        }
        Table::Leaves => encode::leaf(position).map_or(0, |leaf| sum(&leaf)),
    }
}

/// The place of the level in a row of `positions`.
const LEVEL: usize = 5;

/// Writes every position, table by table, so that each table's rows lie together in the file. `walk` is called once for each
/// table and must yield the same positions in key order each time; the iterator runs on another thread than SQLite.
pub(super) fn fill<I: Iterator<Item = Result<Position>> + Send>(
    connection: &Connection,
    path: &Path,
    mut walk: impl FnMut() -> Result<I>,
) -> Result<Counts> {
    let mut counts = Counts::default();
    let engines = Written::default();
    for table in Table::ALL {
        let mut walk = walk()?.inspect(|position| {
            if let (Table::Positions, Ok(position)) = (table, position) {
                engines.note(position);
            }
        });
        let filled = fill_table(connection, path, table, &mut walk)?;
        counts.set(table.name(), filled);
    }
    let named = engines.name(connection);
    named.map_err(Error::sqlite(path, "write"))?;
    Ok(counts)
}

/// Writes the rows of one table, and counts them.
fn fill_table(connection: &Connection, path: &Path, table: Table, walk: Walk<'_>) -> Result<Tally> {
    let filled = process_results(walk, |positions| match table {
        Table::Positions => {
            let rows = positions.map(|position| encode::position(&position));
            insert(connection, table, rows, |row| Some(row[LEVEL].number()))
        }
        Table::Links => {
            let rows = positions.flat_map(|position| encode::links(&position));
            insert(connection, table, rows, |_| Some(None))
        }
        Table::Leaves => {
            let rows = positions.filter_map(|position| encode::leaf(&position));
            insert(connection, table, rows, |[_, mv, ..]| {
                (*mv != Answer::Null).then_some(None)
            })
        }
    })?;
    filled.map_err(Error::sqlite(path, "write"))
}

fn insert<const COLUMNS: usize>(
    connection: &Connection,
    table: Table,
    rows: impl Iterator<Item = [Answer<'static>; COLUMNS]> + Send,
    counts_as: impl Fn(&[Answer<'static>; COLUMNS]) -> Option<Option<i64>>,
) -> rusqlite::Result<Tally> {
    let mut insert = BulkInsert::new(connection, table.name(), table.columns())?;
    read_ahead(rows, |rows| {
        let mut tally = Tally::new();
        for row in rows {
            if let Some(level) = counts_as(&row) {
                *tally.entry(level).or_default() += 1;
            }
            insert.push(row)?;
        }
        insert.finish()?;
        Ok(tally)
    })
}

/// Overwrites the derived cells of all rows of a table.
fn overwrite_table(
    connection: &Connection,
    path: &Path,
    table: Table,
    positions: Walk<'_>,
) -> Result<()> {
    // If a position can't be read, the statement fails too, for lack of rows, but that isn't the cause.
    let overwritten = process_results(positions, |positions| match table {
        Table::Positions => {
            let rows = positions.map(|position| {
                let cells = NUMBERS.map(|number| (number.of)(&position));
                ([position.board.to_key().into()], cells)
            });
            let numbers = NUMBERS.map(|number| number.name);
            overwrite(connection, table.name(), ["board"], numbers, rows)
        }
        Table::Links => {
            let rows = positions.flat_map(|position| {
                encode::links(&position).map(|[board, mv, score]| ([board, mv], [score.number()]))
            });
            overwrite(connection, table.name(), ["board", "move"], ["score"], rows)
        }
        Table::Leaves => unreachable!("nothing in a leaf is derived"),
    })?;
    overwritten.map_err(Error::sqlite(path, "write"))
}

/// The function that returns the new cells.
const NEXT: &str = "obook_next";

/// Overwrites cells of all rows of a table with this primary key. `rows`, read on another thread, are the keys and the new cells, numbers
/// or NULL. They must be exactly the table's, in key order. If the table has other rows this fails, and the transaction must not be
/// committed.
fn overwrite<const KEY: usize, const CELLS: usize>(
    connection: &Connection,
    table: &str,
    key: [&str; KEY],
    cells: [&str; CELLS],
    rows: impl Iterator<Item = ([Answer<'static>; KEY], [Option<i64>; CELLS])> + Send,
) -> rusqlite::Result<()> {
    let key = key.join(", ");
    // One check of the key for each row is enough.
    let arguments = std::iter::once(format!(", {key}")).chain(std::iter::repeat(String::new()));
    let set = cells.iter().enumerate().zip(arguments);
    let set = set.map(|((place, column), key)| format!("{column} = {NEXT}({place}{key})"));
    // A user's index would be in another order: the first automatic one is that of the primary key.
    let set = set.format(", ");
    let sql = format!("UPDATE main.{table} INDEXED BY sqlite_autoindex_{table}_1 SET {set}");
    let mut read = 0;
    let rows = rows.inspect(|_| read += 1);
    let updated = read_ahead(rows, |mut rows| {
        // The row that the statement has reached, and which of its cells were returned.
        let (mut row, mut returned) = (None, [true; CELLS]);
        // Returns the next cell of a column, given by its place. A key behind it must be the row's.
        let cell = move |context: &Context<'_>| -> rusqlite::Result<Option<i64>> {
            let column = usize::from(context.get::<u8>(0)?);
            if returned[column] {
                row = rows.next();
                returned = [false; CELLS];
            }
            returned[column] = true;
            let (key, cells) = row.as_ref().ok_or_else(other_rows)?;
            let mut key = (1..context.len()).zip(key);
            match key.all(|(at, cell)| context.get_raw(at) == cell.value()) {
                true => Ok(cells[column]),
                false => Err(other_rows()),
            }
        };
        let cell = RefCell::new(cell);
        let next = move |context: &Context<'_>| cell.borrow_mut()(context);
        connection.create_scalar_function(NEXT, -1, FunctionFlags::SQLITE_UTF8, next)?;
        let updated = connection.execute(&sql, []);
        // It goes with its rows even if the statement failed, so that their thread can't wait for ever.
        connection.remove_function(NEXT, -1)?;
        updated
    })?;
    match updated == read {
        true => Ok(()),
        false => Err(other_rows()),
    }
}

fn other_rows() -> rusqlite::Error {
    rusqlite::Error::UserFunctionError("the table has other rows than those that were read".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a table with this many rows, overwrites it, and returns its contents.
    fn overwritten(rows: u8, fed: &[u8]) -> rusqlite::Result<Vec<(u8, Option<i64>, i64)>> {
        let connection = Connection::open_in_memory()?;
        connection.execute_batch(
            "CREATE TABLE t (board BLOB PRIMARY KEY, b, a) WITHOUT ROWID; CREATE INDEX i ON t (b, a, board)",
        )?;
        let key = |row: u8| [row; 16];
        for row in 0..rows {
            connection.execute(
                "INSERT INTO t VALUES (?, ?, 7)",
                (key(row), -i64::from(row)),
            )?;
        }
        let cells = |row: u8| {
            let odd = Some(row).filter(|row| row % 2 == 1);
            [odd.map(i64::from), Some(i64::from(row) << 40)]
        };
        let fed = fed
            .iter()
            .map(|row| ([Answer::Key(key(*row))], cells(*row)));
        overwrite(&connection, "t", ["board"], ["a", "b"], fed)?;
        connection
            .prepare("SELECT board, a, b FROM t ORDER BY board")?
            .query_map([], |row| {
                Ok((row.get::<_, [u8; 16]>(0)?[0], row.get(1)?, row.get(2)?))
            })?
            .collect()
    }

    #[test]
    fn every_row_gets_its_own_cells() {
        let expected = [(0, None, 0), (1, Some(1), 1 << 40), (2, None, 2 << 40)];
        assert_eq!(overwritten(3, &[0, 1, 2]).unwrap(), expected);
        assert_eq!(overwritten(0, &[]).unwrap(), []);
    }

    #[test]
    fn other_rows_are_an_error_and_no_deadlock() {
        // More than may wait.
        let many = [0; 10 << 12];
        for fed in [
            &[0, 1][..],
            &[0, 1, 2, 3],
            &[0, 2, 1],
            &[1, 1, 1],
            &[],
            &many,
        ] {
            let error = overwritten(3, fed).unwrap_err().to_string();
            assert!(error.contains("other rows"), "{fed:?}: {error}");
        }
    }
}
