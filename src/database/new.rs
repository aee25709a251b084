//! New books.

use super::about::{Missing, fill_todo};
use super::bulk::fill;
use super::{BookHeader, OTHELLO, RowCounts, Source};
use crate::{Context, Error, IfExists, Result};
use obook_othello::{CanonicalBoard, Forecast, Position, RuleSet};
use serde::Serialize;
use std::ops::Deref;
use std::path::Path;

/// A [database in the making](obook_store::NewBook), for a book of Othello.
#[derive(Debug)]
pub struct NewBook(obook_store::NewBook);

impl Deref for NewBook {
    type Target = obook_store::NewBook;

    fn deref(&self) -> &obook_store::NewBook {
        &self.0
    }
}

impl NewBook {
    /// Begins a database that will be at `path`. Until they are [set](NewBook::set_header), its settings are those of
    /// [`BookHeader::new`] with Edax's rules.
    ///
    /// # Errors
    /// As [`obook_store::NewBook::create`], and if the database can't be written.
    pub fn create(
        path: impl AsRef<Path>,
        if_exists: IfExists,
        context: &Context,
    ) -> Result<NewBook> {
        let new = obook_store::NewBook::create(&OTHELLO, path.as_ref(), if_exists, context)?;
        let new = NewBook(new);
        new.set_header(&BookHeader::new(RuleSet::Edax))?;
        Ok(new)
    }

    /// Makes a database at `path` in several steps, as [`obook_store::NewBook::in_steps`].
    ///
    /// # Errors
    /// As there.
    pub fn in_steps<T, E: From<obook_store::Error>>(
        path: impl AsRef<Path>,
        if_exists: IfExists,
        context: &Context,
        make: impl FnOnce(&Path) -> Result<T, E>,
    ) -> Result<T, E> {
        obook_store::NewBook::in_steps(&OTHELLO, path.as_ref(), if_exists, context, make)
    }

    /// Writes every position. `walk` is called once for each table and must yield the same positions in key order each time.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be written, and the first error of `walk`.
    pub fn fill<I>(&self, walk: impl FnMut() -> Result<I>) -> Result<RowCounts>
    where
        I: Iterator<Item = Result<Position>> + Send,
    {
        let written = fill(self.connection(), self.path(), walk)?;
        let rows = RowCounts::of(&written);
        self.set_counts(written);
        Ok(rows)
    }

    /// Writes the forecasts that `each` passes on. Of two for one board, that stays for which more positions were visited.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be written, and any error of `each`.
    pub fn put_forecasts(
        &self,
        each: impl FnOnce(&mut dyn FnMut(CanonicalBoard, &Forecast) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        each(&mut |board, forecast| {
            let put = obook_sql::rows::put_forecast(self.connection(), board, forecast);
            put.map_err(Error::sqlite(self.path(), "write"))
        })
    }

    /// Writes the book's settings.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be written.
    pub fn set_header(&self, header: &BookHeader) -> Result<()> {
        let written = header.write(self.connection());
        written.map_err(Error::sqlite(self.path(), "write"))
    }

    /// Records that a file was imported.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be written.
    pub fn add_source(&self, source: &Source) -> Result<()> {
        let added = source.insert(self.connection());
        added.map_err(Error::sqlite(self.path(), "write"))
    }

    /// Lists the positions that need a leaf, which must be in key order.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be written.
    pub fn set_todo(&self, missing: &[Missing]) -> Result<()> {
        fill_todo(self.connection(), missing).map_err(Error::sqlite(self.path(), "write"))
    }

    /// Records that links and numbers follow from the leaves by the book's rules, so [set](NewBook::set_header) those before.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be written.
    pub fn mark_fixed(&self) -> Result<()> {
        let marked = self.connection().execute("UPDATE book SET fixed = 1", []);
        let rows = marked.map_err(Error::sqlite(self.path(), "write"))?;
        assert_eq!(rows, 1, "the header is there");
        Ok(())
    }

    /// [Gives it its name](obook_store::NewBook::commit).
    ///
    /// # Errors
    /// As [`obook_store::NewBook::commit`].
    ///
    /// # Panics
    /// If `counts` can't be written as JSON.
    pub fn commit(self, counts: &impl Serialize) -> Result<()> {
        Ok(self.0.commit(counts)?)
    }
}
