//! Looks up single positions by key.

use crate::rows::decode::KeyedBoard;
use crate::rows::fault::{Error, Faults};
use crate::rows::table::Table;
use obook_othello::{CanonicalBoard, Engine, Leaf, Link, Links, Position};
use rusqlite::{Connection, Row};
use std::sync::LazyLock;

/// The queries that look up positions in one of a connection's databases.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lookup {
    position: String,
    links: String,
    leaf: String,
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
        let schema = name.map_or(String::new(), |name| {
            format!("\"{}\".", name.replace('"', "\"\""))
        });
        let by_key = |table: Table| by_key(&table.select(&schema));
        Lookup {
            position: by_key(Table::Positions),
            links: by_key(Table::Links),
            leaf: by_key(Table::Leaves),
        }
    }

    /// For the connection's main database.
    #[must_use]
    pub fn main() -> &'static Lookup {
        static MAIN: LazyLock<Lookup> = LazyLock::new(|| Lookup::in_schema(None));
        &MAIN
    }

    /// Looks up a position with its links, best first, and its leaf. Returns `None` if it isn't in the book.
    ///
    /// # Errors
    /// Returns an error if SQLite can't read, or any error from `faults`.
    pub fn position<F: Faults>(
        &self,
        connection: &Connection,
        board: CanonicalBoard,
        faults: &mut F,
    ) -> Result<Option<Position>, Error> {
        let Some(mut position) = self.numbers(connection, board, faults)? else {
            return Ok(None);
        };
        position.links = self.links(connection, board, faults)?;
        position.sort_links();
        let leaf = self.leaf_of(connection, board, position.engine, faults)?;
        leaf.into_iter().for_each(|leaf| position.set_leaf(leaf));
        Ok(Some(position))
    }

    /// Like [`Lookup::position`], but without links and leaf: one query instead of three.
    ///
    /// # Errors
    /// Returns the same errors as [`Lookup::position`].
    pub fn numbers<F: Faults>(
        &self,
        connection: &Connection,
        board: CanonicalBoard,
        faults: &mut F,
    ) -> Result<Option<Position>, Error> {
        let mut found = None;
        each_row(connection, &self.position, board, |keyed, row| {
            found = Some(keyed.numbers(row, faults)?);
            Ok(())
        })?;
        Ok(found)
    }

    /// The links of a board, in the order of their moves.
    ///
    /// # Errors
    /// Returns the same errors as [`Lookup::position`].
    pub fn links<F: Faults>(
        &self,
        connection: &Connection,
        board: CanonicalBoard,
        faults: &mut F,
    ) -> Result<Links, Error> {
        let mut links = Links::new();
        let mut numbers = 1..=u8::MAX;
        each_row(connection, &self.links, board, |keyed, row| {
            let link: Option<Link> = match numbers.next() {
                Some(number) => keyed.link(number, row, faults)?,
                None => None,
            };
            links.extend(link);
            Ok(())
        })?;
        Ok(links)
    }

    /// The leaf of a board.
    ///
    /// # Errors
    /// Returns the same errors as [`Lookup::position`].
    pub fn leaf<F: Faults>(
        &self,
        connection: &Connection,
        board: CanonicalBoard,
        faults: &mut F,
    ) -> Result<Option<Leaf>, Error> {
        self.leaf_of(connection, board, Engine::Edax, faults)
    }

    /// `engine` is assumed if the row has no valid one.
    fn leaf_of<F: Faults>(
        &self,
        connection: &Connection,
        board: CanonicalBoard,
        engine: Engine,
        faults: &mut F,
    ) -> Result<Option<Leaf>, Error> {
        let mut leaf = None;
        each_row(connection, &self.leaf, board, |keyed, row| {
            leaf = keyed.leaf(engine, row, faults)?;
            Ok(())
        })?;
        Ok(leaf)
    }
}

fn by_key(select: &str) -> String {
    format!("{select} WHERE board = ?")
}

fn each_row(
    connection: &Connection,
    sql: &str,
    board: CanonicalBoard,
    mut read: impl FnMut(&KeyedBoard, &Row<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let keyed = KeyedBoard::of(board);
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([board.to_key()])?;
    while let Some(row) = rows.next()? {
        read(&keyed, row)?;
    }
    Ok(())
}
