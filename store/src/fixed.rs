//! What a book says of its links and numbers: whether they follow from its leaves, and what a repetition was worth in them.

use super::{Store, Update};
use crate::{Error, Result};

impl Store {
    /// What coming back to a position was worth to the side that does, in discs from −64 to 64, when the numbers were last
    /// computed.
    ///
    /// # Errors
    /// [`Error::Sqlite`], and [`Error::BadRepetition`].
    pub fn repetition(&self) -> Result<i8> {
        let worth: Option<i64> = self
            .connection
            .query_row("SELECT repetition FROM book", [], |row| row.get(0))
            .map_err(self.failed("read"))?;
        let worth = worth.unwrap_or(0);
        let in_range = i8::try_from(worth)
            .ok()
            .filter(|it| (-64..=64).contains(it));
        in_range.ok_or_else(|| Error::BadRepetition {
            path: self.path.clone(),
            found: worth,
        })
    }

    /// Whether links and numbers are known to follow from the leaves: whatever changes the book has to keep it so.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub fn is_fixed(&self) -> Result<bool> {
        self.connection
            .query_row("SELECT fixed IS 1 FROM book", [], |row| row.get(0))
            .map_err(self.failed("read"))
    }
}

impl Update<'_> {
    /// Says that links and numbers follow from the leaves by the book's rules, as [`fix`](crate::write::fix) leaves a book.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub fn mark_fixed(&self) -> Result<()> {
        self.connection()
            .execute("UPDATE book SET fixed = 1 WHERE fixed IS NOT 1", [])
            .map(drop)
            .map_err(self.failed())
    }

    /// The opposite of [`Update::mark_fixed`], for changes that may leave anything wrong.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub fn forget_fixed(&self) -> Result<()> {
        self.connection()
            .execute("UPDATE book SET fixed = NULL WHERE fixed IS NOT NULL", [])
            .map(drop)
            .map_err(self.failed())
    }

    /// Remembers what coming back to a position was worth to the side that does, in discs from −64 to 64, in the numbers
    /// as they are now.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub fn set_repetition(&self, worth: i8) -> Result<()> {
        let worth = Some(worth).filter(|worth| *worth != 0);
        let sql = "UPDATE book SET repetition = ?1 WHERE repetition IS NOT ?1";
        self.connection()
            .execute(sql, [worth])
            .map(drop)
            .map_err(self.failed())
    }
}
