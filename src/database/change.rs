//! Changes of positions and settings.

use super::{BookHeader, Source, Store};
use crate::Result;
use itertools::Itertools;
use obook_base::sql::Answer;
use obook_base::sqlite::put;
use obook_graph::Differs;
use obook_othello::{CanonicalBoard, Link, Move, Position};
use obook_sql::rows::{Table, encode};
use serde::Serialize;
use std::ops::Deref;
use std::sync::LazyLock;

/// A [change](obook_store::Change) of a book of Othello.
#[derive(Debug)]
pub struct Change<'s> {
    change: obook_store::Change<'s>,
    store: &'s Store,
}

impl<'s> Deref for Change<'s> {
    type Target = obook_store::Change<'s>;

    fn deref(&self) -> &obook_store::Change<'s> {
        &self.change
    }
}

/// Overwrites all columns but the first two, which never change.
static UPDATE_NUMBERS: LazyLock<String> = LazyLock::new(|| {
    let columns = (1..).zip(Table::Positions.columns()).skip(2);
    let mut set = columns.map(|(place, column)| format!("{column} = ?{place}"));
    format!("UPDATE positions SET {} WHERE board = ?1", set.join(", "))
});
const UPDATE_LINK: &str = "UPDATE links SET score = ?3 WHERE board = ?1 AND move = ?2";
const DELETE_LINK: &str = "DELETE FROM links WHERE board = ? AND move = ?";

impl Store {
    /// Begins a [change](obook_store::Store::change).
    ///
    /// # Errors
    /// As [`obook_store::Store::change`].
    pub fn change(&mut self) -> Result<Change<'_>> {
        self.continue_change(None)
    }

    /// Begins the [next part](obook_store::Store::continue_change) of a change.
    ///
    /// # Errors
    /// As [`obook_store::Store::change`].
    pub fn continue_change(&mut self, last: Option<i64>) -> Result<Change<'_>> {
        let store = &*self;
        let change = store.begin_change(last)?;
        Ok(Change { change, store })
    }
}

impl Change<'_> {
    /// The book that is changed.
    #[must_use]
    pub fn store(&self) -> &Store {
        self.store
    }

    /// [Commits](obook_store::Change::commit) the change.
    ///
    /// # Errors
    /// As [`obook_store::Change::commit`].
    ///
    /// # Panics
    /// If `counts` can't be written as JSON.
    pub fn commit(self, counts: &impl Serialize) -> Result<Option<i64>> {
        Ok(self.change.commit(counts)?)
    }
}

/// Positions.
impl Change<'_> {
    /// Writes a position with its links and its leaf, in place of what the book had for its board.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be written.
    pub fn put(&self, position: &Position) -> Result<()> {
        self.name_engines_of(position)?;
        let mut tables = Table::ALL.into_iter();
        tables.try_for_each(|table| self.put_rows(table, position))
    }

    /// Removes a position with its links and its leaf. Links that lead to it stay.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be written.
    pub fn remove(&self, board: CanonicalBoard) -> Result<()> {
        let mut tables = Table::ALL.into_iter();
        tables.try_for_each(|table| self.delete(table, board))
    }

    /// Writes a position in place of `old`, which is what the book has for its board so far; only cells that differ are written.
    /// Returns what differs.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be written.
    #[doc(hidden)]
    pub fn replace(&self, old: Option<&Position>, new: &Position) -> Result<Differs> {
        self.name_engines_of(new)?;
        let Some(old) = old else {
            let mut tables = Table::ALL.into_iter();
            tables.try_for_each(|table| self.add_rows(table, new))?;
            return Ok(Differs::ALL);
        };
        let differs = Differs::between(old, new);
        if differs.numbers {
            // The number of empty squares (?2) follows from the board.
            self.set(&UPDATE_NUMBERS, encode::position(new))?;
        }
        if differs.links {
            self.replace_links(old, new)?;
        }
        if differs.leaf {
            self.put_rows(Table::Leaves, new)?;
        }
        Ok(differs)
    }

    fn replace_links(&self, old: &Position, new: &Position) -> Result<()> {
        let is_in = |position: &Position, mv: Move| position.links.iter().any(|link| link.mv == mv);
        for Link { mv, .. } in old.links.iter().filter(|link| !is_in(new, link.mv)) {
            self.set(DELETE_LINK, (old.board.to_key(), mv.code()))?;
        }
        for link in &new.links {
            let row = encode::link(new.board, *link);
            match old.links.iter().find(|before| before.mv == link.mv) {
                Some(before) if before == link => {}
                Some(_) => self.set(UPDATE_LINK, row)?,
                None => self.insert(Table::Links, row)?,
            }
        }
        Ok(())
    }

    /// The number of rows in a table.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the table can't be read.
    #[doc(hidden)]
    pub fn count(&self, table: Table) -> Result<u64> {
        let sql = format!("SELECT count(*) FROM {}", table.name());
        let count = self.connection().query_row(&sql, [], |row| row.get(0));
        Ok(count.map(i64::cast_unsigned).map_err(self.failed())?)
    }

    fn delete(&self, table: Table, board: CanonicalBoard) -> Result<()> {
        let sql = format!("DELETE FROM {} WHERE board = ?1", table.name());
        Ok(self.set(&sql, [board.to_key()])?)
    }

    /// Writes a position's rows in place of those that a table had for its board.
    pub(super) fn put_rows(&self, table: Table, position: &Position) -> Result<()> {
        self.delete(table, position.board)?;
        self.add_rows(table, position)
    }

    /// Inserts a position's rows, in place of any with the same key.
    fn add_rows(&self, table: Table, position: &Position) -> Result<()> {
        match table {
            Table::Positions => self.insert(table, encode::position(position)),
            Table::Links => encode::links(position).try_for_each(|link| self.insert(table, link)),
            Table::Leaves => encode::leaf(position).map_or(Ok(()), |leaf| self.insert(table, leaf)),
        }
    }

    fn insert<const COLUMNS: usize>(&self, table: Table, row: [Answer<'_>; COLUMNS]) -> Result<()> {
        Ok(put(self.connection(), table.name(), table.columns(), row).map_err(self.failed())?)
    }
}

/// The header.
impl Change<'_> {
    /// Writes the book's settings.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be written.
    pub fn set_header(&self, header: &BookHeader) -> Result<()> {
        Ok(header.write(self.connection()).map_err(self.failed())?)
    }

    /// Records that a file was imported.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be written.
    pub fn add_source(&self, source: &Source) -> Result<()> {
        Ok(source.insert(self.connection()).map_err(self.failed())?)
    }

    /// Records that the book may no longer hold what was imported. For changes that remove positions or overwrite numbers; if
    /// nothing has been changed so far, this does nothing.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be written.
    pub fn forget_sources(&self) -> Result<()> {
        if self.has_changes() {
            let sql = "UPDATE sources SET current = NULL WHERE current IS NOT NULL";
            self.set(sql, [])?;
        }
        Ok(())
    }

    /// Records the value of a repetition in the numbers as they are now, in discs from −64 to 64 for the side that makes it.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be written.
    pub fn set_repetition(&self, worth: i8) -> Result<()> {
        let worth = Some(worth).filter(|worth| *worth != 0);
        let sql = "UPDATE book SET repetition = ?1 WHERE repetition IS NOT ?1";
        Ok(self.set(sql, [worth])?)
    }
}
