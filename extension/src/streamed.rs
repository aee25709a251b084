//! The tables `positions`, `links` and `leaves` of a book that lies elsewhere: it is walked by key as often as a table is asked
//! for, and nothing can be looked up in it.

use crate::column_value::ColumnValue;
use crate::problem::{Problem, Result};
use crate::table::{self, Rows, TableFunction, Values};
use obook_model::Position;
use obook_rows::{Cell, Table, encode};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::sync::Arc;

/// A book that can be walked.
pub trait Walk: Send + Sync {
    /// All positions by key, each board once; none come after an error.
    fn walk(&self) -> Walked<'_>;
}

/// Positions as they come.
pub type Walked<'w> = Box<dyn Iterator<Item = std::result::Result<Position, WalkError>> + 'w>;

/// Why no more positions come.
#[derive(Debug)]
pub struct WalkError(pub String);

/// Makes a book known to a connection whose database has no tables of these names.
///
/// # Errors
/// Where SQLite refuses.
pub fn register_streamed(connection: &Connection, book: &Arc<dyn Walk>) -> rusqlite::Result<()> {
    table::register(connection, Positions(Arc::clone(book)))?;
    table::register(connection, Links(Arc::clone(book)))?;
    table::register(connection, Leaves(Arc::clone(book)))
}

/// About how many rows there are: that it is many makes a plan that walks each table once.
const ROWS: i64 = 1_000_000;

/// Makes a table of the rows that `$rows` gives of a position.
macro_rules! streamed {
    ($name:ident, $table:expr, [$($column:literal),*], $rows:expr) => {
        #[derive(Clone)]
        struct $name(Arc<dyn Walk>);

        impl TableFunction for $name {
            const NAME: &'static str = $table.name();
            const COLUMNS: &'static [&'static str] = &[$($column),*];
            const ARGUMENTS: &'static [&'static str] = &[];
            const FIRST: Option<&'static str> = Some("");
            const ROWS: i64 = ROWS;
            type Row = [Cell; $table.columns().len()];

            fn rows<'c>(
                &'c self,
                _: &'c Connection,
                _: ValueRef<'_>,
                _: &Values,
            ) -> Result<Rows<'c, Self::Row>> {
                let rows = self.0.walk().flat_map(|position| match position {
                    Ok(position) => ($rows)(&position).map(Ok).collect::<Vec<_>>(),
                    Err(WalkError(why)) => vec![Err(Problem::new(why))],
                });
                Ok(Box::new(rows))
            }

            fn value(row: &Self::Row, column: usize) -> ColumnValue<'_> {
                row[column].into()
            }
        }
    };
}

streamed!(
    Positions,
    Table::Positions,
    [
        "board BLOB",
        "empties INTEGER",
        "value INTEGER",
        "lower INTEGER",
        "upper INTEGER",
        "level INTEGER",
        "engine INTEGER",
        "wins INTEGER",
        "draws INTEGER",
        "losses INTEGER",
        "lines INTEGER",
        "unsearched INTEGER"
    ],
    |position: &Position| std::iter::once(encode::position(position))
);
streamed!(
    Links,
    Table::Links,
    ["board BLOB", "move INTEGER", "score INTEGER"],
    |position: &Position| encode::links(position)
);
streamed!(
    Leaves,
    Table::Leaves,
    [
        "board BLOB",
        "move INTEGER",
        "score INTEGER",
        "level INTEGER",
        "engine INTEGER"
    ],
    |position: &Position| encode::leaf(position).into_iter()
);
