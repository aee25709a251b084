//! Reading positions back: one by one by key, or all in key order.

use super::Store;
use crate::{Error, Result};
use obook_converters::{Bounds, Engine, Leaf, Link, Outcomes, Position};
use obook_othello::{CanonicalBoard, Move};
use rusqlite::types::ValueRef;
use rusqlite::{Row, Rows};

const POSITION: &str =
    "SELECT board, value, lower, upper, level, engine, wins, draws, losses, lines FROM positions";
const LINK: &str = "SELECT board, move, score FROM links";
const LEAF: &str = "SELECT board, move, score, level FROM leaves";

impl Store {
    /// The position of a board with its links, best first, and its leaf; `None` where the book doesn't have it.
    ///
    /// # Errors
    /// [`Error::Sqlite`], and [`Error::BadRow`] for a row that makes no sense.
    pub fn position(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        let key = board.to_key();
        let failed = || self.failed("read");
        let prepare = |select: &str| {
            let sql = format!("{select} WHERE board = ? ORDER BY board");
            self.connection.prepare_cached(&sql).map_err(failed())
        };
        let mut statement = prepare(POSITION)?;
        let mut rows = statement.query([&key]).map_err(failed())?;
        let Some(row) = rows.next().map_err(failed())? else {
            return Ok(None);
        };
        let mut position = self.cells(row, "positions")?.position()?;
        let mut statement = prepare(LINK)?;
        let mut rows = statement.query([&key]).map_err(failed())?;
        while let Some(row) = rows.next().map_err(failed())? {
            position.links.push(self.cells(row, "links")?.link()?);
        }
        best_first(&mut position);
        let mut statement = prepare(LEAF)?;
        let mut rows = statement.query([&key]).map_err(failed())?;
        if let Some(row) = rows.next().map_err(failed())? {
            position.leaf = Some(self.cells(row, "leaves")?.leaf()?);
        }
        Ok(Some(position))
    }

    /// Shows every position to `visit` in key order, from one snapshot: writers don't disturb it, and it keeps only
    /// one position in memory. Rows of `links` and `leaves` without a position are passed over.
    ///
    /// # Errors
    /// As [`Store::position`], and whatever `visit` returns: the walk then ends.
    pub fn scan(&self, mut visit: impl FnMut(Position) -> Result<()>) -> Result<()> {
        let failed = || self.failed("read");
        let snapshot = self.connection.unchecked_transaction().map_err(failed())?;
        let prepare = |select: &str, order: &str| {
            snapshot
                .prepare(&format!("{select} ORDER BY {order}"))
                .map_err(failed())
        };
        let mut positions = prepare(POSITION, "board")?;
        let mut links = prepare(LINK, "board, move")?;
        let mut leaves = prepare(LEAF, "board")?;
        let mut positions = positions.query([]).map_err(failed())?;
        let mut links =
            Follower::new(self, "links", links.query([]).map_err(failed())?, |cells| {
                cells.link()
            })?;
        let mut leaves = Follower::new(
            self,
            "leaves",
            leaves.query([]).map_err(failed())?,
            |cells| cells.leaf(),
        )?;
        while let Some(row) = positions.next().map_err(failed())? {
            let mut position = self.cells(row, "positions")?.position()?;
            let key = position.board.to_key();
            while let Some(link) = links.of(&key)? {
                position.links.push(link);
            }
            best_first(&mut position);
            while let Some(leaf) = leaves.of(&key)? {
                position.leaf = Some(leaf);
            }
            visit(position)?;
        }
        Ok(())
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

    fn cells<'r>(&'r self, row: &'r Row<'r>, table: &'static str) -> Result<Cells<'r>> {
        Cells::new(self, row, table)
    }
}

/// Edax keeps links best score first; equal ones stay in the order of their moves.
fn best_first(position: &mut Position) {
    position
        .links
        .sort_by_key(|link| std::cmp::Reverse(link.score));
}

/// Walks a table beside `positions`: both are in key order, so each row is met once.
struct Follower<'s, 'r, T> {
    store: &'s Store,
    table: &'static str,
    rows: Rows<'r>,
    read: fn(&Cells<'_>) -> Result<T>,
    next: Option<([u8; 16], T)>,
}

impl<'s, 'r, T> Follower<'s, 'r, T> {
    fn new(
        store: &'s Store,
        table: &'static str,
        rows: Rows<'r>,
        read: fn(&Cells<'_>) -> Result<T>,
    ) -> Result<Follower<'s, 'r, T>> {
        let mut follower = Follower {
            store,
            table,
            rows,
            read,
            next: None,
        };
        follower.advance()?;
        Ok(follower)
    }

    fn advance(&mut self) -> Result<Option<T>> {
        let next = match self.rows.next().map_err(self.store.failed("read"))? {
            Some(row) => {
                let cells = Cells::new(self.store, row, self.table)?;
                Some((cells.key, (self.read)(&cells)?))
            }
            None => None,
        };
        Ok(std::mem::replace(&mut self.next, next).map(|(_, item)| item))
    }

    /// The next row of this key, if there is one more; rows of smaller keys belong to no position and are skipped.
    fn of(&mut self, key: &[u8; 16]) -> Result<Option<T>> {
        while self.next.as_ref().is_some_and(|(next, _)| next < key) {
            self.advance()?;
        }
        match &self.next {
            Some((next, _)) if next == key => self.advance(),
            _ => Ok(None),
        }
    }
}

/// A row under inspection: every cell is checked, because anybody may have written it with SQL.
struct Cells<'r> {
    store: &'r Store,
    row: &'r Row<'r>,
    table: &'static str,
    key: [u8; 16],
}

impl<'r> Cells<'r> {
    fn new(store: &'r Store, row: &'r Row<'r>, table: &'static str) -> Result<Cells<'r>> {
        match row.get_ref(0) {
            Ok(ValueRef::Blob(blob)) if blob.len() == 16 => Ok(Cells {
                store,
                row,
                table,
                key: blob.try_into().expect("16 bytes"),
            }),
            other => {
                let found =
                    other.map_or_else(|error| error.to_string(), |cell| format!("{cell:?}"));
                let problem = format!("a key of 16 bytes expected, found {found}");
                Err(bad_row(store, table, String::from("?"), problem))
            }
        }
    }

