//! All rows of a query.

use rusqlite::{Connection, Params, Result, Row};

/// Collects what `read` makes of each row of a query.
///
/// # Errors
/// Returns an error if SQLite can't read the rows, and the first error of `read`.
///
/// ```
/// # use obook_base::sqlite::all_rows;
/// # let connection = rusqlite::Connection::open_in_memory()?;
/// let found: Vec<i64> = all_rows(&connection, "VALUES (1), (?)", [2], |row| row.get(0))?;
/// assert_eq!(found, [1, 2]);
/// # Ok::<(), rusqlite::Error>(())
/// ```
pub fn all_rows<T, C: FromIterator<T>>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnMut(&Row<'_>) -> Result<T>,
) -> Result<C> {
    connection.prepare(sql)?.query_map(params, read)?.collect()
}
