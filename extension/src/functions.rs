//! The scalar functions: of boards, moves, levels and names of openings.

use crate::arguments::{Arguments, Given, described, function, read_text};
use crate::problem::{Problem, Result};
use obook_games::names;
use obook_games::names::Opening;
use obook_model::levels::Effort;
use obook_othello::{Board, Move};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
    boards(connection)?;
    moves(connection)?;
    levels(connection)?;
    names(connection)
}

fn boards(connection: &Connection) -> rusqlite::Result<()> {
    function(connection, "board", &[0, 1], |arguments| {
        match arguments.len() {
            0 => Ok(Board::START.canonical().to_key()),
            _ => key(arguments.board(0)?),
        }
    })?;
    // The same function under a second name.
    function(connection, "canonical", &[1], |arguments| {
        key(arguments.board(0)?)
    })?;
    function(connection, "board_text", &[1], |arguments| {
        Ok(arguments.board(0)?.board.to_text())
    })?;
    function(connection, "show", &[1], |arguments| {
        let given = arguments.board(0)?;
        Ok(given.board.diagram_for(given.side).to_string())
    })?;
    function(connection, "discs", &[1], |arguments| {
        Ok(64 - arguments.board(0)?.board.empties())
    })?;
    function(connection, "empties", &[1], |arguments| {
        Ok(arguments.board(0)?.board.empties())
    })?;
    function(connection, "mobility", &[1], |arguments| {
        Ok(arguments.board(0)?.board.legal_moves().len() as u8)
    })?;
    function(connection, "legal_moves", &[1], |arguments| {
        let moves = arguments.board(0)?.board.moves();
        let names: Vec<String> = moves.map(|mv| mv.to_string()).collect();
        Ok(names.join(" "))
    })?;
    function(connection, "child", &[2], |arguments| {
        let (given, mv) = (arguments.board(0)?, arguments.mv(1)?);
        let child = given
            .board
            .play(mv)
            .ok_or_else(|| illegal(given.board, mv))?;
        Ok(child.canonical().to_key())
    })
}

fn key(given: Given) -> Result<[u8; 16]> {
    Ok(given.canonical().to_key())
}

/// The problem of an illegal move, with the legal ones.
pub(crate) fn illegal(board: Board, mv: Move) -> Problem {
    let legal: Vec<String> = board.moves().map(|mv| mv.to_string()).collect();
    let legal = match legal.len() {
        0 => String::from("the game is over"),
        _ => format!("legal moves are {}", legal.join(" ")),
    };
    let board = board.to_text();
    Problem::new(format!("{mv} is not legal on {board}: {legal}"))
}

fn moves(connection: &Connection) -> rusqlite::Result<()> {
    function(connection, "square", &[1], |arguments| {
        Ok(arguments.mv(0)?.to_string())
    })?;
    function(connection, "move", &[1], |arguments| {
        Ok(arguments.mv(0)?.code())
    })?;
    // Maps a book's move to the orientation of a typed line.
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

fn levels(connection: &Connection) -> rusqlite::Result<()> {
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

/// The effort at a level, a number of empty squares and possibly an engine.
fn search(arguments: &Arguments<'_, '_>) -> Result<Effort> {
    let level = arguments.small(0, "a level")?;
    let empties = arguments.small(1, "a number of empty squares")?;
    Ok(Effort::new(arguments.engine(2)?, level, empties))
}

fn names(connection: &Connection) -> rusqlite::Result<()> {
    function(connection, "name", &[1], |arguments| {
        let board = arguments.board(0)?.canonical();
        Ok(names::of_board(board).map(Opening::name))
    })?;
    // For a line rather than a position: the last name on the way.
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
        let opening = names::find(read_text(name)?).map_err(Problem::new)?;
        Ok(opening.line().board().canonical().to_key())
    })
}
