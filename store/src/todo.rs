//! The table of positions that only a search can complete.

use super::{Store, Update};
use crate::Result;
use obook_model::levels;
use obook_model::{Engine, Leaf, Position};
use obook_othello::CanonicalBoard;
use obook_rows::{BulkInsert, Cell};
use rusqlite::{Connection, OptionalExtension, Row};

/// A position that lacks a leaf: a row of `todo`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Missing {
    /// The position.
    pub board: CanonicalBoard,
    /// Of the leaf that it had until the move became a link, if it had one: a weaker search is no answer.
    pub lost: Option<Lost>,
}

/// Whose search a lost leaf was, and at what level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lost {
    /// The level, on the engine's scale.
    pub level: u8,
    /// Whose scale that is.
    pub engine: Engine,
}

impl Lost {
    /// Of a leaf that this position had.
    #[must_use]
    pub fn of(leaf: Leaf, position: &Position) -> Option<Lost> {
        let level = levels::of_leaf(leaf, position.level, position.engine)?;
        Some(Lost {
            level,
            engine: leaf.engine,
        })
    }
}

impl Update<'_> {
    /// Puts these positions, given in key order, in place of those that lacked a leaf; writes only if that changes
    /// anything. Which leaf a position lost earlier is not forgotten.
    ///
    /// # Errors
    /// [`Error::Sqlite`](crate::Error::Sqlite).
    pub fn replace_todo(&self, missing: &[Missing]) -> Result<()> {
        if self.has_todo(missing).map_err(self.failed())? {
            return Ok(());
        }
        self.log_whole("todo")?;
        let write = || {
            let known = missing
                .iter()
                .map(|it| match it.lost {
                    None => lost_leaf(self.connection(), it.board),
                    lost => Ok(lost),
                })
                .collect::<rusqlite::Result<Vec<_>>>()?;
            self.connection().execute_batch("DELETE FROM todo")?;
            let columns = ["board", "reason", "level", "engine"];
            let mut table = BulkInsert::into_columns(self.connection(), "todo", &columns)?;
            for (it, lost) in missing.iter().zip(known) {
                table.push([
                    it.board.into(),
                    Cell::Text("leaf"),
                    lost.map(|lost| lost.level).into(),
                    lost.map(|lost| lost.engine.code()).into(),
                ])?;
            }
            table.finish()
        };
        write().map_err(self.failed())
    }

    /// Says that a position lacks a leaf. Which one it lost earlier is not forgotten.
    ///
    /// # Errors
    /// [`Error::Sqlite`](crate::Error::Sqlite).
    pub fn put_todo(&self, missing: Missing) -> Result<()> {
        let sql = "INSERT INTO todo (board, reason, level, engine) VALUES (?1, 'leaf', ?2, ?3)
             ON CONFLICT DO UPDATE SET level = ?2, engine = ?3 WHERE ?2 IS NOT NULL";
        let write = || {
            self.connection()
                .prepare_cached(sql)?
                .execute(rusqlite::params![
                    missing.board.to_key(),
                    missing.lost.map(|lost| lost.level),
                    missing.lost.map(|lost| lost.engine.code())
                ])
        };
        write().map(drop).map_err(self.failed())
    }

    /// Says that a position lacks nothing.
    ///
    /// # Errors
    /// [`Error::Sqlite`](crate::Error::Sqlite).
    pub fn remove_todo(&self, board: CanonicalBoard) -> Result<()> {
        let write = || {
            self.connection()
                .prepare_cached("DELETE FROM todo WHERE board = ?")?
                .execute([board.to_key()])
        };
        write().map(drop).map_err(self.failed())
    }

    /// Whether the table says just this so far.
    fn has_todo(&self, missing: &[Missing]) -> rusqlite::Result<bool> {
        let sql = "SELECT level, engine, board FROM todo WHERE reason = 'leaf' ORDER BY board";
        let mut statement = self.connection().prepare(sql)?;
        let mut rows = statement.query([])?;
        for it in missing {
            let Some(row) = rows.next()? else {
                return Ok(false);
            };
            let is_it = row.get_ref(2)?.as_bytes()? == it.board.to_key();
            if !is_it || it.lost.is_some() && it.lost != lost(row)? {
                return Ok(false);
            }
        }
        Ok(rows.next()?.is_none())
    }
}

impl Store {
    /// The leaf that a position lost because its move became a link, where it has found no other since.
    ///
    /// # Errors
    /// [`Error::Sqlite`](crate::Error::Sqlite).
    pub fn lost_leaf(&self, board: CanonicalBoard) -> Result<Option<Lost>> {
        lost_leaf(self.connection(), board).map_err(self.failed("read"))
    }
}

fn lost_leaf(connection: &Connection, board: CanonicalBoard) -> rusqlite::Result<Option<Lost>> {
    connection
        .prepare_cached("SELECT level, engine FROM todo WHERE board = ?")?
        .query_row([board.to_key()], lost)
        .optional()
        .map(Option::flatten)
}

/// The columns `level` and `engine`; what makes no sense says nothing.
fn lost(row: &Row<'_>) -> rusqlite::Result<Option<Lost>> {
    let engine = row.get::<_, Option<i64>>(1)?.and_then(Engine::from_code);
    let level = row.get::<_, Option<i64>>(0)?;
    let level = level.and_then(|level| level.try_into().ok());
    Ok(level
        .zip(engine)
        .map(|(level, engine)| Lost { level, engine }))
}
