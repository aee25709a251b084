//! The tables `positions`, `links` and `leaves` of a book stored elsewhere. It's walked by key for every query of a table; there
//! are no look-ups.

use crate::problem::{Problem, Result};
use crate::table::{self, ColumnValue, Kind, Rows, TableFunction, Values};
use obook_model::Position;
use obook_rows::{Cell, Table, encode};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::sync::Arc;

/// A book that can be walked.
pub trait Walk: Send + Sync {
    /// Returns all positions by key, each board once, and nothing after an error.
    fn walk(&self) -> Walked<'_>;
}

/// The positions of a walk.
pub type Walked<'w> = Box<dyn Iterator<Item = std::result::Result<Position, WalkError>> + 'w>;

/// Why a walk stopped.
#[derive(Debug)]
pub struct WalkError(pub String);

/// Registers a book on a connection whose database has no tables with these names.
///
/// # Errors
/// Returns an error if SQLite refuses.
pub fn register_streamed(connection: &Connection, book: &Arc<dyn Walk>) -> rusqlite::Result<()> {
    table::register(connection, Positions(Arc::clone(book)))?;
    table::register(connection, Links(Arc::clone(book)))?;
    table::register(connection, Leaves(Arc::clone(book)))
}

/// The assumed number of rows. A large number leads to plans that walk each table once.
const ROWS: i64 = 1_000_000;

/// Defines a table with the rows that `$rows` returns for a position.
macro_rules! streamed {
    ($name:ident, $table:expr, [$($column:expr),*], $rows:expr) => {
        #[derive(Clone)]
        struct $name(Arc<dyn Walk>);

        impl TableFunction for $name {
            const NAME: &'static str = $table.name();
            const COLUMNS: &'static [(&'static str, Kind)] = &[$($column),*];
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
        ("board", Kind::Key),
        ("empties", Kind::Integer),
        ("value", Kind::Integer),
        ("lower", Kind::Integer),
        ("upper", Kind::Integer),
        ("level", Kind::Integer),
        ("engine", Kind::Integer),
        ("wins", Kind::Integer),
        ("draws", Kind::Integer),
        ("losses", Kind::Integer),
        ("lines", Kind::Integer),
        ("unsearched", Kind::Integer),
        ("proven_lower", Kind::Integer),
        ("proven_upper", Kind::Integer),
        ("prover", Kind::Integer)
    ],
    |position: &Position| std::iter::once(encode::position(position))
);
streamed!(
    Links,
    Table::Links,
    [
        ("board", Kind::Key),
        ("move", Kind::Integer),
        ("score", Kind::Integer)
    ],
    |position: &Position| encode::links(position)
);
streamed!(
    Leaves,
    Table::Leaves,
    [
        ("board", Kind::Key),
        ("move", Kind::Integer),
        ("score", Kind::Integer),
        ("level", Kind::Integer),
        ("engine", Kind::Integer)
    ],
    |position: &Position| encode::leaf(position).into_iter()
);
