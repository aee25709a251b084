//! Positions one by one, by key.

use crate::decode::{Place, best_first};
use crate::fault::{Error, Faults};
use crate::table::Table;
use obook_model::{Engine, Leaf, Link, Links, Position};
use obook_othello::CanonicalBoard;
use rusqlite::{Connection, Row};
use std::sync::LazyLock;

/// The questions that look positions up in one of the databases of a connection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lookup {
    position: String,
    links: String,
    leaf: String,
}

impl Lookup {
    /// In the attached database of this name; without a name, in the first that has the tables. It may be of an older
    /// version, so what a book says of a missing leaf is not asked for.
    ///
    /// ```
    /// use obook_rows::Lookup;
    /// let other = Lookup::in_schema(Some("other"));
    /// assert_ne!(other, Lookup::in_schema(None));
    /// ```
    #[must_use]
    pub fn in_schema(name: Option<&str>) -> Lookup {
        let schema = name.map_or(String::new(), |name| {
            format!("\"{}\".", name.replace('"', "\"\""))
        });
        let by_key = |table: Table| by_key(&table.select_of_any_version(&schema));
        Lookup {
            position: by_key(Table::Positions),
            links: by_key(Table::Links),
            leaf: by_key(Table::Leaves),
        }
    }

    /// In the database that the connection was opened for, which is of the current version or shown as such by views.
    #[must_use]
    pub fn main() -> &'static Lookup {
        static MAIN: LazyLock<Lookup> = LazyLock::new(|| Lookup {
            position: by_key(&Table::Positions.select()),
            links: by_key(&Table::Links.select()),
            leaf: by_key(&Table::Leaves.select()),
        });
        &MAIN
    }

    /// A position with its links, best first, and its leaf; `None` where the book doesn't have it.
    ///
    /// # Errors
    /// Where SQLite can't read, and whatever `faults` gives.
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
        best_first(&mut position);
        let leaf = self.leaf_of(connection, board, position.engine, faults)?;
        leaf.into_iter().for_each(|leaf| position.set_leaf(leaf));
        Ok(Some(position))
    }

    /// As [`Lookup::position`], but without links and leaf: one question instead of three.
    ///
    /// # Errors
    /// As [`Lookup::position`].
    pub fn numbers<F: Faults>(
        &self,
        connection: &Connection,
        board: CanonicalBoard,
        faults: &mut F,
    ) -> Result<Option<Position>, Error> {
        let mut found = None;
        each_row(connection, &self.position, board, |place, row| {
            found = Some(place.numbers(row, faults)?);
            Ok(())
        })?;
        Ok(found)
    }

    /// The links of a board, in the order of their moves.
    ///
    /// # Errors
    /// As [`Lookup::position`].
    pub fn links<F: Faults>(
        &self,
        connection: &Connection,
        board: CanonicalBoard,
        faults: &mut F,
    ) -> Result<Links, Error> {
        let mut links = Links::new();
        let mut numbers = 1..=u8::MAX;
        each_row(connection, &self.links, board, |place, row| {
            let link: Option<Link> = match numbers.next() {
                Some(number) => place.link(number, row, faults)?,
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
    /// As [`Lookup::position`].
    pub fn leaf<F: Faults>(
        &self,
        connection: &Connection,
        board: CanonicalBoard,
        faults: &mut F,
    ) -> Result<Option<Leaf>, Error> {
        self.leaf_of(connection, board, Engine::Edax, faults)
    }

    /// `engine` is assumed where the row names none.
    fn leaf_of<F: Faults>(
        &self,
        connection: &Connection,
        board: CanonicalBoard,
        engine: Engine,
        faults: &mut F,
    ) -> Result<Option<Leaf>, Error> {
        let mut leaf = None;
        each_row(connection, &self.leaf, board, |place, row| {
            leaf = place.leaf(engine, row, faults)?;
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
    mut read: impl FnMut(&Place, &Row<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let place = Place::of(board);
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([board.to_key()])?;
    while let Some(row) = rows.next()? {
        read(&place, row)?;
    }
    Ok(())
}
