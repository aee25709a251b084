//! The tables `positions`, `links` and `leaves` of a book stored elsewhere. It's walked by key for every query of a table.

use crate::extension::positions::{LinkTable, PositionTable, Positions, ROWS};
use crate::rows::{Table as Stored, encode};
use obook_base::sql::ColumnType::{Integer, Key};
use obook_base::sql::{Answer, Arguments, Column, Problem, Result, Rows, RowsOf, Table};
use obook_base::sqlite;
use obook_othello::Position;
use rusqlite::Connection;
use std::sync::Arc;

/// A book that can be walked.
pub trait Walk: Send + Sync {
    /// Returns all positions by key, each board once, and nothing after an error.
    fn walk(&self) -> Walked<'_>;
}

/// The positions of a walk, or why it stopped.
pub type Walked<'w> = Box<dyn Iterator<Item = std::result::Result<Position, String>> + 'w>;

/// Registers a book on a connection whose database has no tables with these names.
///
/// # Errors
/// Returns an error if SQLite refuses.
pub fn register_streamed(connection: &Connection, book: &Arc<dyn Walk>) -> rusqlite::Result<()> {
    let [positions, links, leaves] = Stored::ALL.map(Stored::name);
    sqlite::register(connection, positions, PositionTable(book.clone()), |_| ())?;
    sqlite::register(connection, links, LinkTable(book.clone()), |_| ())?;
    sqlite::register(connection, leaves, Leaves(book.clone()), |_| ())
}

impl Positions for Arc<dyn Walk> {
    const ARGUMENTS: &'static [&'static str] = &[];
    const NOT_IN_VIEWS: bool = false;
    const WITH_LEAVES: bool = false;

    fn positions(&self, _: Arguments<'_>) -> Result<Rows<'_, Position>> {
        let sorted = |mut position: Position| {
            // As in the table.
            position.links.sort_unstable_by_key(|link| link.mv);
            position
        };
        let positions = self.walk();
        let positions = positions.map(move |it| it.map(sorted).map_err(Problem::new));
        Ok(Box::new(positions))
    }
}

/// The table of leaves.
#[derive(Clone)]
struct Leaves(Arc<dyn Walk>);

impl Table for Leaves {
    const COLUMNS: &'static [Column<Self::Row>] = &[
        ("board", Key, |row| row[0].clone()),
        ("move", Integer, |row| row[1].clone()),
        ("score", Integer, |row| row[2].clone()),
        ("level", Integer, |row| row[3].clone()),
        ("engine", Integer, |row| row[4].clone()),
    ];
    const ARGUMENTS: &'static [&'static str] = &[];
    const ROWS: i64 = ROWS;
    type Source<'s> = ();
    type Row = [Answer<'static>; 5];

    fn rows<'s>(&'s self, (): (), arguments: Arguments<'_>) -> RowsOf<'s, Self> {
        let positions = self.0.positions(arguments)?;
        let leaf = |position: Result<Position>| match position {
            Ok(position) => encode::leaf(&position).map(Ok),
            Err(problem) => Some(Err(problem)),
        };
        Ok(Box::new(positions.filter_map(leaf)))
    }
}
