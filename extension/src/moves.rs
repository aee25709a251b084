//! Functions of moves.

use crate::arguments::function;
use crate::problem::Problem;
use rusqlite::Connection;

pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
    function(connection, "square", &[1], |arguments| {
        Ok(arguments.mv(0)?.to_string())
    })?;
    function(connection, "move", &[1], |arguments| {
        Ok(arguments.mv(0)?.code())
    })?;
    // A book turns boards; this turns its moves back to where those who typed the line have them.
    function(connection, "move_in", &[3], |arguments| {
        let (given, line, mv) = (arguments.board(0)?, arguments.line(1)?, arguments.mv(2)?);
        let (of_board, to_key) = given.board.canonicalize();
        let (of_line, from_key) = line.board().canonicalize();
        if of_board != of_line {
            let at = given.board.to_text();
            return Err(Problem::new(format!("{line} does not lead to {at}")));
        }
        let mv = to_key.then(from_key.inverse()).play(mv);
        Ok(mv.to_string())
    })
}
