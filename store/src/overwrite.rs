//! Overwriting cells of every row of a table in place, with one statement.
//!
//! `UPDATE links SET score = next(board, move)` visits the rows in key order, so functions that hand out the new cells in
//! that order can feed it. That takes half the time of writing the table anew: there is no statement and no search for
//! each row, and no page moves. Each column has a function and a queue of its own, so nothing hangs on the order in
//! which SQLite computes the cells of a row.

use obook_model::Position;
use obook_rows::{Cell, encode};
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::{Connection, Error, Result};
use std::cell::RefCell;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// What is derived of a position.
const NUMBERS: Columns<1, 7> = Columns {
    table: "positions",
    key: ["board"],
    cells: [
        "value", "lower", "upper", "wins", "draws", "losses", "lines",
    ],
};
/// What is derived of a link.
const SCORES: Columns<2, 1> = Columns {
    table: "links",
    key: ["board", "move"],
    cells: ["score"],
};

/// Rows that are handed over at once, and how many times that may wait.
const BATCH: usize = 1 << 12;
const WAITING: usize = 4;

/// Overwrites what is derived of all positions; those of the table must come in key order.
///
/// # Errors
/// As [`overwrite`].
pub(crate) fn overwrite_numbers(
    connection: &Connection,
    positions: impl Iterator<Item = Position> + Send,
) -> Result<()> {
    let rows = positions.map(|position| ([position.board.into()], encode::numbers(&position)));
    overwrite(connection, NUMBERS, rows)
}

/// As [`overwrite_numbers`], the scores of their links.
///
/// # Errors
/// As [`overwrite`].
pub(crate) fn overwrite_scores(
    connection: &Connection,
    positions: impl Iterator<Item = Position> + Send,
) -> Result<()> {
    let rows = positions.flat_map(|position| {
        encode::links(&position).map(|[board, mv, score]| ([board, mv], [score.number()]))
    });
    overwrite(connection, SCORES, rows)
}

/// The columns by which the rows of a table are told apart and sorted, and those that are overwritten.
#[derive(Clone, Copy)]
struct Columns<const KEY: usize, const CELLS: usize> {
    table: &'static str,
    key: [&'static str; KEY],
    cells: [&'static str; CELLS],
}

/// The key of a row, and what shall stand in it: numbers or NULL.
type Overwritten<const KEY: usize, const CELLS: usize> = ([Cell; KEY], [Option<i64>; CELLS]);

/// Overwrites cells of all rows, which come in key order from another thread; they must be just those of the table.
///
/// # Errors
/// Whatever SQLite says, also where the table has other rows. The transaction is then good for nothing any more.
fn overwrite<const KEY: usize, const CELLS: usize>(
    connection: &Connection,
    columns: Columns<KEY, CELLS>,
    rows: impl Iterator<Item = Overwritten<KEY, CELLS>> + Send,
) -> Result<()> {
    let (keys, key_queue) = sync_channel(WAITING);
    let (cells, cell_queues): (Vec<_>, Vec<_>) = columns
        .cells
        .map(|_| sync_channel(WAITING))
        .into_iter()
        .unzip();
    thread::scope(|scope| {
        let feeder = scope.spawn(move || feed(rows, &keys, &cells));
        // Whatever goes wrong, the functions and their queues are gone when the feeder is waited for.
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

/// Sends the rows off by columns, and counts them.
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
        // The statement has failed, and says so itself.
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
) -> Result<usize> {
    let names = columns.cells.map(|column| format!("obook_next_{column}"));
    let updated = add_functions(connection, &names, keys, cells).and_then(|()| {
        let key = columns.key.join(",");
        let arguments = std::iter::once(&key[..]).chain(std::iter::repeat(""));
        let set = columns.cells.iter().zip(&names).zip(arguments);
        let set = set.map(|((column, name), arguments)| format!("{column} = {name}({arguments})"));
        let set = set.collect::<Vec<_>>().join(",");
        // An index that was added would be in another order.
        let sql = format!("UPDATE main.{} NOT INDEXED SET {set}", columns.table);
        connection.execute(&sql, [])
    });
    for (column, name) in names.iter().enumerate() {
        let arguments = if column == 0 { KEY } else { 0 };
        connection.remove_function(name.as_str(), arguments as i32)?;
    }
    updated
}

/// A function for each column. One is enough to see that the rows are the right ones: the first takes the key.
fn add_functions<const KEY: usize>(
    connection: &Connection,
    names: &[String],
    keys: Receiver<Vec<[Cell; KEY]>>,
    cells: Vec<Receiver<Vec<Option<i64>>>>,
) -> Result<()> {
    let mut keys = Some(RefCell::new(keys.into_iter().flatten()));
    for (name, cells) in names.iter().zip(cells) {
        let name = name.as_str();
        let cells = RefCell::new(cells.into_iter().flatten());
        let next = move || cells.borrow_mut().next().ok_or_else(other_rows);
        let flags = FunctionFlags::SQLITE_UTF8;
        match keys.take() {
            Some(keys) => {
                let checked = move |context: &Context<'_>| {
                    let key = keys.borrow_mut().next().ok_or_else(other_rows)?;
                    let mut cells = key.iter().enumerate();
                    if cells.all(|(at, cell)| context.get_raw(at) == cell.value()) {
                        next()
                    } else {
                        Err(other_rows())
                    }
                };
                connection.create_scalar_function(name, KEY as i32, flags, checked)?;
            }
            None => connection.create_scalar_function(name, 0, flags, move |_| next())?,
        }
    }
    Ok(())
}

fn other_rows() -> Error {
    Error::UserFunctionError("the table has other rows than those that were read".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: Columns<1, 2> = Columns {
        table: "t",
        key: ["board"],
        cells: ["a", "b"],
    };

    /// A table of as many rows, and what becomes of it.
    fn overwritten(rows: u8, fed: &[u8]) -> Result<Vec<(u8, Option<i64>, i64)>> {
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
