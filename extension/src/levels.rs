//! Functions of levels.

use crate::arguments::{Arguments, function};
use crate::problem::Result;
use obook_model::levels::Effort;
use rusqlite::Connection;

pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
    function(connection, "is_solved", &[2, 3], |arguments| {
        Ok(search(arguments)?.is_solved())
    })?;
    function(connection, "search_depth", &[2, 3], |arguments| {
        Ok(search(arguments)?.depth)
    })?;
    function(connection, "selectivity", &[2, 3], |arguments| {
        Ok(search(arguments)?.probability)
    })
}

/// What a level, the number of empties and perhaps the engine say.
fn search(arguments: &Arguments<'_, '_>) -> Result<Effort> {
    let level = arguments.small(0, "a level")?;
    let empties = arguments.small(1, "a number of empty squares")?;
    Ok(Effort::new(arguments.engine(2)?, level, empties))
}
