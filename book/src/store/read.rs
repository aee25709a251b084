//! Rows back into positions, one by one by key.

use super::{Store, Update};
use crate::{Error, Result};
use obook_converters::{Bounds, Engine, Leaf, Link, Outcomes, Position};
use obook_othello::{CanonicalBoard, Move};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use std::path::Path;

pub(super) const POSITION: &str =
    "SELECT board, value, lower, upper, level, engine, wins, draws, losses, lines FROM positions";
pub(super) const LINK: &str = "SELECT board, move, score FROM links";
pub(super) const LEAF: &str = "SELECT board, move, score, level, engine FROM leaves";

impl Store {
    /// The position of a board with its links, best first, and its leaf; `None` where the book doesn't have it.
    ///
    /// # Errors
    /// [`Error::Sqlite`], and [`Error::BadRow`] for a row that makes no sense.
    pub fn position(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        position(&self.connection, &self.path, board)
    }

    /// As [`Store::position`], but without links and leaf: one question instead of three.
    ///
    /// # Errors
    /// As [`Store::position`].
    pub fn numbers(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        numbers(&self.connection, &self.path, board)
    }

    /// How many positions the book has. SQLite counts them one by one.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub fn count(&self) -> Result<u64> {
        self.connection
            .query_row("SELECT count(*) FROM positions", [], |row| {
                row.get::<_, i64>(0)
            })
            .map(i64::cast_unsigned)
            .map_err(self.failed("read"))
    }
}

impl Update<'_> {
    /// As [`Store::position`], of the book as the transaction has changed it so far.
    ///
    /// # Errors
    /// As [`Store::position`].
    pub fn position(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        position(self.connection(), self.path(), board)
    }

    /// As [`Store::numbers`], of the book as the transaction has changed it so far.
    ///
    /// # Errors
    /// As [`Store::position`].
    pub fn numbers(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        numbers(self.connection(), self.path(), board)
    }
}

fn position(
    connection: &Connection,
    path: &Path,
    board: CanonicalBoard,
) -> Result<Option<Position>> {
    let Some(mut position) = numbers(connection, path, board)? else {
        return Ok(None);
    };
    let links = rows_of(connection, path, board, LINK, |cells| cells.link())?;
    position.links.extend(links);
    best_first(&mut position);
    position.leaf = rows_of(connection, path, board, LEAF, |cells| cells.leaf())?.pop();
    Ok(Some(position))
}

fn numbers(
    connection: &Connection,
    path: &Path,
    board: CanonicalBoard,
) -> Result<Option<Position>> {
    let mut rows = rows_of(connection, path, board, POSITION, |cells| cells.position())?;
    Ok(rows.pop())
}

fn rows_of<T>(
    connection: &Connection,
    path: &Path,
    board: CanonicalBoard,
    select: &str,
    read: fn(&Cells<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let failed = || Error::sqlite(path, "read");
    let sql = format!("{select} WHERE board = ?");
    let mut statement = connection.prepare_cached(&sql).map_err(failed())?;
    let mut rows = statement.query([board.to_key()]).map_err(failed())?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().map_err(failed())? {
        found.push(read(&Cells::new(path, row)?)?);
    }
    Ok(found)
}

/// Edax keeps links best score first; equal ones stay in the order of their moves.
pub(super) fn best_first(position: &mut Position) {
    position
        .links
        .sort_by_key(|link| std::cmp::Reverse(link.score));
}

/// A row under inspection: every cell is checked, because anybody may have written it with SQL.
pub(super) struct Cells<'r> {
    path: &'r Path,
    row: &'r Row<'r>,
    pub(super) key: [u8; 16],
}

impl<'r> Cells<'r> {
    pub(super) fn new(path: &'r Path, row: &'r Row<'r>) -> Result<Cells<'r>> {
        match row.get_ref(0) {
            Ok(ValueRef::Blob(blob)) if blob.len() == 16 => Ok(Cells {
                path,
                row,
                key: blob.try_into().expect("16 bytes"),
            }),
            other => {
                let found =
                    other.map_or_else(|error| error.to_string(), |cell| format!("{cell:?}"));
                let problem = format!("a key of 16 bytes expected, found {found}");
                Err(Error::BadRow {
                    path: path.to_owned(),
                    board: String::from("?"),
                    problem,
                })
            }
        }
    }

    fn bad(&self, problem: String) -> Error {
        let board = self.key.iter().map(|byte| format!("{byte:02x}")).collect();
        Error::BadRow {
            path: self.path.to_owned(),
            board,
            problem,
        }
    }

    fn number<T: TryFrom<i64>>(&self, column: usize) -> Result<Option<T>> {
        let cell = self
            .row
            .get_ref(column)
            .map_err(Error::sqlite(self.path, "read"))?;
        let problem = match cell {
            ValueRef::Null => return Ok(None),
            ValueRef::Integer(number) => match T::try_from(number) {
                Ok(number) => return Ok(Some(number)),
                Err(_) => format!("{number} is out of range"),
            },
            other => format!("a number expected, found {:?}", other.data_type()),
        };
        Err(self.bad(format!("column {}: {problem}", self.name(column))))
    }

    fn needed<T: TryFrom<i64>>(&self, column: usize) -> Result<T> {
        self.number(column)?.ok_or_else(|| {
            self.bad(format!(
                "column {}: a number expected, found NULL",
                self.name(column)
            ))
        })
    }

    fn name(&self, column: usize) -> String {
        self.row
            .as_ref()
            .column_name(column)
            .unwrap_or("?")
            .to_owned()
    }

    pub(super) fn position(&self) -> Result<Position> {
        let board = match CanonicalBoard::from_key(self.key) {
            Ok(Some(board)) => board,
            Ok(None) => {
                return Err(self.bad(String::from("not the canonical board of its position")));
            }
            Err(overlap) => return Err(self.bad(overlap.to_string())),
        };
        let mut position = Position::new(board, self.engine(5)?);
        position.value = self.number(1)?;
        position.bounds = match (self.number(2)?, self.number(3)?) {
            (Some(lower), Some(upper)) => Some(Bounds { lower, upper }),
            _ => None,
        };
        position.level = self.number(4)?;
        position.outcomes = match (self.number(6)?, self.number(7)?, self.number(8)?) {
            (Some(wins), Some(draws), Some(losses)) => Some(Outcomes {
                wins,
                draws,
                losses,
            }),
            _ => None,
        };
        position.lines = self.number(9)?;
        Ok(position)
    }

    pub(super) fn link(&self) -> Result<Link> {
        let code = self.needed(1)?;
        let mv = Move::from_code(code).ok_or_else(|| self.no_move(code))?;
        Ok(Link {
            mv,
            score: self.number(2)?,
        })
    }

    pub(super) fn leaf(&self) -> Result<Leaf> {
        let mv = match self.number(1)? {
            Some(code) => Some(Move::from_code(code).ok_or_else(|| self.no_move(code))?),
            None => None,
        };
        Ok(Leaf {
            mv,
            score: self.needed(2)?,
            level: self.number(3)?,
            engine: self.engine(4)?,
        })
    }

    fn engine(&self, column: usize) -> Result<Engine> {
        match self.needed::<u8>(column)? {
            1 => Ok(Engine::Edax),
            2 => Ok(Engine::Egaroucid),
            other => Err(self.bad(format!(
                "column {}: {other} is no engine that obook knows",
                self.name(column)
            ))),
        }
    }

    fn no_move(&self, code: u8) -> Error {
        self.bad(format!("column move: {code} is no move, expected 0–64"))
    }
}
