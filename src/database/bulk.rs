//! Writing whole tables.
//!
//! There are two ways beside writing row by row. A table can be filled anew, 32 rows a statement. Or one statement can
//! overwrite cells of all its rows in place: `UPDATE links SET score = next(board, move)` visits the rows in key order, so
//! functions that return the new cells in that order can feed it. That takes half the time of filling the table, because there is no
//! statement and no search for each row, and no page moves. Each column has a function and a queue of its own, so the
//! order in which SQLite computes the cells of a row doesn't matter.

use super::Change;
use super::engines::Written;
use crate::{Error, Result};
use obook_base::parallel::read_ahead;
use obook_base::sqlite::BulkInsert;
use obook_graph::Differs;
use obook_othello::{NUMBERS, Position};
use obook_sql::rows::{Cell, Table, encode};
use obook_store::{Counts, RowSum, Tally};
use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use std::cell::RefCell;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

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

/// Whether a position's rows in a table differ.
#[must_use]
pub(crate) fn rows_differ(differs: Differs, table: Table) -> bool {
    match table {
        Table::Positions => differs.numbers,
        Table::Links => differs.links,
        Table::Leaves => differs.leaf,
    }
}

/// Whether a position's rows differ in more than the cells that follow from other rows: the numbers of a position, except its
/// level, and the scores of links.
#[must_use]
pub(crate) fn searched_rows_differ(differs: Differs, table: Table) -> bool {
    match table {
        Table::Positions => differs.level,
        Table::Links => differs.moves,
        Table::Leaves => differs.leaf,
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
            self.log_whole(name)?;
            let row_sum = RowSum::new(name, table.columns().iter().copied());
            let sum = AtomicU64::new(0);
            let engines = Written::new();
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
                    let emptied = connection.execute_batch(&format!("DELETE FROM {name}"));
                    emptied.map_err(self.failed())?;
                    Some(fill_table(connection, path, table, &mut all)?)
                }
            };
            self.wrote_whole(name, table.columns(), sum.into_inner(), tally)?;
            engines.name(connection).map_err(self.failed())?;
            return Ok(());
        }
        read_ahead(positions, |positions| {
            for position in positions {
                let position = position?;
                self.name_engines_of(&position)?;
                self.put_rows(table, &position)?;
            }
            Ok(())
        })
    }
}

