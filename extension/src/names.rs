//! Functions of openings' names.

use crate::arguments::function;
use crate::board::described;
use crate::problem::Problem;
use obook_games::names::{self, Opening};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
    function(connection, "name", &[1], |arguments| {
        let board = arguments.board(0)?.canonical();
        Ok(names::of_board(board).map(Opening::name))
    })?;
    // Of a line rather than of a position: the last name on its way.
    function(connection, "opening", &[1], |arguments| {
        let line = arguments.line(0)?;
        Ok(names::of_line(&line).map(Opening::name))
    })?;
    function(connection, "named", &[1], |arguments| {
        let ValueRef::Text(name) = arguments.value(0) else {
            return Err(Problem::new(format!(
                "expected the name of an opening such as 'tiger', found {}",
                described(arguments.value(0))
            )));
        };
        let name = std::str::from_utf8(name).map_err(Problem::new)?;
        let opening = names::find(name).map_err(Problem::new)?;
        Ok(opening.line().board().canonical().to_key())
    })
}
