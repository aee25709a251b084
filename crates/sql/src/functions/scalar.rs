//! The scalar functions: of boards, moves, levels and names of openings.

use crate::functions::arguments::{Given, read_engine, read_line, read_move};
use obook_base::sql::ColumnType::{Integer, Key, Text};
use obook_base::sql::{
    Answer, Arguments, ColumnType, Problem, Result, Value, read_number, read_text,
};
use obook_games::names;
use obook_games::names::Opening;
use obook_othello::levels::Effort;
use obook_othello::{Board, Move};
use std::ops::RangeInclusive;

/// A function that depends only on its arguments. If one of them is NULL, so is the answer, as for SQL's own functions.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// The numbers of arguments that it takes.
    pub arguments: RangeInclusive<usize>,
    /// The type of its answers.
    pub kind: ColumnType,
    answer: fn(Arguments<'_>) -> Result<Answer<'static>>,
}

impl Function {
    /// Computes the answer.
    ///
    /// # Errors
    /// If the arguments make no sense; the message begins with the function's name.
    ///
    /// # Panics
    /// If there are too few arguments.
    pub fn call(&self, arguments: &[Value<'_>]) -> Result<Answer<'static>> {
        if arguments.contains(&Value::Null) {
            return Ok(Answer::Null);
        }
        (self.answer)(Arguments(arguments)).map_err(|problem| problem.within(self.name))
    }
}

/// A row of [`ALL`].
const fn function(
    name: &'static str,
    arguments: RangeInclusive<usize>,
    kind: ColumnType,
    answer: fn(Arguments<'_>) -> Result<Answer<'static>>,
) -> Function {
    Function {
        name,
        arguments,
        kind,
        answer,
    }
}

/// All functions.
pub const ALL: &[Function] = &[
    function("board", 0..=1, Key, |arguments| match arguments.0 {
        [] => Ok(Board::START.canonical().to_key().into()),
        _ => key(arguments),
    }),
    // The same function under a second name.
    function("canonical", 1..=1, Key, key),
    function("board_text", 1..=1, Text, |arguments| {
        Ok(Given::read(arguments.value(0))?.board.to_text().into())
    }),
    function("show", 1..=1, Text, |arguments| {
        let given = Given::read(arguments.value(0))?;
        Ok(given.board.diagram_for(given.side).to_string().into())
    }),
    function("discs", 1..=1, Integer, |arguments| {
        Ok((64 - Given::read(arguments.value(0))?.board.empties()).into())
    }),
    function("empties", 1..=1, Integer, |arguments| {
        Ok(Given::read(arguments.value(0))?.board.empties().into())
    }),
    function("mobility", 1..=1, Integer, |arguments| {
        Ok((Given::read(arguments.value(0))?.board.legal_moves().len() as u8).into())
    }),
    function("legal_moves", 1..=1, Text, |arguments| {
        Ok(moves_of(Given::read(arguments.value(0))?.board).into())
    }),
    function("child", 2..=2, Key, |arguments| {
        let board = Given::read(arguments.value(0))?.board;
        let mv = read_move(arguments.value(1))?;
        let child = board.play(mv).ok_or_else(|| illegal(board, mv))?;
        Ok(child.canonical().to_key().into())
    }),
    function("square", 1..=1, Text, |arguments| {
        Ok(read_move(arguments.value(0))?.to_string().into())
    }),
    function("move", 1..=1, Integer, |arguments| {
        Ok(read_move(arguments.value(0))?.code().into())
    }),
    // Maps a book's move to the orientation of a typed line.
    function("move_in", 3..=3, Text, |arguments| {
        let given = Given::read(arguments.value(0))?;
        let line = read_line(arguments.value(1))?;
        let mv = read_move(arguments.value(2))?;
        let (of_board, to_key) = given.board.canonicalize();
        let (of_line, from_key) = line.board().canonicalize();
        if of_board != of_line {
            let at = given.board.to_text();
            let from = match line.moves() {
                [] => String::from("the start"),
                _ => line.to_string(),
            };
            return Err(Problem::new(format!("{from} does not lead to {at}")));
        }
        let mv = to_key.then(from_key.inverse()).play(mv);
        Ok(mv.to_string().into())
    }),
    function("is_solved", 2..=3, Integer, |arguments| {
        Ok(search(arguments)?.is_solved().into())
    }),
    function("search_depth", 2..=3, Integer, |arguments| {
        Ok(search(arguments)?.depth.into())
    }),
    function("selectivity", 2..=3, Integer, |arguments| {
        Ok(search(arguments)?.probability.into())
    }),
    function("name", 1..=1, Text, |arguments| {
        let board = Given::read(arguments.value(0))?.canonical();
        Ok(names::of_board(board).map(Opening::name).into())
    }),
    // For a line rather than a position: the last name on the way.
    function("opening", 1..=1, Text, |arguments| {
        let line = read_line(arguments.value(0))?;
        Ok(names::of_line(&line).map(Opening::name).into())
    }),
    function("named", 1..=1, Key, |arguments| {
        let found = arguments.value(0);
        let Value::Text(name) = found else {
            let what = "the name of an opening such as 'tiger'";
            return Err(Problem::expected(what, found));
        };
        let opening = names::find(read_text(name)?).map_err(Problem::new)?;
        Ok(opening.line.board().canonical().to_key().into())
    }),
];

fn key(arguments: Arguments<'_>) -> Result<Answer<'static>> {
    let given: Given = Given::read(arguments.value(0))?;
    Ok(given.canonical().to_key().into())
}

fn moves_of(board: Board) -> String {
    let moves: Vec<String> = board.moves().map(|mv| mv.to_string()).collect();
    moves.join(" ")
}

/// The problem of an illegal move, with the legal ones.
fn illegal(board: Board, mv: Move) -> Problem {
    let legal = match &*moves_of(board) {
        "" => String::from("the game is over"),
        legal => format!("legal moves are {legal}"),
    };
    let board = board.to_text();
    Problem::new(format!("{mv} is not legal on {board}: {legal}"))
}

/// The effort at a level, a number of empty squares and possibly an engine.
fn search(arguments: Arguments<'_>) -> Result<Effort> {
    let level = read_number(arguments.value(0), "a level", 0..=255)?;
    let empties = read_number(arguments.value(1), "a number of empty squares", 0..=255)?;
    let engine = read_engine(arguments.optional(2))?;
    Ok(Effort::new(engine, level, empties))
}
