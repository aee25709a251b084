//! `why(board)`: why a position has its value.

use crate::extension::book::Book;
use crate::functions::{Book as _, Given};
use crate::rows::why::{Alternative, Lowering, Payoff, Unexplained, Why, explain};
use obook_base::sql::ColumnType::{Integer, Key, Text};
use obook_base::sql::{Arguments, Column, Problem, RowsOf, Table, read_number};
use obook_base::sqlite::Database;
use obook_othello::{Board, Move};

/// The default for the number of positions to read besides the line.
const MOST: u32 = 20_000;

/// The table `why`.
#[derive(Clone)]
pub(crate) struct WhyTable;

/// A part of the explanation.
pub(crate) struct Part {
    role: &'static str,
    /// The position, and the line to it.
    board: Board,
    line: String,
    mv: Option<Move>,
    kind: Option<&'static str>,
    score: Option<i16>,
    worse: Option<i16>,
    level: Option<u8>,
    error: Option<i32>,
    shift: Option<i16>,
    value: Option<i16>,
}

impl Table for WhyTable {
    const COLUMNS: &'static [Column<Part>] = &[
        ("role", Text, |row| row.role.into()),
        ("ply", Integer, |row| {
            let after = row.mv.and_then(|mv| row.board.play(mv));
            (after.unwrap_or(row.board).ply() as u32).into()
        }),
        ("line", Text, |row| row.line.as_str().into()),
        ("square", Text, |row| row.mv.map(|mv| mv.to_string()).into()),
        ("kind", Text, |row| row.kind.into()),
        ("score", Integer, |row| row.score.into()),
        ("worse", Integer, |row| row.worse.into()),
        ("level", Integer, |row| row.level.into()),
        ("error", Integer, |row| row.error.into()),
        ("shift", Integer, |row| row.shift.into()),
        ("value", Integer, |row| row.value.into()),
        ("board", Key, |row| row.board.canonical().to_key().into()),
        ("move", Integer, |row| {
            let symmetry = row.board.canonicalize().1;
            row.mv.map(|mv| symmetry.play(mv).code()).into()
        }),
    ];
    const ARGUMENTS: &'static [&'static str] = &["asked", "most", "schema"];
    const ROWS: i64 = 100;
    type Source<'s> = Database<'s>;
    type Row = Part;

    fn rows<'s>(&'s self, database: Database<'s>, arguments: Arguments<'_>) -> RowsOf<'s, Self> {
        let most = (arguments.optional(1)).map_or(Ok(MOST), |it| {
            read_number(it, "a number of positions", 0..=i64::from(u32::MAX))
        })?;
        let given = Given::read(arguments.value(0))?;
        let book = Book::of(&database);
        if book.numbers(given.canonical())?.is_none() {
            return Ok(Box::new(std::iter::empty()));
        }
        let rules = Book::rules(&database)?;
        let look_up = |board| book.position(board);
        let why = explain(look_up, given.board, rules, most.into()).map_err(|why| match why {
            Unexplained::Read(problem) => problem,
            other => Problem::new(other),
        })?;
        Ok(Box::new(parts(&why, &given).into_iter().map(Ok)))
    }
}

/// The rows: the line, the deciding payoff, the alternatives, and then what would change the value.
fn parts(why: &Why, given: &Given) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut beside = Vec::new();
    let mut moves = Vec::new();
    for step in &why.line {
        let part = Part {
            kind: Some("link"),
            score: Some(step.score),
            worse: Some(0),
            ..part("line", given, &moves, Some(step.mv))
        };
        parts.push(part);
        beside.extend(alternatives(given, &moves, &step.others, step.score));
        moves.push(step.mv);
    }
    parts.push(Part {
        worse: Some(0),
        value: Some(why.value),
        ..payoff("decides", given, &why.payoff)
    });
    beside.extend(alternatives(given, &moves, &why.beside, why.payoff.score));
    parts.extend(beside);
    parts.extend(why.shifts.iter().map(|it| Part {
        shift: Some(it.shift),
        value: Some(it.value),
        ..payoff("shift", given, &it.payoff)
    }));
    parts.extend(why.additions.iter().map(|it| Part {
        kind: it.mv.map(|_| "leaf"),
        worse: it.worse,
        value: it.ceiling,
        ..part("search", given, &it.line, it.mv)
    }));
    if let Lowering::Payoffs { by, payoffs } = &why.lowering {
        let down = |it: &Payoff| match it.line.len() % 2 {
            0 => -by,
            _ => *by,
        };
        parts.extend(payoffs.iter().map(|it| Part {
            shift: Some(down(it)),
            ..payoff("lower", given, it)
        }));
    }
    if why.complete_to < 2 || why.lowering == Lowering::Unknown {
        parts.push(part("incomplete", given, &[], None));
    }
    parts
}

/// A part with nothing but its position.
fn part(role: &'static str, given: &Given, moves: &[Move], mv: Option<Move>) -> Part {
    let after = |board: Board, mv: &Move| board.play(*mv).unwrap_or(board);
    let line = moves.iter().chain(&mv).map(Move::to_string);
    Part {
        role,
        board: moves.iter().fold(given.board, after),
        line: line.fold(given.line.clone(), |line, mv| line + &mv),
        mv,
        kind: None,
        score: None,
        worse: None,
        level: None,
        error: None,
        shift: None,
        value: None,
    }
}

fn payoff(role: &'static str, given: &Given, payoff: &Payoff) -> Part {
    Part {
        kind: Some(payoff.kind.name()),
        score: Some(payoff.score),
        level: payoff.level,
        error: payoff.error,
        ..part(role, given, &payoff.line, payoff.mv)
    }
}

fn alternatives(given: &Given, moves: &[Move], all: &[Alternative], best: i16) -> Vec<Part> {
    let alternative = |it: &Alternative| Part {
        kind: Some(if it.is_link { "link" } else { "leaf" }),
        score: Some(best - it.worse),
        worse: Some(it.worse),
        ..part("beside", given, moves, Some(it.mv))
    };
    all.iter().map(alternative).collect()
}