/// The sum of the rows that a position has in a table.
fn rows_sum(table: Table, row_sum: &RowSum, position: &Position) -> u64 {
    let sum = |cells: &[Cell]| row_sum.of(cells.iter().map(Cell::value));
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
pub(super) fn fill<I>(
    connection: &Connection,
    path: &Path,
    mut walk: impl FnMut() -> Result<I>,
) -> Result<Counts>
where
    I: Iterator<Item = Result<Position>> + Send,
{
    let mut counts = Counts::default();
    let engines = Written::new();
    for table in Table::ALL {
        let mut walk = walk()?.inspect(|position| {
            if let (Table::Positions, Ok(position)) = (table, position) {
                engines.note(position);
            }
        });
        let filled = fill_table(connection, path, table, &mut walk)?;
        counts.set(table.name(), filled);
    }
    engines
        .name(connection)
        .map_err(Error::sqlite(path, "write"))?;
    Ok(counts)
}

/// Writes the rows of one table, and counts them.
fn fill_table(connection: &Connection, path: &Path, table: Table, walk: Walk<'_>) -> Result<Tally> {
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
    let mut insert = BulkInsert::new(connection, table.name(), table.columns()).map_err(failed())?;
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

/// Overwrites the derived cells of all rows of a table.
fn overwrite_table(
    connection: &Connection,
    path: &Path,
    table: Table,
    positions: Walk<'_>,
) -> Result<()> {
    let mut unread = None;
    let positions = positions.map_while(|position| match position {
        Ok(position) => Some(position),
        Err(error) => {
            unread = Some(error);
            None
        }
    });
    let overwritten = match table {
        Table::Positions => overwrite_numbers(connection, positions),
        Table::Links => overwrite_scores(connection, positions),
        Table::Leaves => unreachable!("nothing in a leaf is derived"),
    };
    // The statement fails too, for lack of rows, but that isn't the cause.
    match unread {
        Some(error) => Err(error),
        None => overwritten.map_err(Error::sqlite(path, "write")),
    }
}

/// Rows in a batch, and how many batches may wait.
const BATCH: usize = 1 << 12;
const WAITING: usize = 4;

fn overwrite_numbers(
    connection: &Connection,
    positions: impl Iterator<Item = Position> + Send,
) -> rusqlite::Result<()> {
    let columns = Columns {
        table: "positions",
        key: ["board"],
        cells: NUMBERS.map(|number| number.name),
    };
    let rows = positions.map(|position| {
        let cells = NUMBERS.map(|number| (number.of)(&position));
        ([position.board.into()], cells)
    });
    overwrite(connection, columns, rows)
}

fn overwrite_scores(
    connection: &Connection,
    positions: impl Iterator<Item = Position> + Send,
) -> rusqlite::Result<()> {
    let columns = Columns {
        table: "links",
        key: ["board", "move"],
        cells: ["score"],
    };
    let rows = positions.flat_map(|position| {
        encode::links(&position).map(|[board, mv, score]| ([board, mv], [score.number()]))
    });
    overwrite(connection, columns, rows)
}

/// The primary key of a table, and the columns that are overwritten.
#[derive(Clone, Copy)]
struct Columns<const KEY: usize, const CELLS: usize> {
    table: &'static str,
    key: [&'static str; KEY],
    cells: [&'static str; CELLS],
}

/// The key of a row, and its new cells: numbers or NULL.
type Overwritten<const KEY: usize, const CELLS: usize> = ([Cell; KEY], [Option<i64>; CELLS]);

/// Overwrites cells of all rows. `rows`, read on another thread, must be exactly the table's, in key order. If the table has
/// other rows this fails, and the transaction must not be committed.
fn overwrite<const KEY: usize, const CELLS: usize>(
    connection: &Connection,
    columns: Columns<KEY, CELLS>,
    rows: impl Iterator<Item = Overwritten<KEY, CELLS>> + Send,
) -> rusqlite::Result<()> {
    let (keys, key_queue) = sync_channel(WAITING);
    let (cells, cell_queues): (Vec<_>, Vec<_>) = columns
        .cells
        .map(|_| sync_channel(WAITING))
        .into_iter()
        .unzip();
    thread::scope(|scope| {
        let feeder = scope.spawn(move || feed(rows, &keys, &cells));
        // Removes the functions with their queues even if it fails, so the feeder can't wait for ever.
        let updated = update(connection, columns, key_queue, cell_queues);
        let fed = feeder
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        if updated? == fed {
            Ok(())
        } else {
            Err(other_rows())
        }
    })
}

/// Sends the rows column by column, and counts them.
fn feed<const KEY: usize, const CELLS: usize>(
    rows: impl Iterator<Item = Overwritten<KEY, CELLS>>,
    keys: &SyncSender<Vec<[Cell; KEY]>>,
    cells: &[SyncSender<Vec<Option<i64>>>],
) -> usize {
    let mut rows = rows.peekable();
    let mut count = 0;
    while rows.peek().is_some() {
        let mut batch = Vec::with_capacity(BATCH);
        let mut columns = [(); CELLS].map(|()| Vec::with_capacity(BATCH));
        for (key, row) in rows.by_ref().take(BATCH) {
            batch.push(key);
            for (column, cell) in columns.iter_mut().zip(row) {
                column.push(cell);
            }
        }
        count += batch.len();
        let sent = keys.send(batch).is_ok()
            && (cells.iter().zip(columns)).all(|(sender, column)| sender.send(column).is_ok());
        // The statement has failed, and reports why.
        if !sent {
            break;
        }
    }
    count
}

/// Runs the statement, and counts its rows.
fn update<const KEY: usize, const CELLS: usize>(
    connection: &Connection,
    columns: Columns<KEY, CELLS>,
    keys: Receiver<Vec<[Cell; KEY]>>,
    cells: Vec<Receiver<Vec<Option<i64>>>>,
) -> rusqlite::Result<usize> {
    let names = columns.cells.map(|column| format!("obook_next_{column}"));
    let updated = add_functions(connection, &names, keys, cells).and_then(|()| {
        let key = columns.key.join(",");
        let arguments = std::iter::once(&key[..]).chain(std::iter::repeat(""));
        let set = columns.cells.iter().zip(&names).zip(arguments);
        let set = set.map(|((column, name), arguments)| format!("{column} = {name}({arguments})"));
        let set = set.collect::<Vec<_>>().join(",");
        // A user's index would be in another order.
        let sql = format!("UPDATE main.{} NOT INDEXED SET {set}", columns.table);
        connection.execute(&sql, [])
    });
    for (column, name) in names.iter().enumerate() {
        let arguments = if column == 0 { KEY } else { 0 };
        connection.remove_function(name.as_str(), arguments as i32)?;
    }
    updated
}

/// Adds a function for each column. Only the first takes the key: one check for each row is enough.
fn add_functions<const KEY: usize>(
    connection: &Connection,
    names: &[String],
    keys: Receiver<Vec<[Cell; KEY]>>,
    cells: Vec<Receiver<Vec<Option<i64>>>>,
) -> rusqlite::Result<()> {
    let mut keys = Some(RefCell::new(keys.into_iter().flatten()));
    for (name, cells) in names.iter().zip(cells) {
        let name = name.as_str();
        let cells = RefCell::new(cells.into_iter().flatten());
        let next = move || cells.borrow_mut().next().ok_or_else(other_rows);
        let flags = FunctionFlags::SQLITE_UTF8;
        match keys.take() {
            Some(keys) => {
                connection.create_scalar_function(name, KEY as i32, flags, move |context| {
                    let key = keys.borrow_mut().next().ok_or_else(other_rows)?;
                    let mut cells = key.iter().enumerate();
                    if cells.all(|(at, cell)| context.get_raw(at) == cell.value()) {
                        next()
                    } else {
                        Err(other_rows())
                    }
                })?;
            }
            None => connection.create_scalar_function(name, 0, flags, move |_| next())?,
        }
    }
    Ok(())
}

fn other_rows() -> rusqlite::Error {
    rusqlite::Error::UserFunctionError("the table has other rows than those that were read".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: Columns<1, 2> = Columns {
        table: "t",
        key: ["board"],
        cells: ["a", "b"],
    };

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
        let fed = fed.iter().map(|row| ([Cell::Key(key(*row))], cells(*row)));
        overwrite(&connection, COLUMNS, fed)?;
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
        let many = [0; 10 * BATCH];
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
