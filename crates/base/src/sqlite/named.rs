//! Rows by parts of their names.

use rusqlite::types::Value;
use rusqlite::{Connection, Result};

/// The rows whose names contain a text, ignoring case, as an array of JSON: one value, since there may be more rows than a statement has
/// parameters. `sql` selects what stands in the array for a row, and its name.
///
/// # Errors
/// Returns an error if SQLite can't read the rows.
///
/// ```
/// # use obook_base::sqlite::named;
/// # let connection = rusqlite::Connection::open_in_memory()?;
/// let sql = "SELECT column1, column2 FROM (VALUES (1, 'Élan'), (2, NULL), (3, 'relance'))";
/// assert_eq!(named(&connection, sql, "éL")?, "[1]");
/// # Ok::<(), rusqlite::Error>(())
/// ```
pub fn named(connection: &Connection, sql: &str, text: &str) -> Result<String> {
    let text = text.to_lowercase();
    let mut select = connection.prepare_cached(sql)?;
    let mut rows = select.query([])?;
    let mut named = Vec::new();
    while let Some(row) = rows.next()? {
        let name = row.get_ref(1)?.as_str_or_null()?;
        if name.is_some_and(|name| name.to_lowercase().contains(&text)) {
            named.push(match row.get(0)? {
                Value::Integer(number) => number.to_string(),
                Value::Text(text) => text,
                _ => continue,
            });
        }
    }
    Ok(format!("[{}]", named.join(",")))
}
