//! Looks up single positions by key.

use crate::rows::decode::KeyedBoard;
use crate::rows::fault::{Error, Strict};
use crate::rows::table::{Table, qualified};
use obook_othello::{CanonicalBoard, Position};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::sync::LazyLock;

/// The queries that look up positions in one of a connection's databases.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lookup {
    /// Everything about a position: a row for each of its links.
    position: String,
    numbers: String,
}

impl Lookup {
    /// For the attached database with this name, or the first with the tables if there's no name.
    ///
    /// ```
    /// use obook_sql::rows::Lookup;
    /// let other = Lookup::in_schema(Some("other"));
    /// assert_ne!(other, Lookup::in_schema(None));
    /// ```
    #[must_use]
    pub fn in_schema(name: Option<&str>) -> Lookup {
        let tables = [Table::Positions, Table::Leaves, Table::Links];
        let columns = tables
            .iter()
            .zip(["p", "f", "l"])
            .flat_map(|(table, alias)| {
                let columns = table.columns().iter();
                columns.map(move |it| format!("{alias}.{it}"))
            });
        let columns = columns.collect::<Vec<_>>().join(", ");
        let [positions, leaves, links] = tables.map(|table| qualified(name, table.name()));
        Lookup {
            position: format!(
                "SELECT {columns} FROM {positions} AS p LEFT JOIN {leaves} AS f ON f.board = p.board \
                 LEFT JOIN {links} AS l ON l.board = p.board WHERE p.board = ?"
            ),
            numbers: format!("{} WHERE board = ?", Table::Positions.select(name)),
        }
    }

    /// For the connection's main database.
    #[must_use]
    pub fn main() -> &'static Lookup {
        static MAIN: LazyLock<Lookup> = LazyLock::new(|| Lookup::in_schema(None));
        &MAIN
    }

    /// Looks up a position with its links, best first, and its leaf, all in one query, so they are of one state of the book.
    /// Returns `None` if it isn't in the book.
    ///
    /// # Errors
    /// Returns an error if SQLite can't read, or at the first fault.
    pub fn position(
        &self,
        connection: &Connection,
        board: CanonicalBoard,
    ) -> Result<Option<Position>, Error> {
        const LEAF: usize = Table::Positions.columns().len();
        const LINK: usize = LEAF + Table::Leaves.columns().len();
        let keyed = KeyedBoard::of(board);
        let mut found: Option<Position> = None;
        let mut numbers = 1..=u8::MAX;
        let mut statement = connection.prepare_cached(&self.position)?;
        let mut rows = statement.query([board.to_key()])?;
        while let Some(row) = rows.next()? {
            let there_is = |first| row.get_ref(first).map(|key| key != ValueRef::Null);
            let position = match &mut found {
                Some(position) => position,
                None => {
                    let mut position = keyed.with(&mut Strict).numbers(row)?;
                    if there_is(LEAF)? {
                        let leaf = keyed.with(&mut Strict).leaf(position.engine, row, LEAF)?;
                        leaf.into_iter().for_each(|leaf| position.set_leaf(leaf));
                    }
                    found.insert(position)
                }
            };
            if there_is(LINK)?
                && let Some(number) = numbers.next()
            {
                let link = keyed.with(&mut Strict).link(number, row, LINK)?;
                position.links.extend(link);
            }
        }
        found.iter_mut().for_each(Position::sort_links);
        Ok(found)
    }

    /// Like [`Lookup::position`], but without links and leaf: one table instead of three.
    ///
    /// # Errors
    /// Returns the same errors as [`Lookup::position`].
    pub fn numbers(
        &self,
        connection: &Connection,
        board: CanonicalBoard,
    ) -> Result<Option<Position>, Error> {
        let mut statement = connection.prepare_cached(&self.numbers)?;
        let mut rows = statement.query([board.to_key()])?;
        let read = |row| KeyedBoard::of(board).with(&mut Strict).numbers(row);
        rows.next()?.map(read).transpose()
    }
}
