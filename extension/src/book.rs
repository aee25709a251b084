//! The book in the database that SQL is asking: look-ups by key.

use crate::arguments::{read_move, read_number};
use crate::problem::{Problem, Result};
use obook_othello::{CanonicalBoard, Move};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, Statement};

/// The tables of a book.
pub(crate) struct Book<'c> {
    connection: &'c Connection,
    position: String,
    links: String,
    leaf: String,
}

/// What a book says about a position itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Numbers {
    pub(crate) value: Option<i64>,
    pub(crate) level: Option<i64>,
}

/// A move that leads to a position of the book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Link {
    pub(crate) mv: Move,
    pub(crate) score: Option<i64>,
}

/// The move that leads out of the book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Leaf {
    pub(crate) mv: Move,
    pub(crate) score: i64,
    pub(crate) level: Option<i64>,
}

impl<'c> Book<'c> {
    /// The book in the attached database `schema`; without a name, the first that has one.
    pub(crate) fn new(
        connection: &'c Connection,
        schema: Option<ValueRef<'_>>,
    ) -> Result<Book<'c>> {
        let of = match schema {
            None => String::new(),
            Some(ValueRef::Text(name)) => {
                let name = std::str::from_utf8(name).map_err(Problem::new)?;
                format!("\"{}\".", name.replace('"', "\"\""))
            }
            Some(_) => return Err(Problem::new("expected the name of an attached database")),
        };
        Ok(Book {
            connection,
            position: format!("SELECT value, level FROM {of}positions WHERE board = ?"),
            links: format!("SELECT move, score FROM {of}links WHERE board = ? ORDER BY move"),
            leaf: format!(
                "SELECT move, score, level FROM {of}leaves WHERE board = ? AND move IS NOT NULL"
            ),
        })
    }

    /// A position's own numbers, if the book holds it.
    pub(crate) fn position(&self, board: CanonicalBoard) -> Result<Option<Numbers>> {
        self.first(&self.position, board, |row| {
            Ok(Numbers {
                value: row.get(0)?,
                level: row.get(1)?,
            })
        })
    }

    /// A position's links in the order of their moves.
    pub(crate) fn links(&self, board: CanonicalBoard) -> Result<Vec<Link>> {
        let mut statement = self.statement(&self.links)?;
        let mut rows = statement.query([board.to_key()])?;
        let mut links = Vec::new();
        while let Some(row) = rows.next()? {
            links.push(Link {
                mv: mv(row)?,
                score: score(row.get_ref(1)?)?,
            });
        }
        Ok(links)
    }

    /// A position's leaf, unless it has none.
    pub(crate) fn leaf(&self, board: CanonicalBoard) -> Result<Option<Leaf>> {
        self.first(&self.leaf, board, |row| {
            Ok(Leaf {
                mv: mv(row)?,
                score: score(row.get_ref(1)?)?.unwrap_or_default(),
                level: row.get(2)?,
            })
        })
    }

    fn first<T>(
        &self,
        sql: &str,
        board: CanonicalBoard,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self.statement(sql)?;
        let mut rows = statement.query([board.to_key()])?;
        rows.next()?.map(read).transpose()
    }

    fn statement(
        &self,
        sql: &str,
    ) -> Result<impl std::ops::DerefMut<Target = Statement<'c>> + use<'c>> {
        Ok(self.connection.prepare_cached(sql)?)
    }
}

fn mv(row: &Row<'_>) -> Result<Move> {
    read_move(row.get_ref(0)?)
}

/// A score of a link or leaf; a database that somebody damaged may have anything there.
fn score(value: ValueRef<'_>) -> Result<Option<i64>> {
    match value {
        ValueRef::Null => Ok(None),
        value => read_number(value, "a score", -64..=64).map(Some),
    }
}
