//! Functions of boards.

use crate::arguments::function;
use crate::board::Given;
use crate::problem::{Problem, Result};
use obook_othello::{Board, Move};
use rusqlite::Connection;

pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
    function(connection, "board", &[0, 1], |arguments| {
        match arguments.len() {
            0 => Ok(Board::START.canonical().to_key()),
            _ => key(arguments.board(0)?),
        }
    })?;
    // The same by the name of what it does to a board that is turned.
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

/// That a move is not legal, and which are.
pub(crate) fn illegal(board: Board, mv: Move) -> Problem {
    let legal: Vec<String> = board.moves().map(|mv| mv.to_string()).collect();
    let legal = match legal.len() {
        0 => String::from("the game is over"),
        _ => format!("legal moves are {}", legal.join(" ")),
    };
    let board = board.to_text();
    Problem::new(format!("{mv} is not legal on {board}: {legal}"))
}
