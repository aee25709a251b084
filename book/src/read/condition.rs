//! Conditions on positions, in SQL as a person types it.

use crate::{Error, Result, Store};
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::{Batch, Row};

/// What the rows of a query come to, those for which `row` has something. `sql` makes the query of the condition, which holds
/// always where there is none.
///
/// # Errors
/// [`Error::Condition`] where SQLite does not take it, [`Error::Sqlite`].
pub fn rows_where<T>(
    store: &Store,
    condition: Option<&str>,
    sql: impl FnOnce(&str) -> String,
    mut row: impl FnMut(&Row<'_>) -> rusqlite::Result<Option<T>>,
) -> Result<Vec<T>> {
    let ask = || {
        // The line break ends a comment.
        let sql = sql(&format!("({}\n)", condition.unwrap_or("true")));
        let mut statements = Batch::new(store.connection(), &sql);
        let mut select = statements.next()?.ok_or(rusqlite::Error::InvalidQuery)?;
        if statements.next()?.is_some() {
            return Err(rusqlite::Error::MultipleStatement);
        }
        let mut rows = select.query([])?;
        let mut found = Vec::new();
        while let Some(next) = rows.next()? {
            found.extend(row(next)?);
        }
        Ok(found)
    };
    ask().map_err(|error| match (condition, error) {
        (None, error) => Error::sqlite(store.path(), "read")(error),
        (Some(_), error) => Error::Condition {
            path: store.path().to_owned(),
            problem: match error {
                // The rest of it repeats the question, which has parts that were not typed.
                rusqlite::Error::SqlInputError { msg, .. } => msg,
                error => error.to_string(),
            },
        },
    })
}