    fn bad(&self, problem: String) -> Error {
        let board = self.key.iter().map(|byte| format!("{byte:02x}")).collect();
        bad_row(self.store, self.table, board, problem)
    }

    fn number<T: TryFrom<i64>>(&self, column: usize) -> Result<Option<T>> {
        let cell = self
            .row
            .get_ref(column)
            .map_err(self.store.failed("read"))?;
        let problem = match cell {
            ValueRef::Null => return Ok(None),
            ValueRef::Integer(number) => match T::try_from(number) {
                Ok(number) => return Ok(Some(number)),
                Err(_) => format!("{number} is out of range"),
            },
            other => format!("a number expected, found {:?}", other.data_type()),
        };
        let name = self
            .row
            .as_ref()
            .column_name(column)
            .unwrap_or("?")
            .to_owned();
        Err(self.bad(format!("column {name}: {problem}")))
    }

    fn needed<T: TryFrom<i64>>(&self, column: usize) -> Result<T> {
        self.number(column)?.ok_or_else(|| {
            let name = self
                .row
                .as_ref()
                .column_name(column)
                .unwrap_or("?")
                .to_owned();
            self.bad(format!("column {name}: a number expected, found NULL"))
        })
    }

    fn position(&self) -> Result<Position> {
        let board = match CanonicalBoard::from_key(self.key) {
            Ok(Some(board)) => board,
            Ok(None) => {
                return Err(self.bad(String::from("not the canonical board of its position")));
            }
            Err(overlap) => return Err(self.bad(overlap.to_string())),
        };
        let engine = match self.needed::<u8>(5)? {
            1 => Engine::Edax,
            2 => Engine::Egaroucid,
            other => {
                return Err(self.bad(format!(
                    "column engine: {other} is no engine that obook knows"
                )));
            }
        };
        let mut position = Position::new(board, engine);
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

    fn link(&self) -> Result<Link> {
        let code = self.needed(1)?;
        let mv = Move::from_code(code).ok_or_else(|| self.no_move(code))?;
        Ok(Link {
            mv,
            score: self.number(2)?,
        })
    }

    fn leaf(&self) -> Result<Leaf> {
        let mv = match self.number(1)? {
            Some(code) => Some(Move::from_code(code).ok_or_else(|| self.no_move(code))?),
            None => None,
        };
        Ok(Leaf {
            mv,
            score: self.needed(2)?,
            level: self.number(3)?,
        })
    }

    fn no_move(&self, code: u8) -> Error {
        self.bad(format!("column move: {code} is no move, expected 0–64"))
    }
}

fn bad_row(store: &Store, table: &'static str, board: String, problem: String) -> Error {
    Error::BadRow {
        path: store.path.clone(),
        table,
        board,
        problem,
    }
}
