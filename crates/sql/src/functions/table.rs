//! The tables that need only look-ups in a book.

use crate::functions::ancestors::{Ancestors, LineTo};
use crate::functions::book::Book;
use crate::functions::moves::{BestLine, Choose, Moves};
use crate::functions::openings::Openings;
use crate::functions::tree::{NearBest, Tree};
use obook_base::sql::Table;

/// A table of what a book says about a board and its surroundings.
pub trait BookTable: for<'s> Table<Source<'s> = Box<dyn Book + 's>> {}

impl<T: for<'s> Table<Source<'s> = Box<dyn Book + 's>>> BookTable for T {}

/// An SQL engine that can be told of tables.
pub trait SqlEngine {
    /// Why it refuses one.
    type Error;

    /// Makes a table known by this name.
    ///
    /// # Errors
    /// If the engine refuses it.
    fn add<T: BookTable>(&mut self, name: &str, table: T) -> std::result::Result<(), Self::Error>;
}

/// Makes all tables of this crate known to an SQL engine.
///
/// # Errors
/// If the engine refuses one.
pub fn add_tables<E: SqlEngine>(engine: &mut E) -> std::result::Result<(), E::Error> {
    engine.add("moves", Moves)?;
    engine.add("choose", Choose)?;
    engine.add("line", BestLine)?;
    engine.add("tree", Tree)?;
    engine.add("frontier", NearBest::Frontier)?;
    engine.add("worst", NearBest::Worst)?;
    engine.add("ancestors", Ancestors)?;
    engine.add("line_to", LineTo)?;
    engine.add("openings", Openings)
}
